import { countsByBlock, type KeyCells } from "./key-cells.ts";
import { BINS_PER_E } from "./settings.ts";

/** The deepest density between two modes, as a share of the lower peak. */
const VALLEY = 0.35;
/** Share of a mode's fragments that must lie within +-NEAR bins (12 %) of its peak. */
const COMPACT = 0.6;
const NEAR = 6;
/**
 * A mode of less than this share of the fragments must have this share of its time near its peak, too: the system's own
 * interruptions, equally long on all ranks, make a small peak, behind which longer ones would hide.
 */
const RARE = 0.02;
const COMPACT_TIME = 0.5;
/** Standard deviations of a count by which a valley must be lower than its peaks; smoothed counts scatter less. */
const SIGMA = 3;
const SIGMA_UNSMOOTHED = 4.5;
/** Bin of 500 ns. */
const SHORT = Math.floor(Math.log(500) * BINS_PER_E);
/** Bin of 100 ns: of what is shorter, the clock's own ticks (4 to 8 ns) make modes. */
const SHORTEST = Math.floor(Math.log(100) * BINS_PER_E);
/** A mode needs this many fragments and this share of the key. */
const MIN_MODE = 10;
const MIN_MODE_SHARE = 0.005;

/**
 * Bins at which a key's time distribution is cut into separate works, ascending; empty for one work.
 *
 * Two works at one place (every tenth step also writes) show as two peaks that are mixed throughout the run
 * on every rank alike. A disturbance shows as a second peak too, but in one stretch of time or on some
 * ranks; it must not become a work of its own, so a cut that is not evenly mixed is dropped.
 */
export function findCuts(cells: KeyCells): number[] {
  const total = cells.n.reduce((a, b) => a + b, 0);
  // Works 10 % apart are 5 bins: a wide kernel would fill the valley between them.
  for (const half of [0, 1, 2, 4]) {
    const cuts = cutsAt(cells, half);
    if (cuts.length > 0) return cuts;
    if (total >= (half < 1 ? Infinity : half < 2 ? 2000 : 200)) break;
  }
  return [];
}

/** @param half half-width of the kernel that smooths the histogram, bins */
function cutsAt(cells: KeyCells, half: number): number[] {
  const { low, counts } = histogram(cells);
  if (low + counts.length <= SHORTEST) return [];
  // Of short times not every bin holds a whole number of nanoseconds.
  if (half === 0 && low < SHORT) return [];
  const density = smooth(counts, half);
  let peaks = deepPeaks(density, half === 0 ? SIGMA_UNSMOOTHED : SIGMA);
  let cuts = valleys(density, peaks);
  for (let weakest = weakestMode(counts, peaks, cuts); weakest >= 0; ) {
    peaks = peaks.filter((_, i) => i !== weakest);
    cuts = valleys(density, peaks);
    weakest = weakestMode(counts, peaks, cuts);
  }
  return cuts.map((cut) => cut + low).filter((cut) => evenlyMixed(cells, cut));
}

function histogram(cells: KeyCells): { low: number; counts: Float64Array } {
  const low = cells.bin.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const high = cells.bin.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const counts = new Float64Array(high - low + 1);
  for (let i = 0; i < cells.n.length; i++) counts[cells.bin[i]! - low]! += cells.n[i]!;
  return { low, counts };
}

/** Triangular kernel. */
function smooth(counts: Float64Array, half: number): Float64Array {
  const out = new Float64Array(counts.length);
  for (let i = 0; i < counts.length; i++) {
    for (let k = -half; k <= half; k++) {
      out[i]! += ((counts[i + k] ?? 0) * (half + 1 - Math.abs(k))) / (half + 1) ** 2;
    }
  }
  return out;
}

/** Local maxima whose valleys are deep, and too deep for chance (`sigma` standard deviations of a count). */
function deepPeaks(density: Float64Array, sigma: number): number[] {
  const peaks: number[] = [];
  for (let i = 0; i < density.length; i++) {
    if (density[i]! > (density[i - 1] ?? 0) && density[i]! >= (density[i + 1] ?? 0)) peaks.push(i);
  }
  while (peaks.length > 1) {
    let shallow = -1;
    let worst = 0;
    for (let i = 0; i + 1 < peaks.length; i++) {
      const lower = Math.min(density[peaks[i]!]!, density[peaks[i + 1]!]!);
      const valley = density[valleyBetween(density, peaks[i]!, peaks[i + 1]!)]!;
      const depth = lower - valley < sigma * Math.sqrt(lower) ? 1 : valley / lower;
      if (depth > VALLEY && depth > worst) {
        worst = depth;
        shallow = i;
      }
    }
    if (shallow < 0) break;
    const [a, b] = [peaks[shallow]!, peaks[shallow + 1]!];
    peaks.splice(density[a]! < density[b]! ? shallow : shallow + 1, 1);
  }
  return peaks;
}

/** Middle of the deepest stretch between two peaks. */
function valleyBetween(density: Float64Array, a: number, b: number): number {
  let first = a + 1;
  let last = first;
  for (let i = a + 1; i < b; i++) {
    if (density[i]! < density[first]!) first = last = i;
    else if (density[i] === density[first]) last = i;
  }
  return (first + last + 1) >> 1;
}

function valleys(density: Float64Array, peaks: number[]): number[] {
  return peaks.slice(1).map((peak, i) => valleyBetween(density, peaks[i]!, peak));
}

/** The smallest mode that is too small or too wide to be a work of its own, or -1. */
function weakestMode(counts: Float64Array, peaks: number[], cuts: number[]): number {
  if (peaks.length < 2) return -1;
  const total = counts.reduce((a, b) => a + b, 0);
  let weakest = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < peaks.length; i++) {
    const from = i === 0 ? 0 : cuts[i - 1]!;
    const to = cuts[i] ?? counts.length;
    const mass = sum(counts, from, to);
    const near = sum(counts, Math.max(from, peaks[i]! - NEAR), Math.min(to, peaks[i]! + NEAR + 1));
    const weak =
      mass < Math.max(MIN_MODE, MIN_MODE_SHARE * total) ||
      near < COMPACT * mass ||
      (mass < RARE * total && shareOfTime(counts, peaks[i]!, from, to) < COMPACT_TIME);
    if (weak && mass < least) {
      least = mass;
      weakest = i;
    }
  }
  return weakest;
}

/** Share of a mode's time, not of its fragments, that lies near its peak. */
function shareOfTime(counts: Float64Array, peak: number, from: number, to: number): number {
  let [near, all] = [0, 0];
  for (let i = from; i < to; i++) {
    const time = counts[i]! * Math.exp((i - peak) / BINS_PER_E);
    all += time;
    if (Math.abs(i - peak) <= NEAR) near += time;
  }
  return near / all;
}

function sum(values: Float64Array, from: number, to: number): number {
  return values.subarray(from, to).reduce((a, b) => a + b, 0);
}

/** Counts of a rank above a cut vary as much as random mixing makes them, times this at most. */
const UNEVEN = 2.5;
/** Expected fragments of the rarer work from which on a rank is looked at alone; below, all such ranks together. */
const ALONE = 4;
/** Fragments of a rank per stretch of time that is looked at: of single ones nothing can be told. */
const PER_STRETCH = 6;

/**
 * Whether fragments above and below the cut are mixed alike on all ranks (within a factor of two, or chance; ranks
 * with few: variance of their counts no larger than 2.5 times that of random mixing, and chance) and
 * throughout time (the same of the counts per stretch of time, or their share steady within 35 %).
 */
function evenlyMixed(cells: KeyCells, cut: number): boolean {
  const above = countsByBlock(cells, (bin) => bin >= cut);
  const all = countsByBlock(cells, () => true);
  const total = all.reduce((a, b) => a + b, 0);
  const share = above.reduce((a, b) => a + b, 0) / total;
  const minor = Math.min(share, 1 - share);
  const few = { deviation: 0, random: 0, ranks: 0 };
  let deviation = 0;
  let random = 0;
  let squares = 0;
  for (let r = 0; r < cells.ranks.length; r++) {
    const from = r * cells.blocks;
    const to = from + cells.blocks;
    const n = sum(all, from, to);
    const p = sum(above, from, to) / n;
    const own = share <= 0.5 ? p : 1 - p;
    const chance = 3 * Math.sqrt((minor * (1 - minor)) / n);
    const unlike = own < minor / 2 || own > minor * 2;
    if (n * minor >= ALONE && unlike && Math.abs(own - minor) > chance) return false;
    if (n > 0 && n * minor < ALONE) {
      few.deviation += (n * (own - minor)) ** 2;
      few.random += n * minor * (1 - minor);
      few.ranks++;
    }
    const step = Math.ceil(cells.blocks / Math.max(1, Math.floor(n / PER_STRETCH)));
    for (let t = from; t < to; t += step) {
      const [inside, here] = [
        sum(all, t, Math.min(t + step, to)),
        sum(above, t, Math.min(t + step, to)),
      ];
      deviation += (here - inside * p) ** 2;
      random += inside * p * (1 - p);
      squares += (inside * Math.min(p, 1 - p)) ** 2;
    }
  }
  if (few.deviation > UNEVEN * few.random * (1 + 3 / Math.sqrt(few.ranks))) return false;
  return deviation <= UNEVEN * random || deviation - random <= 0.35 ** 2 * squares;
}
