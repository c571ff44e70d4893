import { type BlockMeans } from "./block-means.ts";
import { othersQuantile } from "./peers.ts";
import { type Pooled, poolReferences, type QuietBlocks } from "./pool-references.ts";
import type { Settings } from "./settings.ts";
import { levels, lowerBulk, medianFilter, quantile, weightedQuantile } from "./statistics.ts";

/** What the durations of one class say: log level of each rank, common course over time, and how much varies. */
export interface Fit {
  /** Undisturbed log level per rank, from capped means. */
  level: Float64Array;
  /** Log of what all ranks have in common in each block, above 0. */
  common: Float64Array;
  /** Log by which a rank is above that throughout a common phase; by rank, then block. */
  own: Float64Array;
  /** Mean undisturbed time per rank, ns: what its fragments are judged by. */
  reference: Float64Array;
  /** The same with 95 % intervals, and of the class as a whole. */
  pooled: Pooled;
  varying: boolean;
}

/** A common change below this is noise; above, it is the program's own doing. */
export const COMMON_STEP = Math.log(1.1);
/** More different levels than this over the run are a trend, not phases. */
const MAX_LEVELS = 5;
/** Blocks of the median filter before levels are told apart, and how far apart (log) they are. */
const FILTER = 5;
const LEVEL_STEP = 0.1;
/** Deviation from their levels that phases have at most; a slope cut into levels has 0.06. */
const FLAT = 0.035;

/**
 * Fits log mean time = level(rank) + common(time) + disturbance >= 0, where only few ranks are disturbed at
 * a time and each rank most of the time is not.
 */
export function fitClass(means: BlockMeans, settings: Settings): Fit {
  const window = bulkWindow(means);
  let common: Float64Array = new Float64Array(means.blocks);
  let level = rankLevels(means, common, window);
  for (let round = 0; round < 2 && means.ranks > 1; round++) {
    common = commonCourse(means, level);
    level = rankLevels(means, common, window);
  }
  const varying =
    means.spread > settings.maxSpread ||
    wander(means, level, common) > settings.maxWander ||
    isTrend(means, common);
  const own = ownInPhases(means, level, common, window);
  const pooled = references(means, level, common, window);
  return { level, common, own, reference: pooled.reference, pooled, varying };
}

/** Half-width of an undisturbed bulk: 6 %, or 3 standard errors of a block mean. */
function bulkWindow(means: BlockMeans): number {
  const filled = means.n.filter((n) => n > 0);
  return Math.max(0.06, (3 * means.spread) / Math.sqrt(quantile(filled, 0.5)));
}

function row(means: BlockMeans, values: Float64Array, rank: number): Float64Array {
  return values.subarray(rank * means.blocks, (rank + 1) * means.blocks);
}

/** Lowest bulk of each rank, with the common course taken out. */
function rankLevels(means: BlockMeans, common: Float64Array, window: number): Float64Array {
  const out = new Float64Array(means.ranks);
  const rest = Array.from({ length: means.ranks }, (_, r) =>
    row(means, means.level, r).map((level, t) => level - common[t]!),
  );
  for (let r = 0; r < means.ranks; r++)
    out[r] = lowerBulk(rest[r]!, row(means, means.n, r), window);
  if (means.ranks === 1) return out;
  // Slow most of the time, yet now and then as fast as its peers all the while: the peers' level is its own.
  const own = Float64Array.from(out);
  const peers = othersQuantile(own, means.ranks === 2 ? 0 : 0.5);
  for (let r = 0; r < means.ranks; r++) {
    if (own[r]! - peers[r]! < 0.1) continue;
    const low = lowerBulk(rest[r]!, row(means, means.n, r), window, 0.05);
    if (Math.abs(low - peers[r]!) < 0.05) out[r] = low;
  }
  return out;
}

/**
 * What at least three quarters of the ranks share in a block (with few ranks: all of them), where most of
 * the class's ranks have fragments. Never below 0.
 */
function commonCourse(means: BlockMeans, level: Float64Array): Float64Array {
  const out = new Float64Array(means.blocks);
  for (let t = 0; t < means.blocks; t++) {
    const above: number[] = [];
    for (let r = 0; r < means.ranks; r++) {
      const value = means.level[r * means.blocks + t]!;
      if (!Number.isNaN(value)) above.push(value - level[r]!);
    }
    if (above.length < Math.max(2, 0.6 * means.ranks)) continue;
    const ascending = above.toSorted((a, b) => a - b);
    out[t] = Math.max(0, ascending[Math.floor((above.length - 1) / 4)]!);
  }
  return out;
}

/**
 * In a phase that all ranks share, some may get more of the additional work than others. What a rank has above the
 * common course throughout the phase is therefore the program's.
 */
function ownInPhases(
  means: BlockMeans,
  level: Float64Array,
  common: Float64Array,
  window: number,
): Float64Array {
  const out = new Float64Array(means.n.length);
  for (const phase of levels(medianFilter(common, FILTER), LEVEL_STEP)) {
    if (phase.mean <= COMMON_STEP || phase.to - phase.from < FILTER) continue;
    for (let r = 0; r < means.ranks; r++) {
      const from = r * means.blocks;
      const rest = Array.from({ length: phase.to - phase.from }, (_, k) => {
        const t = phase.from + k;
        return means.level[from + t]! - level[r]! - common[t]!;
      });
      const weights = means.n.subarray(from + phase.from, from + phase.to);
      const above = lowerBulk(rest, weights, window);
      if (above > 0) out.fill(above, from + phase.from, from + phase.to);
    }
  }
  return out;
}

/** Share of blocks that are surely undisturbed, and the quantile of |z| there if z is normal. */
const QUIET = 0.4;
const QUIET_NORMAL = 0.524;

/** Typical deviation of block means from the fit beyond what single fragments' spread explains. */
function wander(means: BlockMeans, level: Float64Array, common: Float64Array): number {
  const deviations: number[] = [];
  const weights: number[] = [];
  const errors: number[] = [];
  for (let i = 0; i < means.n.length; i++) {
    if (means.n[i] === 0) continue;
    const r = Math.floor(i / means.blocks);
    deviations.push(Math.abs(means.level[i]! - level[r]! - common[i % means.blocks]!));
    weights.push(means.n[i]!);
    errors.push(means.spread ** 2 / means.n[i]!);
  }
  const typical = weightedQuantile(deviations, weights, QUIET) / QUIET_NORMAL;
  return Math.sqrt(Math.max(0, typical ** 2 - weightedQuantile(errors, weights, 0.5)));
}

/**
 * True if the work goes through many levels, or slides from one to the next, all ranks together; alone where no rank
 * can be compared.
 */
function isTrend(means: BlockMeans, common: Float64Array): boolean {
  const course = means.ranks > 1 ? common : means.level.filter((value) => !Number.isNaN(value));
  const filtered = medianFilter(course, FILTER);
  const stretches = levels(filtered, LEVEL_STEP);
  if (stretches.length > MAX_LEVELS) return true;
  let squares = 0;
  for (const { from, to, mean } of stretches) {
    for (let t = from; t < to; t++) squares += (filtered[t]! - mean) ** 2;
  }
  return stretches.length > 2 && Math.sqrt(squares / filtered.length) > FLAT;
}

/**
 * Mean time per rank over its undisturbed blocks, usual spikes included, so that undisturbed work has
 * performance 1 on average. A block counts at most as the 90 % quantile of blocks (within 1.25 to 2 medians), so
 * that one long pause does not raise it. Ranks that do not differ are pooled.
 */
function references(
  means: BlockMeans,
  level: Float64Array,
  common: Float64Array,
  window: number,
): Pooled {
  const out = new Float64Array(means.ranks);
  const quiet: QuietBlocks[] = [];
  for (let r = 0; r < means.ranks; r++) {
    const plain: number[] = [];
    const weights: number[] = [];
    for (let t = 0; t < means.blocks; t++) {
      const i = r * means.blocks + t;
      if (means.n[i] === 0) continue;
      const factor = commonFactor(common[t]!);
      if (Math.abs(means.level[i]! - level[r]! - common[t]!) > window) continue;
      plain.push(means.total[i]! / means.n[i]! / factor);
      weights.push(means.n[i]! * factor);
    }
    const median = weightedQuantile(plain, weights, 0.5);
    const limit = Math.min(
      2 * median,
      Math.max(1.25 * median, weightedQuantile(plain, weights, 0.9)),
    );
    let total = 0;
    let weight = 0;
    const capped = plain.map((mean) => Math.min(mean, limit));
    capped.forEach((mean, i) => {
      total += mean * weights[i]!;
      weight += weights[i]!;
    });
    out[r] = weight > 0 ? total / weight : Math.exp(level[r]!);
    quiet.push({ means: capped, weights });
  }
  return poolReferences(out, quiet);
}

/** Factor on the reference that a common log change stands for. */
export function commonFactor(common: number): number {
  return common > COMMON_STEP ? Math.exp(common) : 1;
}
