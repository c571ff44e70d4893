import type { Kind } from "../trace/schema.ts";
import type { Store } from "../trace/store.ts";
import { readColumns } from "./columns.ts";
import type { Heat } from "./heat.ts";
import type { Draft } from "./join-ranks.ts";
import type { Deviations } from "./scan.ts";
import { quantile, weightedQuantile } from "./statistics.ts";

/** Fragments per rank and bin to aim at: so few that a short slow-down fills bins of its own. */
const FRAGMENTS_PER_BIN = 8;
const FEWEST_BINS = 16;
/** Bins of all ranks together: what is held in memory. */
const MOST_BINS = 2_000_000;
const MOST_BINS_OF_RANK = 65_536;
/** Deviations beyond so many spreads count as this many: a spike of the operating system is no slow work. */
const CAP = 3;
/** No class is more precise than this: below lie effects of caches and of the clock. */
const LEAST_SPREAD = 0.005;
/** Classes with less than this share of the time do not count: tiny computations are precise, and say little. */
const SUBSTANTIAL = 0.02;
/** Sums are of whole numbers, so that their order does not matter. */
const SCALE = 1e6;

/** Fragments of one kind by rank and bin, in bins of a few fragments each; a fragment counts where it starts. */
export interface FineBins extends Heat, Deviations {}

/** Deviation of a fragment of a view judged_KIND `j` with class `w`, in logs, capped; and what one is worth. */
const SPREAD = `greatest(w.spread, ${LEAST_SPREAD})`;
export const DEVIATION = `greatest(-${CAP} * ${SPREAD}, least(${CAP} * ${SPREAD}, ln((j.end_ns - j.start_ns) / j.usual_ns)))`;
const STANDARD = `(${DEVIATION} / ${SPREAD})`;
export const WORTH = `(1 / ${SPREAD} ** 2)`;

/** Classes of a kind that count. */
export function substantial(kind: Kind): string {
  return `SELECT * FROM work_classes WHERE kind = '${kind}' AND status = 'vsensor' AND total_ns >=
    (SELECT ${SUBSTANTIAL} * sum(total_ns) FROM work_classes WHERE kind = '${kind}' AND status = 'vsensor')`;
}

/**
 * How far fragments deviate from their usual time, by rank and fine bin.
 *
 * @returns undefined where too little is judged
 */
export async function readFineBins(
  store: Store,
  kind: Kind,
  wallNs: number,
): Promise<FineBins | undefined> {
  const { n, ranks: judged } = (await store.row<{ n: number | null; ranks: number }>(
    `SELECT sum(r.fragments)::DOUBLE AS n, count(DISTINCT r.rank)::INTEGER AS ranks
       FROM rank_references r JOIN (${substantial(kind)}) USING (class)`,
  ))!;
  if (n === null || n < 2 * FRAGMENTS_PER_BIN) return undefined;
  const most = Math.min(MOST_BINS_OF_RANK, Math.floor(MOST_BINS / judged));
  const bins = Math.max(FEWEST_BINS, Math.min(most, Math.round(n / judged / FRAGMENTS_PER_BIN)));
  const binNs = Math.ceil(wallNs / bins);
  const [rank, bin, ...sums] = await readColumns(
    store,
    `SELECT j.rank, greatest(0, least(${bins - 1}, j.start_ns // ${binNs}))::INTEGER AS bin,
            sum(j.end_ns - j.start_ns)::DOUBLE, sum(round(j.reference_ns)::BIGINT)::DOUBLE,
            sum(round(j.allowed_ns)::BIGINT)::DOUBLE,
            sum(round(${DEVIATION} * ${WORTH} * ${SCALE})::BIGINT)::DOUBLE / ${SCALE},
            sum(round(${WORTH} * ${SCALE})::BIGINT)::DOUBLE / ${SCALE},
            count(*)::DOUBLE, sum(round(${STANDARD} * ${SCALE})::BIGINT)::DOUBLE / ${SCALE},
            sum(round(${STANDARD} ** 2 * ${SCALE})::BIGINT)::DOUBLE / ${SCALE}
       FROM judged_${kind} j JOIN (${substantial(kind)}) w USING (class)
      WHERE j.end_ns > j.start_ns GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const ranks = [...new Set(rank)];
  const matrix = () => new Float64Array(ranks.length * bins);
  const [observed, reference, allowed] = [matrix(), matrix(), matrix()];
  const [deviation, weight] = [matrix(), matrix()];
  const inside = new Float64Array(rank!.length);
  const place = new Map(ranks.map((world, row) => [world, row]));
  for (let i = 0; i < rank!.length; i++) {
    const at = place.get(rank![i]!)! * bins + bin![i]!;
    [observed, reference, allowed, deviation, weight].forEach((into, k) => {
      into[at] = sums[k]![i]!;
    });
    const [count, sum, squares] = [sums[5]![i]!, sums[6]![i]!, sums[7]![i]!];
    inside[i] = count > 1 ? (squares - sum ** 2 / count) / (count - 1) : Number.NaN;
  }
  const counts = sums[5]!;
  const worth = 1 / typicalVariance(inside, counts);
  for (let i = 0; i < weight.length; i++) {
    weight[i]! *= worth;
    deviation[i]! *= worth;
  }
  const octaves = Math.log2(Math.max(1, n / judged / bins));
  const heat: Heat = { kind, ranks, bins, binNs, observed, reference, allowed };
  return { ...heat, rows: ranks.length, deviation, weight, octaves };
}

/**
 * Variance of standardised deviations inside a bin, by the median over bins; 1 if the spread of every class is right. The
 * spread in short runs is not: it is estimated from few fragments at a time.
 */
function typicalVariance(inside: Float64Array, counts: Float64Array): number {
  const known = inside.filter((value) => !Number.isNaN(value));
  if (known.length === 0) return 1;
  const freedom = Math.max(1, quantile(counts, 0.5) - 1);
  // Median of chi square by its mean: Wilson & Hilferty, PNAS 17, 1931.
  return Math.max(0.1, quantile(known, 0.5) / (1 - 2 / (9 * freedom)) ** 3);
}

/** Bins that a region touches, and those next to them. */
export function touched(fine: FineBins, { startNs, endNs }: Draft): { from: number; to: number } {
  return {
    from: Math.max(0, Math.floor(startNs / fine.binNs) - 1),
    to: Math.min(fine.bins, Math.ceil(endNs / fine.binNs) + 1),
  };
}

/** Deviations outside of the given regions, each row around its own median. */
export function quietDeviations(fine: FineBins, regions: readonly Draft[]): Deviations {
  const { rows, bins } = fine;
  const deviation = Float64Array.from(fine.deviation);
  const weight = Float64Array.from(fine.weight);
  for (const region of regions) {
    const { from, to } = touched(fine, region);
    for (const rank of region.ranks) {
      const row = fine.ranks.indexOf(rank);
      if (row < 0 || from >= to) continue;
      deviation.fill(0, row * bins + from, row * bins + to);
      weight.fill(0, row * bins + from, row * bins + to);
    }
  }
  for (let row = 0; row < rows; row++) centre(deviation, weight, row * bins, (row + 1) * bins);
  return { rows, bins, deviation, weight, octaves: fine.octaves };
}

/** Takes the median over bins [from, to) out of them. */
function centre(deviation: Float64Array, weight: Float64Array, from: number, to: number): void {
  const own = deviation.subarray(from, to);
  const weights = weight.subarray(from, to);
  const means = own.map((sum, i) => (weights[i]! > 0 ? sum / weights[i]! : 0));
  const median = weightedQuantile(means, weights, 0.5);
  for (let i = 0; i < own.length; i++) if (weights[i]! > 0) own[i]! -= median * weights[i]!;
}
