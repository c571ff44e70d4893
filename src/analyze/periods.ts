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
  segments: number;
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
/** Deviations are clipped at this many typical ones; wider where their scatter is what counts. */
const CLIP = 3;
const WIDE_CLIP = 6;
/** Deviations (log) that are always ordinary. */
const LEAST_DEVIATION = 0.001;
/** Periods that every rank must have gone through. */
const LEAST_PERIODS = 8;
/**
 * A clock that ticks beside the program (timers of the operating system) loses step with it, and ticks at other times on
 * other ranks. Of what a period foretells about the next one, this share must be foretold about the other half of the run,
 * and by the other ranks; and this share on each of 80 % of the ranks.
 */
const LASTING = 0.7;
const SHARED = 0.8;
const SHARED_BY_RANK = 0.5;
const STEADY = 0.8;
/** Log likelihood that a single rank may lack by chance. */
const RANK_SLACK = 3;
/**
 * Work that is done each time scatters each time as usual. An interruption now hits the place in the period that is longer and
 * now misses it: variance there must not be this many times that of the others.
 */
const MOST_UNEVEN = 3;
/** Periods that are looked at closely: those that gain most. */
const MOST_TRIED = 5;

/**
 * The shortest period of iterations that foretells how long the work takes: learned from half of the run, tested on the
 * other, and the other way round, so that noise gains nothing.
 *
 * @returns undefined if there is none; `gain` is in log likelihood
 */
export function findPeriod(repeats: Repeats): { period: number; gain: number } | undefined {
  const { turn, segment } = repeats;
  const plain = deviations(repeats);
  const rest = clipped(plain, CLIP);
  const wide = clipped(plain, WIDE_CLIP);
  const variance = rest.reduce((sum, r) => sum + r * r, 0) / rest.length;
  if (!(variance > 0)) return undefined;
  const halves = Uint8Array.from(segment, (at) => (at < repeats.segments / 2 ? 0 : 1));
  const ranks = ranksOf(repeats);
  const longest = Math.min(
    LONGEST_PERIOD,
    Math.floor(turn.length / LEAST_FRAGMENTS),
    ...ranks.map(([from, to]) => Math.floor((turn[to - 1]! - turn[from]!) / LEAST_PERIODS)),
  );
  const gains: { period: number; gain: number }[] = [];
  for (let period = 2; period <= longest; period++) {
    const gain = gainOf(turn, rest, halves, period) / (2 * variance);
    if (gain >= LEAST_GAIN) gains.push({ period, gain });
  }
  return gains
    .toSorted((a, b) => b.gain - a.gain)
    .slice(0, MOST_TRIED)
    .map((one) => shortest(gains, one))
    .find(
      (one) => !isUneven(turn, wide, one.period) && isOwn(repeats, rest, ranks, one, 2 * variance),
    );
}

/** Of periods that divide the given one, the first that gains as much. */
function shortest(
  gains: readonly { period: number; gain: number }[],
  best: { period: number; gain: number },
): { period: number; gain: number } {
  return gains.find(
    ({ period, gain }) => best.period % period === 0 && gain >= best.gain - CLEARLY_MORE,
  )!;
}

/** Rows of each rank: from, to. */
function ranksOf({ rank, turn }: Repeats): [number, number][] {
  const ranks: [number, number][] = [];
  for (let from = 0, to = 0; from < turn.length; from = to) {
    while (to < turn.length && rank[to] === rank[from]) to++;
    ranks.push([from, to]);
  }
  return ranks;
}

/** Whether a period is the program's: it lasts, and ranks share it. `unit` is what one of log likelihood is in squares. */
function isOwn(
  { turn }: Repeats,
  rest: Float64Array,
  ranks: readonly [number, number][],
  { period, gain }: { period: number; gain: number },
  unit: number,
): boolean {
  const near = Uint8Array.from(
    { length: rest.length },
    (_, i) => Math.floor(turn[i]! / period) & 1,
  );
  const next = gainOf(turn, rest, near, period) / unit;
  if (gain < LASTING * next - CLEARLY_MORE) return false;
  if (ranks.length === 1) return true;
  const all = sumUp(turn, rest, period, 0, rest.length);
  let [shared, agreeing] = [0, 0];
  for (const [from, to] of ranks) {
    const own = sumUp(turn, rest, period, from, to);
    const others = {
      n: all.n.map((n, at) => n - own.n[at]!),
      sum: all.sum.map((sum, at) => sum - own.sum[at]!),
    };
    const byOthers = foretold(others, own) / unit;
    const byItself =
      gainOf(
        Array.prototype.slice.call(turn, from, to) as number[],
        rest.subarray(from, to),
        near.subarray(from, to),
        period,
      ) / unit;
    shared += byOthers;
    if (byOthers >= SHARED_BY_RANK * byItself - RANK_SLACK) agreeing++;
  }
  return shared >= SHARED * next - CLEARLY_MORE && agreeing >= STEADY * ranks.length;
}

/**
 * Whether the longer places of a period scatter far more than the others. So do those of which only some are longer: the period
 * divides the true one.
 */
function isUneven(turn: ArrayLike<number>, rest: Float64Array, period: number): boolean {
  const { n, sum } = sumUp(turn, rest, period, 0, rest.length);
  const means = sum.map((total, at) => (n[at]! > 0 ? total / n[at]! : 0));
  const middle =
    (means.reduce((a, b) => Math.max(a, b)) + means.reduce((a, b) => Math.min(a, b))) / 2;
  const squares = [0, 0];
  const count = [0, 0];
  for (let i = 0; i < rest.length; i++) {
    const mean = means[turn[i]! % means.length]!;
    const side = mean > middle ? 1 : 0;
    squares[side]! += (rest[i]! - mean) ** 2;
    count[side]! += 1;
  }
  const [lower, upper] = squares.map((total, side) => total / count[side]!);
  return upper! > MOST_UNEVEN * Math.max(lower!, (LEAST_DEVIATION / 2) ** 2);
}

/** Log times less the median of their neighbourhood. */
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
  return rest;
}

/** @param clip in typical deviations */
function clipped(rest: Float64Array, clip: number): Float64Array {
  const most = clip * Math.max(LEAST_DEVIATION, 1.4826 * quantile(rest.map(Math.abs), 0.5));
  return rest.map((r) => Math.max(-most, Math.min(most, r)));
}

/** Fragments and their summed deviations per place in the period. */
interface Places {
  n: Float64Array;
  sum: Float64Array;
}

/** @param wanted which rows; default all */
function sumUp(
  turn: ArrayLike<number>,
  rest: Float64Array,
  period: number,
  from: number,
  to: number,
  wanted: (i: number) => boolean = () => true,
): Places {
  const places = { n: new Float64Array(period), sum: new Float64Array(period) };
  for (let i = from; i < to; i++) {
    if (!wanted(i)) continue;
    const at = turn[i]! % period;
    places.n[at]! += 1;
    places.sum[at]! += rest[i]!;
  }
  return places;
}

/** By how much squares fall if each fold is foretold by the other. */
function gainOf(
  turn: ArrayLike<number>,
  rest: Float64Array,
  fold: Uint8Array,
  period: number,
): number {
  const [a, b] = [0, 1].map((f) => sumUp(turn, rest, period, 0, rest.length, (i) => fold[i] === f));
  return foretold(a!, b!) + foretold(b!, a!);
}

/** By how much the sum of squares of `own` falls if the means of `known` are taken out; both are centred first. */
function foretold(known: Places, own: Places): number {
  const [knownMean, ownMean] = [meanOf(known), meanOf(own)];
  let gain = 0;
  for (let at = 0; at < own.n.length; at++) {
    if (known.n[at] === 0) continue;
    const effect = known.sum[at]! / known.n[at]! - knownMean;
    gain += 2 * effect * (own.sum[at]! - own.n[at]! * ownMean) - own.n[at]! * effect * effect;
  }
  return gain;
}

function meanOf({ n, sum }: Places): number {
  let [count, total] = [0, 0];
  for (let at = 0; at < n.length; at++) [count, total] = [count + n[at]!, total + sum[at]!];
  return count > 0 ? total / count : 0;
}
