import { quantile } from "./statistics.ts";

/**
 * Executions of one snippet, rank by rank in order of time, each with the number of the iteration it belongs to.
 */
export interface Repeats {
  rank: ArrayLike<number>;
  /** Number of the iteration, counted alike on all ranks. */
  turn: ArrayLike<number>;
  /** Equal parts of the run, from 0. */
  segment: ArrayLike<number>;
  logNs: ArrayLike<number>;
}

/** Longest period, in iterations: each place in it must be 2 % of the fragments to tell (tell-apart.ts). */
export const LONGEST_PERIOD = 48;
/** Fragments that a place in the period has at least, on average over all ranks. */
const LEAST_FRAGMENTS = 20;
/**
 * Log likelihood that a period must gain on fragments it was not learned from. By chance a gain of t has a probability of
 * about e^-t; some hundred snippets, each counted in a few ways, are tested for 47 periods: 1e5 tests are 12 of this.
 */
const LEAST_GAIN = 25;
/** A multiple of a period, or another way of counting, must gain this much more. */
export const CLEARLY_MORE = 10;
/** Fragments in a row whose median is taken out: longer waves of speed are no period. */
const CHUNK = 2 * LONGEST_PERIOD;
/** Deviations are clipped at this many typical ones. */
const CLIP = 3;
/** Deviations (log) that are always ordinary. */
const LEAST_DEVIATION = 0.001;
/** Segments that are learned from, and tested, by turns: far enough apart for a clock that ticks beside the program to lose step. */
const FOLD = 3;

/**
 * The shortest period of iterations that foretells how long the work takes: learned from half of the run, tested on the
 * other, and the other way round, so that noise gains nothing.
 *
 * @returns undefined if there is none; `gain` is in log likelihood
 */
export function findPeriod(repeats: Repeats): { period: number; gain: number } | undefined {
  const n = repeats.turn.length;
  const rest = deviations(repeats);
  const fold = Uint8Array.from(repeats.segment, (segment) => Math.floor(segment / FOLD) & 1);
  const variance = rest.reduce((sum, r) => sum + r * r, 0) / n;
  if (!(variance > 0)) return undefined;
  const longest = Math.min(LONGEST_PERIOD, Math.floor(n / LEAST_FRAGMENTS));
  const gains = new Map<number, number>();
  let best: { period: number; gain: number } | undefined;
  for (let period = 2; period <= longest; period++) {
    const gain = gainOf(repeats.turn, rest, fold, period) / (2 * variance);
    gains.set(period, gain);
    if (gain > (best?.gain ?? LEAST_GAIN)) best = { period, gain };
  }
  if (!best) return undefined;
  for (const [period, gain] of gains) {
    const enough = gain >= LEAST_GAIN && gain >= best.gain - CLEARLY_MORE;
    if (enough && best.period % period === 0) return { period, gain };
  }
  return best;
}

/** Log times less the median of their neighbourhood, clipped. */
function deviations({ rank, logNs }: Repeats): Float64Array {
  const rest = new Float64Array(logNs.length);
  for (let from = 0; from < rest.length; ) {
    let end = from;
    while (end < rest.length && rank[end] === rank[from]) end++;
    const chunks = Math.max(1, Math.floor((end - from) / CHUNK));
    for (let k = 0; k < chunks; k++) {
      const [a, b] = [k, k + 1].map((i) => from + Math.round(((end - from) * i) / chunks));
      const own = Float64Array.from({ length: b! - a! }, (_, i) => logNs[a! + i]!);
      const middle = quantile(own, 0.5);
      own.forEach((log, i) => (rest[a! + i] = log - middle));
    }
    from = end;
  }
  const typical = Math.max(LEAST_DEVIATION, 1.4826 * quantile(rest.map(Math.abs), 0.5));
  return rest.map((r) => Math.max(-CLIP * typical, Math.min(CLIP * typical, r)));
}

/**
 * By how much the sum of squares falls if each fold is foretold by the other's mean per place in the period. Both folds are
 * centred on their own mean first.
 */
function gainOf(
  turn: ArrayLike<number>,
  rest: Float64Array,
  fold: Uint8Array,
  period: number,
): number {
  const n = new Float64Array(2 * period);
  const sum = new Float64Array(2 * period);
  for (let i = 0; i < rest.length; i++) {
    const at = 2 * (turn[i]! % period) + fold[i]!;
    n[at]! += 1;
    sum[at]! += rest[i]!;
  }
  const mean = [0, 1].map((f) => {
    let [count, total] = [0, 0];
    for (let at = f; at < n.length; at += 2) [count, total] = [count + n[at]!, total + sum[at]!];
    return count > 0 ? total / count : 0;
  });
  let gain = 0;
  for (let at = 0; at < n.length; at++) {
    const other = at ^ 1;
    if (n[at] === 0 || n[other] === 0) continue;
    const foretold = sum[other]! / n[other]! - mean[other & 1]!;
    const own = sum[at]! - n[at]! * mean[at & 1]!;
    gain += 2 * foretold * own - n[at]! * foretold * foretold;
  }
  return gain;
}
