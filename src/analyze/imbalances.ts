import type { Store } from "../trace/store.ts";
import { insertRows } from "./columns.ts";
import type { Settings } from "./settings.ts";
import { groupRows, othersQuantile } from "./peers.ts";
import { differences, readSnippetTimes, type SnippetTime } from "./snippet-times.ts";

export interface Imbalance {
  ranks: number[];
  excessPercent: number;
  costNs: number;
  verdict: "imbalance" | "undecided";
  /** For an imbalance: sizes and counts may be the same, but the rank's core is as fast as others. */
  asFast?: boolean;
}

/** Ranks whose excess differs by less than this factor are listed together. */
const TOGETHER = 1.25;

/**
 * Pass 8. Ranks whose undisturbed level is above that of their peers throughout the run, and that are not known to be
 * slow: the references of those were taken down by pass 7.
 *
 * Reads `work_classes`, `rank_references` and `rank_speeds`; writes `imbalances`.
 */
export async function findImbalances(
  store: Store,
  settings: Settings,
  wallNs: number,
): Promise<void> {
  const times = await readSnippetTimes(store);
  const asFast = await store.rows<{ rank: number }>(
    "SELECT rank FROM rank_speeds WHERE verdict = 'as_fast' ORDER BY rank",
  );
  const probed = await store.row<{ n: number }>("SELECT count(*)::INTEGER AS n FROM probes");
  const found = compareRanks(
    times,
    settings.minImbalance,
    settings.minLossShare * wallNs,
    new Set(asFast.map(({ rank }) => rank)),
  );
  await insertRows(
    store,
    "imbalances",
    found.map((one) => [
      "compute",
      one.ranks,
      one.excessPercent,
      one.costNs,
      one.verdict,
      reasonFor(one, (probed?.n ?? 0) > 0),
    ]),
  );
}

/**
 * Compares each rank, snippet by snippet, with the median of the others. Snippets that fewer than half of the
 * ranks have cannot be compared. If sizes or counts differ too, or the rank's core is as fast as others (`asFast`), the rank
 * has more work; time alone cannot tell more work from a slower machine.
 */
export function compareRanks(
  times: readonly SnippetTime[],
  minShare: number,
  minCostNs: number,
  asFast: ReadonlySet<number> = new Set(),
): Imbalance[] {
  const bySnippet = groupRows(times, ({ snippet }) => snippet);
  const ranks = [...new Set(times.map((one) => one.rank))].toSorted((a, b) => a - b);
  const sums = new Map(ranks.map((rank) => [rank, { peers: 0, imbalance: 0, undecided: 0 }]));
  for (const rows of bySnippet.values()) {
    if (rows.length < 2 || rows.length * 2 < ranks.length) continue;
    const differs = differences(rows);
    const medians = othersQuantile(
      rows.map((row) => row.ns),
      0.5,
    );
    for (const [i, own] of rows.entries()) {
      const peers = medians[i]!;
      const sum = sums.get(own.rank)!;
      sum.peers += peers;
      const excess = own.ns - peers;
      if (excess > minShare * peers) sum[differs[i] ? "imbalance" : "undecided"] += excess;
    }
  }
  const single = ranks.flatMap((rank): Imbalance[] => {
    const { peers, imbalance, undecided } = sums.get(rank)!;
    const costNs = imbalance + undecided;
    if (costNs <= minShare * peers || costNs < minCostNs) return [];
    const found = { ranks: [rank], excessPercent: (100 * costNs) / peers, costNs };
    if (imbalance >= undecided) return [{ ...found, verdict: "imbalance" }];
    if (asFast.has(rank)) return [{ ...found, verdict: "imbalance", asFast: true }];
    return [{ ...found, verdict: "undecided" }];
  });
  return group(single);
}

/** Why the verdict, or what would decide it. */
function reasonFor({ verdict, asFast }: Imbalance, probed: boolean): string {
  if (asFast) return "probes say that its core is as fast as the others";
  if (verdict === "imbalance") return "sizes or counts of its work differ";
  return probed
    ? "neither probes, waiting for a core nor several snippets tell; a run with the ranks on other cores would decide it"
    : "a run with probes (without --no-probes, and some seconds long) would decide it";
}

function group(single: readonly Imbalance[]): Imbalance[] {
  const groups: Imbalance[] = [];
  const byExcess = [...single].toSorted(
    (a, b) => b.excessPercent - a.excessPercent || a.ranks[0]! - b.ranks[0]!,
  );
  for (const one of byExcess) {
    const last = groups.find(
      (other) =>
        other.verdict === one.verdict &&
        other.asFast === one.asFast &&
        other.excessPercent < TOGETHER * one.excessPercent,
    );
    if (!last) {
      groups.push({ ...one, ranks: [...one.ranks] });
      continue;
    }
    const n = last.ranks.length;
    last.excessPercent = (last.excessPercent * n + one.excessPercent) / (n + 1);
    last.costNs += one.costNs;
    last.ranks.push(...one.ranks);
  }
  for (const { ranks } of groups) ranks.sort((a, b) => a - b);
  return groups.toSorted((a, b) => b.costNs - a.costNs);
}
