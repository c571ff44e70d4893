import type { Store } from "../trace/store.ts";
import { othersQuantile } from "./peers.ts";

/** Undisturbed time of one snippet on one rank, and what tells its amount of work. */
export interface SnippetTime {
  snippet: number;
  rank: number;
  ns: number;
  fragments: number;
  /** Work vectors, in words that can be compared. */
  vectors: string;
  /** Relative standard error of the mean, where the work varies: then `ns` is all of its time. */
  varying?: number;
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

interface VaryingTime extends SnippetTime {
  /** Sums over time blocks: of squared time, of time x fragments, and of squared fragments. */
  squares: number;
  products: number;
  counts: number;
}

/**
 * Of computations that are said to vary for most of their time, from `work_classes` and temporary `work_keys` and `work_cells`.
 * A core that others use all the time makes any work vary; whole runs can be compared nevertheless. The error comes from
 * time blocks (that of a ratio estimator), as what makes work vary lasts longer than one fragment.
 */
export async function readVaryingTimes(store: Store): Promise<SnippetTime[]> {
  const rows = await store.rows<Record<string, unknown> & VaryingTime>(`
    WITH varying AS (
      SELECT snippet FROM work_classes WHERE kind = 'compute' GROUP BY snippet
      HAVING 2 * sum(total_ns) FILTER (status = 'varying_work') > sum(total_ns)),
    blocks AS (
      SELECT k.snippet, c.rank, k.key, k.bytes || ' ' || k.before_bytes AS vector, c.block,
             sum(c.total_ns::BIGINT)::HUGEINT AS ns, sum(c.n::BIGINT)::HUGEINT AS n
        FROM work_cells c JOIN work_keys k USING (key) JOIN varying USING (snippet)
       WHERE k.kind = 'compute' GROUP BY ALL)
    SELECT snippet, rank, sum(ns)::DOUBLE AS ns, sum(n)::INTEGER AS fragments,
           string_agg(DISTINCT vector, ',' ORDER BY vector) AS vectors, sum(ns * ns)::DOUBLE AS squares,
           sum(ns * n)::DOUBLE AS products, sum(n * n)::DOUBLE AS counts
      FROM blocks GROUP BY snippet, rank ORDER BY snippet, rank`);
  return rows.map(({ snippet, rank, ns, fragments, vectors, squares, products, counts }) => {
    const mean = ns / fragments;
    const deviations = squares - 2 * mean * products + mean * mean * counts;
    const varying = Math.sqrt(Math.max(0, deviations)) / ns;
    return { snippet, rank, ns, fragments, vectors, varying };
  });
}

/** Of each row of a snippet, whether its sizes are unlike those of most others, or it has more fragments. */
export function differences(rows: readonly SnippetTime[]): boolean[] {
  const alike = new Map<string, number>();
  for (const { vectors } of rows) alike.set(vectors, (alike.get(vectors) ?? 0) + 1);
  const counts = othersQuantile(
    rows.map((row) => row.fragments),
    0.5,
  );
  return rows.map(({ vectors, fragments }, i) => {
    const same = alike.get(vectors)! - 1;
    return same * 2 < rows.length - 1 || fragments > SAME_COUNT * counts[i]!;
  });
}
