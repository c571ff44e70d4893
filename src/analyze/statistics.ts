/** A seeded generator of uniform numbers in [0, 1): mulberry32, public domain, by T. Ettinger. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Positions of `values` in ascending order; equal values keep their order. */
export function ascending(values: ArrayLike<number>): number[] {
  return Array.from({ length: values.length }, (_, i) => i).toSorted(
    (a, b) => values[a]! - values[b]! || a - b,
  );
}

/**
 * Smallest value at which the weight of all values up to it reaches share `q` of the whole. NaN if there
 * is no weight.
 */
export function weightedQuantile(
  values: ArrayLike<number>,
  weights: ArrayLike<number>,
  q: number,
): number {
  let total = 0;
  for (let i = 0; i < weights.length; i++) total += weights[i]!;
  let reached = 0;
  let last = Number.NaN;
  for (const i of ascending(values)) {
    if (weights[i]! <= 0) continue;
    last = values[i]!;
    reached += weights[i]!;
    if (reached >= q * total) return last;
  }
  return last;
}

/** Quantile of unweighted values by linear interpolation (Hyndman & Fan 1996, type 7). NaN if empty. */
export function quantile(values: ArrayLike<number>, q: number): number {
  const sorted = Float64Array.from(values).toSorted();
  if (sorted.length === 0) return Number.NaN;
  const at = q * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low]! + (at - low) * (sorted[high]! - sorted[low]!);
}

/**
 * Centre of the lowest bulk of `values`: from the weighted quantile `start`, the mean of all within
 * +-`window` of the current centre, until it rests. This is mean shift with a flat kernel (Fukunaga & Hostetler 1975);
 * unlike a minimum or a low quantile it sits in the middle of the bulk however many values there are.
 */
export function lowerBulk(
  values: ArrayLike<number>,
  weights: ArrayLike<number>,
  window: number,
  start = 0.25,
): number {
  let centre = weightedQuantile(values, weights, start);
  for (let round = 0; round < 30; round++) {
    let sum = 0;
    let weight = 0;
    for (let i = 0; i < values.length; i++) {
      if (weights[i]! <= 0 || Math.abs(values[i]! - centre) > window) continue;
      sum += values[i]! * weights[i]!;
      weight += weights[i]!;
    }
    if (weight === 0) return centre;
    const next = sum / weight;
    if (Math.abs(next - centre) < 1e-6) return next;
    centre = next;
  }
  return centre;
}

/** Median over a sliding window of `width` (odd) values; shorter at the ends. */
export function medianFilter(values: ArrayLike<number>, width: number): Float64Array {
  const half = width >> 1;
  const out = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const from = Math.max(0, i - half);
    const window = Array.from(
      { length: Math.min(values.length, i + half + 1) - from },
      (_, k) => values[from + k]!,
    );
    out[i] = quantile(window, 0.5);
  }
  return out;
}

/** A stretch [from, to) of a series around one level. */
export interface Level {
  from: number;
  to: number;
  mean: number;
}

/** Levels that a series goes through: a new one starts where it leaves the running mean by `step`. */
export function levels(values: ArrayLike<number>, step: number): Level[] {
  const out: Level[] = [];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    const last = out.at(-1);
    if (!last || Math.abs(value - last.mean) > step) {
      out.push({ from: i, to: i + 1, mean: value });
    } else {
      last.to = i + 1;
      last.mean += (value - last.mean) / (last.to - last.from);
    }
  }
  return out;
}
