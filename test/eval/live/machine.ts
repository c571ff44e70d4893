import { readFileSync } from "node:fs";
import { readTruth } from "../../../scripts/demo/truth.ts";
import { ownNoise, type RankWatch } from "../../../scripts/demo/watch.ts";
import type { Store } from "../../../src/trace/store.ts";
import type { Region } from "../score/region.ts";

/** Seconds that the hypervisor gave others instead of each of these cores, since the machine started. */
export function stolen(cores: readonly number[]): number[] {
  const text = readFileSync("/proc/stat", "utf8");
  return cores.map((core) => {
    const line = new RegExp(`^cpu${core} (.*)$`, "m").exec(text)?.[1] ?? "";
    // Column 8, in ticks of 1/100 s: proc(5).
    return Number(line.split(" ")[7] ?? 0) / 100;
  });
}

/**
 * Largest share of its time that a rank waited for its core without being disturbed on purpose.
 *
 * @param disturbed the rank that was, and the file that says when; undefined if none was
 */
export function waitedByItself(
  watch: RankWatch,
  disturbed: { rank: number; truth: string } | undefined,
): number {
  const intervals = disturbed
    ? readTruth(disturbed.truth).intervals.map(({ startRealtime, endRealtime }) => ({
        from: Date.parse(startRealtime) / 1000,
        to: Date.parse(endRealtime) / 1000,
      }))
    : [];
  const shares = [...watch.ranks.values()].map(
    (one) => ownNoise(one, one.rank === disturbed?.rank ? intervals : []) ?? 0,
  );
  return Math.max(0, ...shares);
}

/** Share of a region's loss that the kernel lays to the machine: its ranks waited for their cores, or cores were stolen. */
export async function machineShare(store: Store, { parts, lostNs }: Region): Promise<number> {
  let ns = 0;
  for (const { rank, startNs, endNs } of parts) {
    const row = await store.row<{ ns: number }>(
      `SELECT coalesce(sum(delta), 0)::DOUBLE AS ns
         FROM counters_in(${rank}, 0, ${Math.round(startNs)}, ${Math.round(endNs)})
        WHERE name IN ('run_delay', 'steal_time')`,
    );
    ns += row!.ns;
  }
  return ns / lostNs;
}

/** What the probes say of a region. */
export interface ProbesOf {
  /** A kind was slower by a share of the slow-down that matters. */
  confirm: boolean;
  inside: number;
  outside: number;
}

/** Probes confirm a region if a kind of them was slower by this share of its slow-down (in logs): they do other work than it. */
const SLOWED = 0.25;

/** What the probes say of regions, in order of their numbers; with no probes, that there are none. */
export function probesOf(store: Store): Promise<ProbesOf[]> {
  return store.rows<Record<string, unknown> & ProbesOf>(`
    SELECT coalesce(bool_or(verdict = 'slower' AND share >= ${SLOWED}), false) AS confirm,
           coalesce(max(inside_count), 0)::INTEGER AS inside, coalesce(max(outside_count), 0)::INTEGER AS outside
      FROM regions LEFT JOIN (FROM region_evidence WHERE source = 'probes') USING (region)
     GROUP BY region ORDER BY region`);
}
