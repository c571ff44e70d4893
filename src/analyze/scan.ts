import { quantile } from "./statistics.ts";

/**
 * Multi-scale scan for stretches of time in which a rank's work was a little slower than it is else, with a
 * stated chance of finding one by accident.
 *
 * Every bin holds the sum of its fragments' deviations from their usual time, each weighted by its precision, so that
 * without a disturbance deviation / sqrt(weight) is about standard normal. Windows of all lengths are compared on one scale
 * after a penalty for how many windows of that length there are (Duembgen & Spokoiny, Ann. Statist. 29, 2001).
 */

/** Rows of equal length, one per rank: bins in order of time. */
export interface Deviations {
  rows: number;
  bins: number;
  /** Sum of log(time / usual time) / spread^2 over the fragments of a bin. */
  deviation: Float64Array;
  /** Sum of 1 / spread^2; 0 for a bin without fragments. */
  weight: Float64Array;
  /** Log2 of fragments per bin. */
  octaves: number;
}

/** A window of bins [from, to) of one row that is slower than chance explains. */
export interface Slow {
  row: number;
  from: number;
  to: number;
  /** Mean log slow-down inside. */
  shift: number;
  /** Deviation in standard errors less the penalty of its length. */
  score: number;
  /** Chance that an undisturbed run has a window that scores as much. */
  chance: number;
}

/** Windows start at multiples of a quarter of their length and are 1, 1.25, 1.5 and 1.75 times a power of two long. */
const STEPS_PER_OCTAVE = 4;
/** Blocks that a scale must have so that its noise is measured and not carried on from the scale below. */
const ENOUGH_BLOCKS = 16;
/** Standard error of a variance by quartiles, relative, times the root of the number of values. */
const ERROR = 2.33;
/** Quartiles of the standard normal are this far from the middle. */
const NORMAL_QUARTILE = 0.6745;

/**
 * Score that an undisturbed run reaches with a given chance: of 2,000 runs of standard normal bins for each of 1 to 64 rows
 * of 32 to 8,192 bins, 10 % reached 0.34 to 0.59 and 1 % reached 0.92 to 1.28.
 */
const TENTH = 0.6;
const DECAY = 3.3;

/**
 * Noise that is larger than that of independent fragments is itself uncertain: chances are so many times larger per
 * unit of its factor above 1. Set by simulated runs whose ranks' speeds wander by 3 %.
 */
const UNSURE = 30;

/** Chance that an undisturbed run has a window that scores as much where `noise` is the factor on its variance. */
export function chanceOf(score: number, noise: number): number {
  return Math.min(1, 0.1 * Math.exp(-DECAY * (score - TENTH)) * (1 + UNSURE * (noise - 1)));
}

/**
 * Windows of each row that are slow with a chance of at most `chance`, best first, none overlapping another of its row,
 * at most `most` of a row.
 */
export function scanForSlow(data: Deviations, chance: number, most: number): Slow[] {
  const noise = mirrored(data, noiseOfScales(data));
  const found: Slow[] = [];
  for (let row = 0; row < data.rows; row++) {
    const pending: [number, number][] = [[0, data.bins]];
    let left = most;
    for (let part = pending.pop(); part && left > 0; part = pending.pop()) {
      const best = bestWindow(data, row, part[0], part[1], noise);
      if (!best || best.chance > chance) continue;
      found.push(best);
      left--;
      pending.push([part[0], best.from], [best.to, part[1]]);
    }
  }
  return found.toSorted(
    (a, b) => a.chance - b.chance || b.score - a.score || a.row - b.row || a.from - b.from,
  );
}

/**
 * Noise made larger until the fastest window of the run is no surprise either. Disturbances only slow down: what
 * is *faster* than usual beyond chance tells of noise that the scales do not show, such as a few long waves.
 */
function mirrored(data: Deviations, noise: Float64Array): Float64Array {
  const mirror = { ...data, deviation: data.deviation.map((sum) => -sum) };
  let factor = 1;
  for (let row = 0; row < data.rows; row++) {
    const best = bestWindow(mirror, row, 0, data.bins, noise);
    if (!best || best.score <= TENTH) continue;
    const penalty = penaltyOf(data.rows * data.bins, best.to - best.from);
    factor = Math.max(factor, ((best.score + penalty) / (TENTH + penalty)) ** 2);
  }
  return noise.map((value) => value * factor);
}

/**
 * Noise of sums over 1, 2, 4, ... bins, as a factor on the variance that independent fragments have. Noise that
 * lasts makes it grow with the scale.
 */
export function noiseOfScales(data: Deviations): Float64Array {
  const scales = Math.max(1, Math.floor(Math.log2(Math.max(1, data.bins))));
  const factors = new Float64Array(scales);
  for (let scale = 0; scale < scales; scale++) {
    const { values, steps } = blockSums(data, 2 ** scale);
    const below = factors[scale - 1] ?? 1;
    if (values.length < ENOUGH_BLOCKS) {
      factors[scale] = carriedOn(factors, scale, data.octaves);
      continue;
    }
    const measured = varianceOf(values, steps) / (1 + ERROR / Math.sqrt(values.length));
    factors[scale] = Math.max(1, below, measured);
  }
  return factors;
}

/** Standardised sums over blocks of `length` bins; and differences of neighbours, by sqrt(2). */
function blockSums({ rows, bins, deviation, weight }: Deviations, length: number) {
  const values: number[] = [];
  const steps: number[] = [];
  for (let row = 0; row < rows; row++) {
    let before: number | undefined;
    for (let from = 0; from + length <= bins; from += length) {
      let sum = 0;
      let total = 0;
      for (let i = row * bins + from; i < row * bins + from + length; i++) {
        sum += deviation[i]!;
        total += weight[i]!;
      }
      if (total <= 0) continue;
      const value = sum / Math.sqrt(total);
      values.push(value);
      if (before !== undefined) steps.push((value - before) / Math.SQRT2);
      before = value;
    }
  }
  return { values, steps };
}

/**
 * Variance of block sums, which a disturbance of up to half of the blocks does not reach. Disturbances only lengthen, so the
 * lower half of the values is clean; where noise is skewed, the upper half counts too, but no more than
 * steps between neighbours do, to which a disturbance adds at its borders alone.
 */
function varianceOf(values: readonly number[], steps: readonly number[]): number {
  const middle = quantile(values, 0.5);
  const lower = (middle - quantile(values, 0.25)) / NORMAL_QUARTILE;
  const upper = (quantile(values, 0.75) - middle) / NORMAL_QUARTILE;
  const step =
    steps.length > 1
      ? (quantile(steps, 0.75) - quantile(steps, 0.25)) / (2 * NORMAL_QUARTILE)
      : upper;
  const both = (lower + upper) / 2;
  return Math.max(lower, Math.min(both, step)) ** 2;
}

/**
 * Noise that lasts grows with the scale. What cannot be measured is taken to grow on as it did over the last two
 * octaves, or from single fragments on, whose factor is 1; at most in proportion.
 */
function carriedOn(factors: Float64Array, scale: number, octaves: number): number {
  const last = factors[scale - 1] ?? 1;
  const growth =
    scale >= 3
      ? Math.sqrt(last / factors[scale - 3]!)
      : last ** (1 / Math.max(1, octaves + scale - 1));
  return last * Math.min(2, growth);
}

function bestWindow(
  { rows, bins, deviation, weight, octaves }: Deviations,
  row: number,
  from: number,
  to: number,
  noise: Float64Array,
): Slow | undefined {
  const length = to - from;
  const sums = new Float64Array(length + 1);
  const weights = new Float64Array(length + 1);
  for (let i = 0; i < length; i++) {
    sums[i + 1] = sums[i]! + deviation[row * bins + from + i]!;
    weights[i + 1] = weights[i]! + weight[row * bins + from + i]!;
  }
  let best: Slow | undefined;
  for (let scale = 0; scale < noise.length; scale++) {
    for (let quarter = 0; quarter < STEPS_PER_OCTAVE; quarter++) {
      const size = 2 ** scale * (1 + quarter / STEPS_PER_OCTAVE);
      if (!Number.isInteger(size) || size > length) continue;
      const penalty = penaltyOf(rows * bins, size);
      const step = Math.max(1, size >> 2);
      const factor = noiseBetween(noise, scale, quarter / STEPS_PER_OCTAVE, octaves);
      for (let start = 0; start + size <= length; start += step) {
        const total = weights[start + size]! - weights[start]!;
        if (total <= 0) continue;
        const sum = sums[start + size]! - sums[start]!;
        const score = sum / Math.sqrt(total * factor) - penalty;
        if (!best || score > best.score) {
          const window = { row, from: from + start, to: from + start + size };
          best = { ...window, shift: sum / total, score, chance: chanceOf(score, factor) };
        }
      }
    }
  }
  return best;
}

/** Noise at 2^(scale + share) bins, interpolated in logs. */
function noiseBetween(noise: Float64Array, scale: number, share: number, octaves: number): number {
  const here = noise[scale]!;
  const next = noise[scale + 1] ?? carriedOn(noise, noise.length, octaves);
  return here * (next / here) ** share;
}

/** Among `all` bins there are about all / size independent windows of a size. */
function penaltyOf(all: number, size: number): number {
  return Math.sqrt(2 * Math.log((Math.E * all) / size));
}
