import { type Heat, scores } from "./heat.ts";
import type { Candidate } from "./candidates.ts";
import { RunningMaximum } from "./segments.ts";
import type { Settings } from "./settings.ts";
import { quantile, randomFrom } from "./statistics.ts";

/** Bins drawn together: keeps noise that lasts a while, and long fragments, in one piece. */
const BLOCK = 8;
/** A rank with fewer undisturbed bins borrows those of all ranks. */
const ENOUGH = 40;
/** What so few stretches leave open: 97.5 % quantile of Student's t with 7 degrees of freedom by that of the normal. */
const FEW_STRETCHES = 2.365 / 1.96;
/** Bins beyond a border that it may overrun. */
const BEYOND = 16;
/** Stretches that must fit into the undisturbed bins of a rank to draw from them. */
const STRETCHES = 8;
/** Ranks resampled, at least, and bins of all resampled runs together; with more ranks, the chance is scaled up. */
const FEWEST_RANKS = 64;
const MAX_DRAWN = 30e6;

/** Undisturbed bins of every rank: those in no candidate. */
export class NullRuns {
  private readonly heat: Heat;
  private readonly settings: Settings;
  private readonly quiet: number[][];
  private readonly all: number[];
  private readonly levels: number[];
  private readonly sums = new Map<number[], { observed: Float64Array; reference: Float64Array }>();
  private maxima: Float64Array | undefined;

  constructor(heat: Heat, candidates: readonly Candidate[], settings: Settings) {
    this.heat = heat;
    this.settings = settings;
    const taken = new Uint8Array(heat.observed.length);
    for (const { rank, from, to } of candidates) {
      taken.fill(1, rank * heat.bins + from, rank * heat.bins + to);
    }
    this.quiet = heat.ranks.map((_, rank) => {
      const bins: number[] = [];
      for (let i = rank * heat.bins; i < (rank + 1) * heat.bins; i++) {
        if (!taken[i] && heat.reference[i]! > 0) bins.push(i);
      }
      return bins;
    });
    this.all = this.quiet.flat();
    this.levels = this.quiet.map((bins) => levelOf(heat, bins));
  }

  /**
   * Undisturbed time / reference of a rank (row of the heat map), at least 1. Above it where small disturbances never
   * cease or the reference is that of a better moment. A rank is slow only beyond its own level.
   */
  level(rank: number): number {
    return this.levels[rank]!;
  }

  /**
   * Chance that the best segment anywhere in an undisturbed run of these ranks and bins scores `score` or more.
   * Runs are made by drawing blocks of undisturbed bins (moving-block bootstrap, Künsch 1989). Beyond the
   * highest of them the chance falls as a power law (Hill 1975) of the upper tenth: slower than the exponential
   * of Karlin & Altschul 1990, because operating system noise has heavy tails.
   */
  chance(score: number): number {
    this.maxima ??= this.resample();
    const sorted = this.maxima;
    const above = sorted.filter((value) => value >= score).length;
    const scale = this.heat.ranks.length / this.resampledRanks();
    if (above > 0) return Math.min(1, (scale * (above + 1)) / (sorted.length + 1));
    const highest = Math.max(sorted.at(-1) ?? 0, this.usualSlack());
    const first = scale / (sorted.length + 1);
    return highest > 0 ? Math.min(1, first * (score / highest) ** -tailExponent(sorted)) : first;
  }

  /**
   * What noise adds to (or takes from) the loss of work with `reference` ns of reference time on a rank: noise is that of the work
   * done, however long it took. 2.5 % and 97.5 % quantile over runs of undisturbed bins. It adds noise inside, noise of the bins that the reference
   * comes from, and noise next to the borders that is taken for part of the region.
   *
   * @param threshold share above reference that separates slow from fine at the borders
   */
  noise(
    parts: readonly { rank: number; reference: number }[],
    threshold: number,
  ): [number, number] {
    const random = randomFrom(this.settings.seed + 1);
    const draws = parts.map((part) => this.drawsFor(part.rank, part.reference));
    const sums = Float64Array.from({ length: 2 * this.settings.resamples }, () =>
      parts.reduce((sum, part, i) => {
        const borders =
          this.overrun(part.rank, threshold, random) + this.overrun(part.rank, threshold, random);
        return sum + part.reference * draws[i]!(random) + borders;
      }, 0),
    );
    return [quantile(sums, 0.025), quantile(sums, 0.975)];
  }

  /**
   * Draws the relative excess that noise makes over as many bins of a rank as hold `reference` ns of work: around its own mean,
   * deviations as all ranks have them, for spikes are so rare that one rank has met few. So long a stretch may not fit often
   * into what is undisturbed: then shorter ones are drawn, whose deviation shrinks with length as it does among these.
   * Less work than that of a bin, such as the one fragment in which a process was stopped, deviates by more: independent
   * fragments.
   */
  private drawsFor(rank: number, reference: number): (random: () => number) => number {
    const pool = this.pool(rank);
    if (pool.length === 0) return () => 0;
    const bins = reference / this.usualWork(pool);
    const fitting = Math.min(Math.round(bins), Math.floor(pool.length / STRETCHES));
    const length = Math.max(1, fitting);
    const decline = this.decline(rank, length);
    const inside = (length / bins) ** (bins < length ? 0.5 : decline);
    const outside = (length / pool.length) ** decline;
    const ranks = this.quiet.flatMap((own, other) => (own.length >= length ? [other] : []));
    const draw = (random: () => number) => {
      const other = ranks[Math.floor(random() * ranks.length)] ?? rank;
      const start = Math.floor(random() * this.pool(other).length);
      return this.excess(other, start, length) - this.mean(other);
    };
    return (random) =>
      this.mean(rank) + FEW_STRETCHES * (inside * draw(random) + outside * draw(random));
  }

  /** Mean reference time of a bin of a pool, ns. */
  private usualWork(pool: number[]): number {
    return this.sumsOf(pool).reference.at(-1)! / pool.length;
  }

  /** Relative excess of all undisturbed bins of a rank. */
  private mean(rank: number): number {
    return this.excess(rank, 0, this.pool(rank).length);
  }

  /**
   * Loss, ns, by which a border that is set where the sum of observed - (1 + threshold) * reference turns overruns the true
   * one into an undisturbed stretch.
   */
  private overrun(rank: number, threshold: number, random: () => number): number {
    const pool = this.pool(rank);
    const start = Math.floor(random() * pool.length);
    let [sum, best, loss, lossThere] = [0, 0, 0, 0];
    for (let k = 0; k < Math.min(BEYOND, pool.length); k++) {
      const i = pool[(start + k) % pool.length]!;
      loss += this.heat.observed[i]! - this.heat.reference[i]!;
      sum += this.heat.observed[i]! - (1 + threshold) * this.heat.reference[i]!;
      if (sum > best) [best, lossThere] = [sum, loss];
    }
    return lossThere;
  }

  /** By which power of length the deviation of means over undisturbed stretches falls: 1/2 if bins are independent. */
  private decline(rank: number, length: number): number {
    const short = Math.max(1, Math.floor(length / 8));
    if (short === length) return 0.5;
    const ratio = this.deviation(rank, short) / this.deviation(rank, length);
    const power = Math.log(ratio) / Math.log(length / short);
    return Number.isFinite(power) ? Math.min(0.5, Math.max(0, power)) : 0.5;
  }

  /** Standard deviation of the relative excess of all stretches of a length, one after the other. */
  private deviation(rank: number, length: number): number {
    const pool = this.pool(rank);
    const mean = this.mean(rank);
    let squares = 0;
    let count = 0;
    for (let start = 0; start + length <= pool.length; start += length) {
      squares += (this.excess(rank, start, length) - mean) ** 2;
      count++;
    }
    return Math.sqrt(squares / Math.max(1, count));
  }

  /** Mean of what is allowed above reference in an undisturbed bin: no maximum is taken to be below it. */
  private usualSlack(): number {
    const slack = this.all.reduce(
      (sum, i) => sum + this.heat.allowed[i]! - this.heat.reference[i]!,
      0,
    );
    return slack / Math.max(1, this.all.length);
  }

  /** Relative excess over reference of `bins` undisturbed bins of a rank from the `start`-th on, taken as a ring. */
  private excess(rank: number, start: number, bins: number): number {
    const pool = this.pool(rank);
    const sums = this.sumsOf(pool);
    let observed = 0;
    let reference = 0;
    for (const [from, to] of ringParts(start, Math.min(bins, pool.length), pool.length)) {
      observed += sums.observed[to]! - sums.observed[from]!;
      reference += sums.reference[to]! - sums.reference[from]!;
    }
    return reference > 0 ? (observed - reference) / reference : 0;
  }

  /** Running sums over the bins of a pool. */
  private sumsOf(pool: number[]): { observed: Float64Array; reference: Float64Array } {
    const known = this.sums.get(pool);
    if (known) return known;
    const running = (values: Float64Array) => {
      const sums = new Float64Array(pool.length + 1);
      pool.forEach((bin, i) => {
        sums[i + 1] = sums[i]! + values[bin]!;
      });
      return sums;
    };
    const made = { observed: running(this.heat.observed), reference: running(this.heat.reference) };
    this.sums.set(pool, made);
    return made;
  }

  private pool(rank: number): number[] {
    return this.quiet[rank]!.length >= ENOUGH ? this.quiet[rank]! : this.all;
  }

  private resampledRanks(): number {
    const drawn = this.settings.resamples * this.heat.bins;
    const affordable = Math.max(FEWEST_RANKS, Math.floor(MAX_DRAWN / drawn));
    return Math.min(this.heat.ranks.length, affordable);
  }

  /** Highest segment score of each resampled run, ascending. */
  private resample(): Float64Array {
    const random = randomFrom(this.settings.seed);
    // The null hypothesis is imposed: times are taken down to the reference where a rank's level lies above it.
    // Otherwise the sum of scores drifts upwards, and the longest stretch of usual time beats any disturbance.
    const rows = this.heat.ranks.map((_, rank) =>
      scores(atReference(this.heat, rank, this.levels[rank]!), 0),
    );
    const score = (i: number) => rows[Math.floor(i / this.heat.bins)]![i % this.heat.bins]!;
    const used = this.resampledRanks();
    return Float64Array.from({ length: this.settings.resamples }, () => {
      const best = new RunningMaximum();
      for (let k = 0; k < used; k++) {
        const rank = Math.floor((k * this.heat.ranks.length) / used);
        const pool = this.pool(rank);
        best.restart();
        for (let b = 0; b < this.heat.bins && pool.length > 0; b += BLOCK) {
          const start = Math.floor(random() * pool.length);
          const length = Math.min(BLOCK, this.heat.bins - b);
          for (let j = 0; j < length; j++) best.add(score(pool[(start + j) % pool.length]!));
        }
      }
      return best.best;
    }).toSorted();
  }
}

/** Stretches of a ring of `size` places that `count` places from `start` on cover. */
function ringParts(start: number, count: number, size: number): [number, number][] {
  const end = start + count;
  return end <= size
    ? [[start, end]]
    : [
        [start, size],
        [0, end - size],
      ];
}

function levelOf(heat: Heat, bins: readonly number[]): number {
  let observed = 0;
  let reference = 0;
  for (const i of bins) {
    observed += heat.observed[i]!;
    reference += heat.reference[i]!;
  }
  return reference > 0 ? Math.max(1, observed / reference) : 1;
}

/** One rank's row of the heat map, with its times divided by its level. */
function atReference(heat: Heat, rank: number, level: number): Heat {
  const row = (values: Float64Array) => values.subarray(rank * heat.bins, (rank + 1) * heat.bins);
  return {
    ...heat,
    ranks: [heat.ranks[rank]!],
    observed: row(heat.observed).map((ns) => ns / level),
    reference: row(heat.reference),
    allowed: row(heat.allowed),
  };
}

/** Hill's estimate of the tail exponent, kept within what a few hundred values can tell. */
function tailExponent(sorted: Float64Array): number {
  const tail = sorted.subarray(Math.floor(0.9 * sorted.length));
  const base = tail[0]!;
  if (!(base > 0)) return 1;
  const mean = tail.reduce((sum, value) => sum + Math.log(value / base), 0) / tail.length;
  return Math.min(20, Math.max(1.5, 1 / Math.max(mean, 0.01)));
}
