import type { Store } from "../trace/store.ts";
import { quantile } from "./statistics.ts";

/** Undisturbed time of one snippet on one rank, and what tells its amount of work. */
export interface SnippetTime {
  snippet: number;
  rank: number;
  ns: number;
  fragments: number;
  /** Work vectors, in words that can be compared. */
  vectors: string;
}

/** Counts of fragments further apart than this are different work. */
const SAME_COUNT = 1.05;

/** Of all computations that v-sensors judge, from `work_classes` and `rank_references`. */
export async function readSnippetTimes(store: Store): Promise<SnippetTime[]> {
  return store.rows<Record<string, unknown> & SnippetTime>(`
    SELECT w.snippet, r.rank, sum(r.fragments * r.reference_ns)::DOUBLE AS ns,
           sum(r.fragments)::INTEGER AS fragments,
           string_agg(DISTINCT w.bytes || ' ' || w.before_bytes, ',' ORDER BY w.bytes || ' ' || w.before_bytes) AS vectors
      FROM (SELECT * FROM rank_references ORDER BY class, rank) r JOIN work_classes w USING (class)
     WHERE w.kind = 'compute' GROUP BY w.snippet, r.rank ORDER BY w.snippet, r.rank`);
}

/** Whether sizes of this rank's work are unlike those of most others, or it has more of it. */
export function differs(own: SnippetTime, others: readonly SnippetTime[]): boolean {
  const same = others.filter((row) => row.vectors === own.vectors).length;
  const count = quantile(
    others.map((row) => row.fragments),
    0.5,
  );
  return same * 2 < others.length || own.fragments > SAME_COUNT * count;
}
