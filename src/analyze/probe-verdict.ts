import type { ProbeCourse, ProbeKind } from "./probe-moments.ts";
import { REACH_OF_CORES, USUAL_DIFFERENCE } from "./rank-evidence.ts";
import { type Shift, shiftOf, type Stratum } from "./shift-interval.ts";
import { quantile } from "./statistics.ts";

/** What probes of one kind say of a region. Times in ns; null: too few probes, or nothing to compare with. */
export interface ProbeVerdict {
  /** self: the same ranks at other times; others: other ranks at the same time. */
  against: "self" | "others";
  insideCount: number;
  outsideCount: number;
  /** Medians. */
  inside: number | null;
  outside: number | null;
  /** How many times as long probes took inside, with limits. */
  ratio: number | null;
  low: number | null;
  high: number | null;
  /** Share of the slow-down that this is, in logs; above 1 if probes were slowed more than the work. */
  share: number | null;
  verdict: "slower" | "not_slower" | "unknown";
}

/** Chance that probes of an undisturbed core are called slower in a region, all kinds together. */
export const LEVEL = 0.05;
const KINDS = 3;
/** Slower by less than this (log) is of no account, even if it is sure. */
const LEAST = Math.log(1.02);
/** Not slower: surely less than half of what would explain the slow-down and than a quarter, and most likely less than 5 %. */
const EXPLAINED = 0.5;
const MOST = Math.log(1.25);
const USUAL = Math.log(1.05);
/** Borders are known to about this share of a region's length: probes beyond them as near as that are neither in nor out. */
const BORDER = 0.05;
/** Pairs that are compared at most; of more probes some are taken, evenly over time. */
const MOST_PAIRS = 200_000;

export interface Interval {
  startNs: number;
  endNs: number;
}

/** Logs of probes inside of an interval. */
export function insideOf({ atNs, logs }: ProbeCourse, { startNs, endNs }: Interval): Float64Array {
  return logs.filter((_, i) => atNs[i]! >= startNs && atNs[i]! < endNs);
}

/** Logs of probes outside of it and of all other intervals in which the rank was slow. */
export function outsideOf(
  { atNs, logs }: ProbeCourse,
  { startNs, endNs }: Interval,
  slow: readonly (readonly [number, number])[],
): Float64Array {
  const all: readonly (readonly [number, number])[] = [...slow, [startNs, endNs]];
  const isNear = (at: number) =>
    all.some(([from, to]) => at >= from - BORDER * (to - from) && at < to + BORDER * (to - from));
  return logs.filter((_, i) => !isNear(atNs[i]!));
}

/**
 * Compares probes of a region's ranks with those of the same ranks at other times; where these are too few, as in a region
 * over the whole run, with those of other ranks at the same time, allowing for what equally fast cores differ by.
 *
 * @param own of each slow rank
 * @param peers of each other rank, inside of the region's interval; none where the region is only a part of the run
 * @param performance of the region
 */
export function compareProbes(
  kind: ProbeKind,
  own: readonly Stratum[],
  peers: readonly ArrayLike<number>[],
  performance: number,
): ProbeVerdict {
  const chance = LEVEL / KINDS;
  const self = thinned(own);
  const shift = shiftOf(self, chance);
  if (shift && isKnown(shift)) return verdictOf("self", self, shift, performance);
  const [others] = thinned([
    {
      inside: own.flatMap(({ inside }) => Array.from(inside)),
      outside: peers.flatMap((logs) => Array.from(logs)),
    },
  ]);
  const hasPeers = peers.filter((logs) => logs.length > 0).length > 1;
  const beside = hasPeers ? shiftOf([others!], chance) : undefined;
  if (!beside || !isKnown(beside)) return verdictOf("self", self, undefined, performance);
  const usual = REACH_OF_CORES * USUAL_DIFFERENCE[kind]!;
  const allowed = { ...beside, low: beside.low - usual, high: beside.high + usual };
  return verdictOf("others", [others!], allowed, performance);
}

function isKnown({ low, high }: Shift): boolean {
  return Number.isFinite(low) && Number.isFinite(high);
}

function thinned(strata: readonly Stratum[]): Stratum[] {
  const most = Math.max(4, Math.floor(Math.sqrt(MOST_PAIRS / Math.max(1, strata.length))));
  const some = (logs: ArrayLike<number>) => {
    const every = Math.ceil(logs.length / most);
    return Float64Array.from(logs).filter((_, i) => i % every === 0);
  };
  return strata.map(({ inside, outside }) => ({ inside: some(inside), outside: some(outside) }));
}

function middle(logs: readonly number[]): number | null {
  return logs.length > 0 ? Math.exp(quantile(logs, 0.5)) : null;
}

function verdictOf(
  against: ProbeVerdict["against"],
  strata: readonly Stratum[],
  shift: Shift | undefined,
  performance: number,
): ProbeVerdict {
  const inside = strata.flatMap((one) => Array.from(one.inside));
  const outside = strata.flatMap((one) => Array.from(one.outside));
  const slowness = -Math.log(performance);
  return {
    against,
    insideCount: inside.length,
    outsideCount: outside.length,
    inside: middle(inside),
    outside: middle(outside),
    ratio: shift ? Math.exp(shift.shift) : null,
    low: shift ? Math.exp(shift.low) : null,
    high: shift ? Math.exp(shift.high) : null,
    share: shift && slowness > 0 ? shift.shift / slowness : null,
    verdict: shift ? wordOf(shift, slowness) : "unknown",
  };
}

function wordOf({ shift, low, high }: Shift, slowness: number): ProbeVerdict["verdict"] {
  if (low > 0 && shift >= LEAST) return "slower";
  const isSure = high < Math.min(EXPLAINED * slowness, MOST);
  return isSure && shift < USUAL ? "not_slower" : "unknown";
}
