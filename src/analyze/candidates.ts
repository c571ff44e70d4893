import { type Heat, scores, sumBins } from "./heat.ts";
import { maximalSegments, type Segment } from "./segments.ts";
import type { Settings } from "./settings.ts";
import { weightedQuantile } from "./statistics.ts";

/** A stretch of bins of one rank that may be a variance region. */
export interface Candidate extends Segment {
  /** Row of the heat map. */
  rank: number;
  /** Observed above reference, ns. */
  loss: number;
  /** Share above reference that separates slow from fine inside: 40 % of its typical excess. */
  threshold: number;
}

/** A fine stretch parts two bursts if, slow, it would have cost this share of the whole, and enough by itself. */
const GAP = 0.05;

/** What a region must cost each of its ranks, ns. */
export function materialLoss(settings: Settings, wallNs: number): number {
  return Math.max(settings.minLossNs, settings.minLossShare * wallNs);
}

/**
 * Maximal scoring segments of each rank that cost enough and are slow enough.
 *
 * The scan scores against the tolerance, so that weak slow-downs are found; it may then bridge a gap between
 * two strong bursts, for which little is lost by its measure. So each segment is scanned again
 * against a share of its own typical excess, and then for fine stretches, by the same method with the opposite sign.
 */
export function findCandidates(heat: Heat, settings: Settings, wallNs: number): Candidate[] {
  const least = materialLoss(settings, wallNs);
  const found: Candidate[] = [];
  for (let rank = 0; rank < heat.ranks.length; rank++) {
    for (const segment of maximalSegments(scores(heat, rank))) {
      const whole = candidate(heat, rank, segment.from, segment.to);
      if (whole.loss < least) continue;
      // Bursts with gaps between them may be slow enough each, though all together are not.
      const parts = rescan(heat, whole).flatMap((part) => splitAtGaps(heat, part, least));
      const slow = parts.filter((part) => isMaterial(heat, part, settings, least));
      if (slow.length > 0) found.push(...slow);
      else if (isMaterial(heat, whole, settings, least)) found.push(whole);
    }
  }
  return found;
}

/** Bins [from, to) of a rank as a candidate; its score is always the one against the tolerance. */
function candidate(heat: Heat, rank: number, from: number, to: number): Candidate {
  const { loss } = sumBins(heat, rank, from, to);
  const score = scores(heat, rank)
    .subarray(from, to)
    .reduce((a, b) => a + b, 0);
  return { rank, from, to, score, loss, threshold: 0.4 * typicalExcess(heat, rank, { from, to }) };
}

function isMaterial(heat: Heat, one: Candidate, settings: Settings, least: number): boolean {
  const { observed, reference, loss } = sumBins(heat, one.rank, one.from, one.to);
  return loss >= least && reference <= settings.maxPerformance * observed;
}

/** Excess over reference that three quarters of the loss reach: a level that weak parts of a disturbance have, too. */
function typicalExcess(heat: Heat, rank: number, { from, to }: Omit<Segment, "score">): number {
  const excess: number[] = [];
  const losses: number[] = [];
  for (let i = rank * heat.bins + from; i < rank * heat.bins + to; i++) {
    const loss = heat.observed[i]! - heat.reference[i]!;
    if (loss <= 0 || heat.reference[i]! <= 0) continue;
    excess.push(loss / heat.reference[i]!);
    losses.push(loss);
  }
  return weightedQuantile(excess, losses, 0.25);
}

function rescan(heat: Heat, whole: Candidate): Candidate[] {
  return maximalSegments(against(heat, whole, 1 + whole.threshold)).map(({ from, to }) =>
    candidate(heat, whole.rank, from + whole.from, to + whole.from),
  );
}

/** What lies between gaps. */
function splitAtGaps(heat: Heat, whole: Candidate, least: number): Candidate[] {
  const inside = against(heat, whole, 1 + whole.threshold);
  const gaps = maximalSegments(inside.map((score) => -score)).filter(
    (gap) => gap.score >= Math.max(least / 2, GAP * whole.loss),
  );
  if (gaps.length === 0) return [whole];
  const starts = [0, ...gaps.map((gap) => gap.to)];
  const ends = [...gaps.map((gap) => gap.from), inside.length];
  return starts.flatMap((from, i) => {
    const to = ends[i]!;
    if (to <= from) return [];
    return [candidate(heat, whole.rank, from + whole.from, to + whole.from)];
  });
}

/** Observed above `factor` times reference, per bin of the candidate. */
function against(heat: Heat, { rank, from, to }: Candidate, factor: number): Float64Array {
  return Float64Array.from({ length: to - from }, (_, k) => {
    const i = rank * heat.bins + from + k;
    return heat.observed[i]! - factor * heat.reference[i]!;
  });
}
