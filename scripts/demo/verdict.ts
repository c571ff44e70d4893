import type { Report } from "../../src/report/model.ts";
import { type Interval, intersectionOverUnion } from "./truth.ts";

/** Less overlap than this and the report has not found the disturbance. */
export const REQUIRED_OVERLAP = 0.7;

export interface Verdict {
  passed: boolean;
  /** Ranks that the report calls slow. */
  slowRanks: number[];
  /** When it says that the disturbed rank was slow. */
  reported: Interval[];
  overlap: number;
  /** One sentence. */
  words: string;
}

/** Holds a report against what was done to one rank; `undefined` if nothing was done to any. */
export function judge(
  report: Pick<Report, "regions">,
  disturbance: { rank: number; intervals: Interval[] } | undefined,
): Verdict {
  const slowRanks = [...new Set(report.regions.flatMap(({ culprits }) => culprits))].toSorted(
    (a, b) => a - b,
  );
  if (!disturbance) return judgeUndisturbed(report.regions.length, slowRanks);

  const { rank, intervals } = disturbance;
  const reported = report.regions
    .filter(({ culprits }) => culprits.includes(rank))
    .map(({ startSeconds, endSeconds }) => ({ from: startSeconds, to: endSeconds }));
  const overlap = intersectionOverUnion(reported, intervals);
  const others = slowRanks.filter((other) => other !== rank);
  const problems = [
    reported.length === 0 ? `rank ${rank} was disturbed but is not named as slow` : "",
    others.length > 0 ? `undisturbed ranks are named as slow: ${others.join(", ")}` : "",
    reported.length > 0 && overlap < REQUIRED_OVERLAP
      ? `the intervals overlap too little: ${overlap.toFixed(2)} < ${REQUIRED_OVERLAP}`
      : "",
  ].filter((problem) => problem !== "");
  const passed = problems.length === 0;
  const words = passed
    ? `the report names rank ${rank} and no other, and overlaps the truth by ${overlap.toFixed(2)}`
    : problems.join("; ");
  return { passed, slowRanks, reported, overlap, words };
}

function judgeUndisturbed(regions: number, slowRanks: number[]): Verdict {
  const passed = regions === 0;
  const words = passed
    ? "nothing was disturbed, and the report shows no region"
    : `nothing was disturbed, but the report shows ${regions} region(s)`;
  return { passed, slowRanks, reported: [], overlap: passed ? 1 : 0, words };
}
