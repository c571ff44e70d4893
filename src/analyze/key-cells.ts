/** The cells of one key: parallel arrays, ordered by rank, block, bin. */
export interface KeyCells {
  /** World ranks that have fragments, ascending. */
  ranks: number[];
  blocks: number;
  /** Position in `ranks`. */
  rank: Int32Array;
  block: Int32Array;
  /** floor(log(duration in ns) * BINS_PER_E) */
  bin: Int32Array;
  n: Float64Array;
  totalNs: Float64Array;
  /** The same before durations are divided by the scale of their vector. */
  rawNs: Float64Array;
  /** Cells of ranks[i] are starts[i] to starts[i + 1]. */
  starts: number[];
}

/** Builds the cells of one key from rows [from, to) of the columns rank, block, bin, n, total_ns, raw_ns (default: total_ns). */
export function keyCells(
  columns: Float64Array[],
  from: number,
  to: number,
  blocks: number,
): KeyCells {
  const [rank, block, bin, n, total] = columns as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const ranks = [...new Set(rank.subarray(from, to))].toSorted((a, b) => a - b);
  const place = new Map(ranks.map((world, i) => [world, i]));
  const places = Int32Array.from(rank.subarray(from, to), (world) => place.get(world)!);
  const starts: number[] = [];
  for (const [i, at] of places.entries()) if (at === starts.length) starts.push(i);
  return {
    ranks,
    blocks,
    rank: places,
    starts: [...starts, to - from],
    block: Int32Array.from(block.subarray(from, to)),
    bin: Int32Array.from(bin.subarray(from, to)),
    n: n.slice(from, to),
    totalNs: total.slice(from, to),
    rawNs: (columns[5] ?? total).slice(from, to),
  };
}

/** Counts per rank and block, row by row, of the cells that `keep` accepts. */
export function countsByBlock(cells: KeyCells, keep: (bin: number) => boolean): Float64Array {
  const counts = new Float64Array(cells.ranks.length * cells.blocks);
  for (let i = 0; i < cells.n.length; i++) {
    if (keep(cells.bin[i]!))
      counts[cells.rank[i]! * cells.blocks + cells.block[i]!]! += cells.n[i]!;
  }
  return counts;
}
