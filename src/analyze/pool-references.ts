import { ascending } from "./statistics.ts";

/** References of the ranks of one class, ns, with 95 % intervals. */
export interface Pooled {
  reference: Float64Array;
  low: Float64Array;
  high: Float64Array;
  /** Mean over ranks, weighted by fragments, with its interval. */
  mean: { reference: number; low: number; high: number };
}

/** Errors (log) are never below this: clocks and the 2 % bins of durations. */
const LEAST_ERROR = 1e-4;

/** Undisturbed block means of one rank, ns, with the fragments in each. */
export interface QuietBlocks {
  means: number[];
  weights: number[];
}

/**
 * Ranks that do the same equally fast share a reference; those that do not keep their own. Each log reference is drawn
 * towards the mean of all by as much as its own error exceeds what ranks truly differ by (empirical Bayes: Efron &
 * Morris, JASA 70, 1975; variance between ranks by moments: DerSimonian & Laird, Control. Clin. Trials 7, 1986).
 *
 * @param own   reference per rank from its own blocks alone; NaN of a rank that has no fragments, which stays so
 * @param quiet what that came from
 */
export function poolReferences(own: Float64Array, quiet: readonly QuietBlocks[]): Pooled {
  const there = Array.from(own.keys()).filter((r) => !Number.isNaN(own[r]!));
  const pooled = poolKnown(
    Float64Array.from(there, (r) => own[r]!),
    there.map((r) => quiet[r]!),
  );
  const spreadOut = (values: Float64Array): Float64Array => {
    const all = new Float64Array(own.length).fill(Number.NaN);
    for (const [i, r] of there.entries()) all[r] = values[i]!;
    return all;
  };
  return {
    reference: spreadOut(pooled.reference),
    low: spreadOut(pooled.low),
    high: spreadOut(pooled.high),
    mean: pooled.mean,
  };
}

function poolKnown(own: Float64Array, quiet: readonly QuietBlocks[]): Pooled {
  const { variance: perFragment, degrees } = fragmentVariance(own, quiet);
  const t = studentQuantile(degrees);
  const fragments = quiet.map(({ weights }) =>
    Math.max(
      1,
      weights.reduce((a, b) => a + b, 0),
    ),
  );
  const errors = fragments.map((n) => Math.max(LEAST_ERROR ** 2, perFragment / n));
  const logs = Array.from(own, (value) => Math.log(Math.max(value, 1)));
  const between = betweenVariance(logs, errors);
  const precision = errors.map((error) => 1 / (error + between));
  const total = precision.reduce((a, b) => a + b, 0);
  const centre = logs.reduce((sum, log, r) => sum + log * precision[r]!, 0) / total;
  const reference = new Float64Array(own.length);
  const low = new Float64Array(own.length);
  const high = new Float64Array(own.length);
  let sum = 0;
  let weight = 0;
  for (const [r, log] of logs.entries()) {
    const share = own.length > 1 ? between / (between + errors[r]!) : 1;
    const pooled = centre + share * (log - centre);
    const error = Math.sqrt(share * errors[r]! + (1 - share) ** 2 / total);
    const value = Math.exp(pooled);
    reference[r] = value;
    low[r] = Math.exp(pooled - t * error);
    high[r] = Math.exp(pooled + t * error);
    sum += fragments[r]! * value;
    weight += fragments[r]!;
  }
  const mean = sum / weight;
  const error = Math.sqrt(Math.max(LEAST_ERROR ** 2, perFragment / weight));
  return {
    reference,
    low,
    high,
    mean: { reference: mean, low: mean * Math.exp(-t * error), high: mean * Math.exp(t * error) },
  };
}

/** Relative variance of a fragment, from how block means scatter around their rank's reference. */
function fragmentVariance(
  own: Float64Array,
  quiet: readonly QuietBlocks[],
): { variance: number; degrees: number } {
  let squares = 0;
  let degrees = 0;
  for (const [r, { means, weights }] of quiet.entries()) {
    for (const [i, mean] of means.entries())
      squares += weights[i]! * (mean / Math.max(own[r]!, 1) - 1) ** 2;
    degrees += Math.max(0, means.length - 1);
  }
  return { variance: degrees > 0 ? squares / degrees : 0, degrees };
}

/** Student's t for 95 % intervals, by the first terms of its expansion around the normal quantile (within 4 % from 3 degrees on). */
function studentQuantile(degrees: number): number {
  const d = Math.max(1, degrees);
  return 1.96 + 2.37 / d + 2.82 / d ** 2;
}

/** Variance of the ranks' true log references. */
function betweenVariance(logs: readonly number[], errors: readonly number[]): number {
  const weights = errors.map((error) => 1 / error);
  const total = weights.reduce((a, b) => a + b, 0);
  const mean = logs.reduce((sum, log, r) => sum + log * weights[r]!, 0) / total;
  const q = logs.reduce((sum, log, r) => sum + weights[r]! * (log - mean) ** 2, 0);
  const squares = weights.reduce((sum, w) => sum + w * w, 0);
  const scale = total - squares / total;
  return scale > 0 ? Math.max(0, (q - (logs.length - 1)) / scale) : 0;
}

/** Median of the others of each value; NaN where there are none, and of what is NaN itself. */
export function peersOf(values: Float64Array): Float64Array {
  const known = Array.from(values.keys()).filter((i) => !Number.isNaN(values[i]!));
  const sorted = ascending(known.map((i) => values[i]!)).map((at) => known[at]!);
  const n = sorted.length;
  const out = new Float64Array(values.length).fill(Number.NaN);
  if (n < 2) return out;
  for (const [at, i] of sorted.entries()) {
    const other = (k: number): number => values[sorted[k < at ? k : k + 1]!]!;
    out[i] = (other(Math.floor((n - 2) / 2)) + other(Math.ceil((n - 2) / 2))) / 2;
  }
  return out;
}
