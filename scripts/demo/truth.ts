import { readFileSync } from "node:fs";

/** A truth file as injectors write it, as far as it is used here; see workloads/injectors/README.md. */
export interface Truth {
  schema: "varscope.truth/1";
  target: { host: string; core: number };
  complete: boolean;
  intervals: { startRealtime: string; endRealtime: string; cpuSeconds: number }[];
}

/** Seconds, from < to. */
export interface Interval {
  from: number;
  to: number;
}

export function readTruth(path: string): Truth {
  const truth = JSON.parse(readFileSync(path, "utf8")) as Truth;
  if (truth.schema !== "varscope.truth/1") throw new Error(`${path} is not a varscope truth file`);
  return truth;
}

/** The intervals of a truth on the clock of a report, whose time 0 is `startedAt` (ISO 8601). */
export function truthIntervals(truth: Truth, startedAt: string): Interval[] {
  const zero = epochSeconds(startedAt);
  return truth.intervals.map(({ startRealtime, endRealtime }) => ({
    from: epochSeconds(startRealtime) - zero,
    to: epochSeconds(endRealtime) - zero,
  }));
}

/** Date itself drops what is below a millisecond. */
function epochSeconds(iso: string): number {
  const fraction = /\.(\d+)Z$/.exec(iso)?.[1] ?? "0";
  return Date.parse(iso.replace(/\.\d+Z$/, "Z")) / 1000 + Number(`0.${fraction}`);
}

/** What of the intervals lies within the first `seconds` of the run: only that can be reported. */
export function duringRun(intervals: readonly Interval[], seconds: number): Interval[] {
  return intervals
    .map(({ from, to }) => ({ from: Math.max(from, 0), to: Math.min(to, seconds) }))
    .filter(({ from, to }) => from < to);
}

/**
 * Overlap of two sets of intervals: the length both cover over the length either covers (Jaccard
 * index). 1 for equal sets, 0 for disjoint ones; 1 if both are empty.
 */
export function intersectionOverUnion(left: Interval[], right: Interval[]): number {
  const either = coveredLength([...left, ...right]);
  if (either === 0) return 1;
  // |A and B| = |A| + |B| - |A or B|
  return (coveredLength(left) + coveredLength(right) - either) / either;
}

/** Length covered by at least one of the intervals. */
function coveredLength(intervals: Interval[]): number {
  let length = 0;
  let end = -Infinity;
  for (const { from, to } of intervals.toSorted((a, b) => a.from - b.from)) {
    if (to > end) length += to - Math.max(from, end);
    end = Math.max(end, to);
  }
  return length;
}
