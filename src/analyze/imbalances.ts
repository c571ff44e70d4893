import type { Store } from "../trace/store.ts";
import { insertRows } from "./columns.ts";
import type { Settings } from "./settings.ts";
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

export interface Imbalance {
  ranks: number[];
  excessPercent: number;
  costNs: number;
  verdict: "imbalance" | "undecided";
}

/** Counts of fragments further apart than this are different work. */
const SAME_COUNT = 1.05;
/** Ranks whose excess differs by less than this factor are listed together. */
const TOGETHER = 1.25;

/**
 * Pass 7. Ranks whose undisturbed level is above that of their peers throughout the run.
 *
 * Reads `work_classes` and `rank_references`; writes `imbalances`.
 */
export async function findImbalances(
  store: Store,
  settings: Settings,
  wallNs: number,
): Promise<void> {
  const times = await store.rows<Record<string, unknown> & SnippetTime>(`
    SELECT w.snippet, r.rank, sum(r.fragments * r.reference_ns)::DOUBLE AS ns,
           sum(r.fragments)::INTEGER AS fragments,
           string_agg(DISTINCT w.bytes || ' ' || w.before_bytes, ',' ORDER BY w.bytes || ' ' || w.before_bytes) AS vectors
      FROM (SELECT * FROM rank_references ORDER BY class, rank) r JOIN work_classes w USING (class)
     WHERE w.kind = 'compute' GROUP BY w.snippet, r.rank ORDER BY w.snippet, r.rank`);
  const found = compareRanks(times, settings.minImbalance, settings.minLossShare * wallNs);
  await insertRows(
    store,
    "imbalances",
    found.map((one) => ["compute", one.ranks, one.excessPercent, one.costNs, one.verdict]),
  );
}

/**
 * Compares each rank, snippet by snippet, with the median of the others. Snippets that fewer than half of the
 * ranks have cannot be compared. If sizes or counts differ too the rank has more work; time alone cannot tell
 * more work from a slower machine.
 */
export function compareRanks(
  times: readonly SnippetTime[],
  minShare: number,
  minCostNs: number,
): Imbalance[] {
  const bySnippet = new Map<number, SnippetTime[]>();
  for (const one of times) bySnippet.set(one.snippet, [...(bySnippet.get(one.snippet) ?? []), one]);
  const ranks = [...new Set(times.map((one) => one.rank))].toSorted((a, b) => a - b);
  const sums = new Map(ranks.map((rank) => [rank, { peers: 0, imbalance: 0, undecided: 0 }]));
  for (const rows of bySnippet.values()) {
    if (rows.length < 2 || rows.length * 2 < ranks.length) continue;
    for (const own of rows) {
      const others = rows.filter((row) => row !== own);
      const peers = quantile(
        others.map((row) => row.ns),
        0.5,
      );
      const sum = sums.get(own.rank)!;
      sum.peers += peers;
      const excess = own.ns - peers;
      if (excess > minShare * peers)
        sum[differs(own, others) ? "imbalance" : "undecided"] += excess;
    }
  }
  const single = ranks.flatMap((rank) => {
    const { peers, imbalance, undecided } = sums.get(rank)!;
    const costNs = imbalance + undecided;
    if (costNs <= minShare * peers || costNs < minCostNs) return [];
    const verdict = imbalance >= undecided ? ("imbalance" as const) : ("undecided" as const);
    return [{ ranks: [rank], excessPercent: (100 * costNs) / peers, costNs, verdict }];
  });
  return group(single);
}

function differs(own: SnippetTime, others: readonly SnippetTime[]): boolean {
  const same = others.filter((row) => row.vectors === own.vectors).length;
  const count = quantile(
    others.map((row) => row.fragments),
    0.5,
  );
  return same * 2 < others.length || own.fragments > SAME_COUNT * count;
}

function group(single: readonly Imbalance[]): Imbalance[] {
  const groups: Imbalance[] = [];
  const byExcess = [...single].toSorted(
    (a, b) => b.excessPercent - a.excessPercent || a.ranks[0]! - b.ranks[0]!,
  );
  for (const one of byExcess) {
    const last = groups.find(
      (other) =>
        other.verdict === one.verdict && other.excessPercent < TOGETHER * one.excessPercent,
    );
    if (!last) {
      groups.push({ ...one });
      continue;
    }
    const n = last.ranks.length;
    last.excessPercent = (last.excessPercent * n + one.excessPercent) / (n + 1);
    last.costNs += one.costNs;
    last.ranks = [...last.ranks, ...one.ranks].toSorted((a, b) => a - b);
  }
  return groups.toSorted((a, b) => b.costNs - a.costNs);
}
