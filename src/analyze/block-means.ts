import type { KeyCells } from "./key-cells.ts";
import { BINS_PER_E } from "./settings.ts";
import { weightedQuantile } from "./statistics.ts";

/** Work varies if it does in all but this share of the blocks; disturbances may spoil the others. */
const QUIET = 0.3;

/** Mean times of one mode of a key per rank and block; matrices by rank, then block. */
export interface BlockMeans {
  ranks: number;
  blocks: number;
  n: Float64Array;
  /** Sum of durations, ns. */
  total: Float64Array;
  /** The same before durations are divided by the scale of their vector. */
  raw: Float64Array;
  /** Log of the mean with durations capped at twice the block's lower quartile; NaN without fragments. */
  level: Float64Array;
  /** Typical spread of single fragments inside a block: half the 16-84 % range of log time. */
  spread: number;
}

/** Means over the cells with bins in [from, to). The cap keeps one OS spike from hiding a whole block. */
export function blockMeans(cells: KeyCells, from: number, to: number): BlockMeans {
  const ranks = cells.ranks.length;
  const size = ranks * cells.blocks;
  const n = new Float64Array(size);
  const total = new Float64Array(size);
  const raw = new Float64Array(size);
  const level = new Float64Array(size).fill(Number.NaN);
  for (let first = 0; first < cells.n.length; ) {
    const at = blockOf(cells, first);
    const means: number[] = [];
    const counts: number[] = [];
    let next = first;
    for (; next < cells.n.length && blockOf(cells, next) === at; next++) {
      if (cells.bin[next]! < from || cells.bin[next]! >= to) continue;
      means.push(cells.totalNs[next]! / cells.n[next]!);
      counts.push(cells.n[next]!);
      n[at]! += cells.n[next]!;
      total[at]! += cells.totalNs[next]!;
      raw[at]! += cells.rawNs[next]!;
    }
    const cap = 2 * weightedQuantile(means, counts, 0.25);
    const capped = means.reduce((sum, mean, i) => sum + counts[i]! * Math.min(mean, cap), 0);
    if (n[at]! > 0) level[at] = Math.log(Math.max(capped, 1) / n[at]!);
    first = next;
  }
  return {
    ranks,
    blocks: cells.blocks,
    n,
    total,
    raw,
    level,
    spread: typicalSpread(cells, from, to),
  };
}

/** Place of a cell's block in the matrices. */
function blockOf(cells: KeyCells, i: number): number {
  return cells.rank[i]! * cells.blocks + cells.block[i]!;
}

/** Over blocks with 4 fragments or more; over whole ranks if there are none. */
function typicalSpread(cells: KeyCells, from: number, to: number): number {
  for (const whole of [false, true]) {
    const spreads: number[] = [];
    const weights: number[] = [];
    for (let i = 0; i < cells.n.length; ) {
      let end = i;
      const bins: number[] = [];
      const counts: number[] = [];
      const same = (k: number) =>
        cells.rank[k] === cells.rank[i] && (whole || cells.block[k] === cells.block[i]);
      for (; end < cells.n.length && same(end); end++) {
        if (cells.bin[end]! < from || cells.bin[end]! >= to) continue;
        bins.push(cells.bin[end]!);
        counts.push(cells.n[end]!);
      }
      const n = counts.reduce((a, b) => a + b, 0);
      if (n >= 4) {
        const range = weightedQuantile(bins, counts, 0.84) - weightedQuantile(bins, counts, 0.16);
        spreads.push(range / 2 / BINS_PER_E);
        weights.push(n);
      }
      i = end;
    }
    if (spreads.length > 0) return weightedQuantile(spreads, weights, QUIET);
  }
  return 0;
}
