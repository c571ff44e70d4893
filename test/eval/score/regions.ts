import { area, intersectionOverUnion, type Part, type Region, sharedArea } from "./region.ts";

/** A found region is that of the truth if they have the kind and this share of their joint rank-time in common. */
export const SAME = 0.5;

export interface RegionScore {
  found: number;
  true: number;
  matched: number;
  /** Rank-ns found, true, and both. */
  foundNs: number;
  trueNs: number;
  sharedNs: number;
  /** Best intersection over union with a found region, per true one. */
  overlaps: number[];
  /** Found / true loss - 1, per match. */
  errors: number[];
  /** Matches with an interval of the loss, and how many of these hold the truth. */
  intervals: number;
  covered: number;
}

/** Scores what was found in one run; pairs are made by largest overlap first, each region in one. */
export function scoreRegions(truth: readonly Region[], found: readonly Region[]): RegionScore {
  const score: RegionScore = { ...NO_REGIONS, overlaps: [], errors: [] };
  score.found = found.length;
  score.true = truth.length;
  for (const kind of new Set([...truth, ...found].map((one) => one.kind))) {
    const parts = (all: readonly Region[]): Part[] =>
      all.filter((one) => one.kind === kind).flatMap((one) => one.parts);
    score.foundNs += area(parts(found));
    score.trueNs += area(parts(truth));
    score.sharedNs += sharedArea(parts(truth), parts(found));
  }
  score.overlaps = truth.map((one) => Math.max(0, ...found.map((other) => overlap(one, other))));
  const pairs = truth
    .flatMap((one) => found.map((other) => ({ one, other, share: overlap(one, other) })))
    .filter(({ share }) => share >= SAME)
    .toSorted((a, b) => b.share - a.share);
  const used = new Set<Region>();
  for (const { one, other } of pairs) {
    if (used.has(one) || used.has(other)) continue;
    used.add(one).add(other);
    addMatch(score, one, other);
  }
  return score;
}

function overlap(a: Region, b: Region): number {
  return a.kind === b.kind ? intersectionOverUnion(a.parts, b.parts) : 0;
}

function addMatch(score: RegionScore, truth: Region, found: Region): void {
  score.matched++;
  score.errors.push(found.lostNs / truth.lostNs - 1);
  if (!found.interval) return;
  score.intervals++;
  const [low, high] = found.interval;
  if (low <= truth.lostNs && truth.lostNs <= high) score.covered++;
}

const NO_REGIONS: RegionScore = {
  found: 0,
  true: 0,
  matched: 0,
  foundNs: 0,
  trueNs: 0,
  sharedNs: 0,
  overlaps: [],
  errors: [],
  intervals: 0,
  covered: 0,
};

/** All runs together. */
export function sumScores(scores: readonly RegionScore[]): RegionScore {
  const sum = { ...NO_REGIONS };
  for (const one of scores) {
    for (const key of ["found", "true", "matched", "foundNs", "trueNs", "sharedNs"] as const) {
      sum[key] += one[key];
    }
    sum.intervals += one.intervals;
    sum.covered += one.covered;
    sum.overlaps = [...sum.overlaps, ...one.overlaps];
    sum.errors = [...sum.errors, ...one.errors];
  }
  return sum;
}
