import { type KeyCells, keyCells } from "../../../src/analyze/key-cells.ts";
import { BINS_PER_E } from "../../../src/analyze/settings.ts";

/** Cells as pass 2 would count them, from single durations by rank and block. */
export function cellsOf(times: readonly (readonly (readonly number[])[])[]): KeyCells {
  const rows: number[][] = [];
  for (const [rank, blocks] of times.entries()) {
    for (const [block, inBlock] of blocks.entries()) {
      const bins = new Map<number, { n: number; total: number }>();
      for (const time of inBlock) {
        const bin = Math.floor(Math.log(time) * BINS_PER_E);
        const cell = bins.get(bin) ?? { n: 0, total: 0 };
        cell.n++;
        cell.total += time;
        bins.set(bin, cell);
      }
      for (const [bin, { n, total }] of [...bins].toSorted(([a], [b]) => a - b)) {
        rows.push([rank, block, bin, n, total]);
      }
    }
  }
  const columns = Array.from({ length: 5 }, (_, c) => Float64Array.from(rows, (row) => row[c]!));
  return keyCells(columns, 0, rows.length, times[0]!.length);
}

/** ranks x blocks x perBlock durations from a function. */
export function durations(
  ranks: number,
  blocks: number,
  perBlock: number,
  time: (rank: number, block: number, i: number) => number,
): number[][][] {
  return Array.from({ length: ranks }, (_, rank) =>
    Array.from({ length: blocks }, (__, block) =>
      Array.from({ length: perBlock }, (___, i) => Math.round(time(rank, block, i))),
    ),
  );
}
