import type { Store } from "../trace/store.ts";
import { readColumns } from "./columns.ts";
import type { Kind } from "../trace/schema.ts";

/** The heat map of one kind in memory: matrices by rank, then bin, in ns; reference 0 is unknown. */
export interface Heat {
  kind: Kind;
  /** World ranks, ascending. */
  ranks: number[];
  bins: number;
  binNs: number;
  observed: Float64Array;
  reference: Float64Array;
  allowed: Float64Array;
}

/** Reads `bins` of one kind. */
export async function readHeat(store: Store, kind: Kind, binNs: number): Promise<Heat> {
  const [rank, bin, observed, reference, allowed] = await readColumns(
    store,
    `SELECT rank, bin, observed_ns, reference_ns, allowed_ns FROM bins WHERE kind = '${kind}' AND bin >= 0
      ORDER BY rank, bin`,
  );
  const ranks = [...new Set(rank)];
  const place = new Map(ranks.map((world, i) => [world, i]));
  const bins = bin!.reduce((a, b) => Math.max(a, b + 1), 0);
  const size = ranks.length * bins;
  const heat: Heat = {
    kind,
    ranks,
    bins,
    binNs,
    observed: new Float64Array(size),
    reference: new Float64Array(size),
    allowed: new Float64Array(size),
  };
  for (let i = 0; i < rank!.length; i++) {
    const at = place.get(rank![i]!)! * bins + bin![i]!;
    heat.observed[at] = observed![i]!;
    heat.reference[at] = reference![i]!;
    heat.allowed[at] = allowed![i]!;
  }
  return heat;
}

/** The heat map with the bins that regions touch unknown. */
export function without(
  heat: Heat,
  regions: readonly { ranks: readonly number[]; startNs: number; endNs: number }[],
): Heat {
  const left = {
    ...heat,
    observed: Float64Array.from(heat.observed),
    reference: Float64Array.from(heat.reference),
    allowed: Float64Array.from(heat.allowed),
  };
  for (const { ranks, startNs, endNs } of regions) {
    const from = Math.max(0, Math.floor(startNs / heat.binNs));
    const to = Math.max(from, Math.min(heat.bins, Math.ceil(endNs / heat.binNs)));
    for (const rank of ranks) {
      const row = heat.ranks.indexOf(rank) * heat.bins;
      for (const column of [left.observed, left.reference, left.allowed])
        column.fill(0, row + from, row + to);
    }
  }
  return left;
}

/** Sums over bins [from, to) of one row of the heat map. */
export function sumBins(heat: Heat, rank: number, from: number, to: number) {
  let observed = 0;
  let reference = 0;
  for (
    let i = rank * heat.bins + Math.max(0, from);
    i < rank * heat.bins + Math.min(heat.bins, to);
    i++
  ) {
    observed += heat.observed[i]!;
    reference += heat.reference[i]!;
  }
  return { observed, reference, loss: observed - reference };
}

/**
 * Score per bin of one row: time above what is allowed. A bin in which nothing can be judged costs as much as a
 * fine one with the rank's usual work, so that a region bridges short gaps only.
 */
export function scores(heat: Heat, rank: number): Float64Array {
  const from = rank * heat.bins;
  let slack = 0;
  let known = 0;
  for (let i = from; i < from + heat.bins; i++) {
    if (heat.reference[i]! <= 0) continue;
    slack += heat.allowed[i]! - heat.reference[i]!;
    known++;
  }
  const unknown = known > 0 ? -slack / known : -1;
  return Float64Array.from({ length: heat.bins }, (_, b) =>
    heat.reference[from + b]! > 0 ? heat.observed[from + b]! - heat.allowed[from + b]! : unknown,
  );
}
