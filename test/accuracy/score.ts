import { analyze } from "../../src/analyze/analyze.ts";
import { SENSITIVE_SETTINGS } from "../../src/analyze/settings.ts";
import type { Store } from "../../src/trace/store.ts";
import type { Disturbance } from "./machine.ts";
import { storeOf } from "./fill-store.ts";
import { type Scenario, simulate } from "./simulate.ts";

export interface FoundRegion {
  region: number;
  kind: string;
  startNs: number;
  endNs: number;
  performance: number;
  lostNs: number;
  low: number;
  high: number;
  significance: number;
  slow: number[];
  waiting: number[];
}

export interface Outcome {
  regions: FoundRegion[];
  imbalances: { ranks: number[]; verdict: string; excess_percent: number; cost_ns: number }[];
}

/** Regions and imbalances that the analysis left in a store. */
export async function outcomeOf(store: Store): Promise<Outcome> {
  const regions = await store.rows<Record<string, unknown> & FoundRegion>(`
    SELECT region, kind, start_ns AS "startNs", end_ns AS "endNs", performance, lost_ns AS "lostNs",
           lost_low_ns AS low, lost_high_ns AS high, significance,
           (SELECT coalesce(list(rank ORDER BY rank), []) FROM region_ranks k WHERE k.region = r.region AND role = 'slow') AS slow,
           (SELECT coalesce(list(rank ORDER BY rank), []) FROM region_ranks k WHERE k.region = r.region AND role = 'waiting') AS waiting
      FROM regions r ORDER BY region`);
  const imbalances = await store.rows<Record<string, unknown> & Outcome["imbalances"][number]>(
    "SELECT ranks, verdict, excess_percent, cost_ns FROM imbalances ORDER BY cost_ns DESC",
  );
  return { regions, imbalances };
}

/** Simulates, analyses, and hands the store to `look` before it is closed. */
export async function run<T>(scenario: Scenario, look: (store: Store) => Promise<T>): Promise<T> {
  const store = await storeOf(simulate(scenario));
  try {
    await analyze(store, { settings: SENSITIVE_SETTINGS });
    return await look(store);
  } finally {
    store.close();
  }
}

/** Overlap of two intervals over their union. */
export function intersectionOverUnion(
  a: { startNs: number; endNs: number },
  b: { startNs: number; endNs: number },
): number {
  const shared = Math.min(a.endNs, b.endNs) - Math.max(a.startNs, b.startNs);
  const union = Math.max(a.endNs, b.endNs) - Math.min(a.startNs, b.startNs);
  return Math.max(0, shared) / union;
}

/** What is wrong with the regions, given the truth; empty if each disturbance is found once and nothing else. */
export function faults(
  found: readonly FoundRegion[],
  truth: readonly Disturbance[],
  minIou: number,
): string[] {
  const out: string[] = [];
  const used = new Set<string>();
  for (const one of truth) {
    const match = found.find(
      (region) =>
        !used.has(`${region.region} ${one.rank}`) &&
        region.slow.includes(one.rank) &&
        intersectionOverUnion(region, one) >= minIou,
    );
    if (match) used.add(`${match.region} ${one.rank}`);
    else out.push(`missed rank ${one.rank} ${one.kind} ${inMs(one)}`);
  }
  for (const region of found) {
    const right = region.slow.every((rank) =>
      truth.some((one) => one.rank === rank && intersectionOverUnion(region, one) >= minIou),
    );
    if (!right)
      out.push(
        `false region ${region.kind} ranks ${region.slow.join(",")} ${inMs(region)} performance ${region.performance.toFixed(2)}`,
      );
  }
  return out;
}

function inMs({ startNs, endNs }: { startNs: number; endNs: number }): string {
  return `${(startNs / 1e6).toFixed(0)}-${(endNs / 1e6).toFixed(0)} ms`;
}
