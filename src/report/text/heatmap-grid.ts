import type { Heatmap, Region } from "../model.ts";

/** A heat map pooled to the cells of a screen. */
export interface Grid {
  rows: GridRow[];
  columns: number;
  startSeconds: number;
  columnSeconds: number;
  /** What one column can tell apart: a column, or a bin if that is longer. */
  stepSeconds: number;
  /** Ranks in the largest row. */
  ranksPerRow: number;
}

export interface GridRow {
  ranks: number[];
  /** Performance per column; null: unknown. */
  cells: (number | null)[];
}

/**
 * Pools a heat map to at most `maxRows` rows, and to just `columns` columns. A cell is the mean performance
 * of a rank's known bins in that column, or that of a region inside it if this is lower, so that a
 * short region does not vanish. A row of several ranks shows the worst of them: a mean would hide one
 * slow rank among many. Cells with no known bin are unknown.
 */
export function poolHeatmap(
  heatmap: Heatmap,
  regions: readonly Region[],
  maxRows: number,
  columns: number,
): Grid {
  const bins = Math.max(1, ...heatmap.performance.map((row) => row.length));
  const ranksPerRow = Math.max(1, Math.ceil(heatmap.ranks.length / Math.max(maxRows, 1)));
  const ofKind = regions.filter((region) => region.kind === heatmap.kind);
  const rows: GridRow[] = [];
  for (let first = 0; first < heatmap.ranks.length; first += ranksPerRow) {
    const ranks = heatmap.ranks.slice(first, first + ranksPerRow);
    const cells: (number | null)[] = Array.from({ length: columns }, () => null);
    for (const [at, rank] of ranks.entries()) {
      const performance = heatmap.performance[first + at] ?? [];
      const isInside = insideAny(
        heatmap,
        ofKind.filter((region) => region.ranks.includes(rank)),
      );
      for (let column = 0; column < columns; column++) {
        const from = Math.floor((column * bins) / columns);
        const to = Math.max(from + 1, Math.floor(((column + 1) * bins) / columns));
        const value = cellValue(performance, from, to, isInside);
        cells[column] = worse(cells[column] ?? null, value);
      }
    }
    rows.push({ ranks, cells });
  }
  return {
    rows,
    columns,
    ranksPerRow,
    startSeconds: heatmap.startSeconds,
    columnSeconds: (heatmap.binSeconds * bins) / columns,
    stepSeconds: Math.max(heatmap.binSeconds, (heatmap.binSeconds * bins) / columns),
  };
}

/** Tells whether the middle of a bin lies inside one of `regions`. */
function insideAny(heatmap: Heatmap, regions: Region[]): (bin: number) => boolean {
  if (regions.length === 0) return () => false;
  return (bin) => {
    const middle = heatmap.startSeconds + (bin + 0.5) * heatmap.binSeconds;
    return regions.some((region) => middle >= region.startSeconds && middle < region.endSeconds);
  };
}

function cellValue(
  performance: (number | null)[],
  from: number,
  to: number,
  isInside: (bin: number) => boolean,
): number | null {
  let sum = 0;
  let known = 0;
  let insideSum = 0;
  let insideKnown = 0;
  for (let bin = from; bin < to; bin++) {
    const value = performance[bin] ?? null;
    if (value === null) continue;
    sum += value;
    known++;
    if (isInside(bin)) {
      insideSum += value;
      insideKnown++;
    }
  }
  if (known === 0) return null;
  const mean = sum / known;
  return insideKnown > 0 ? Math.min(mean, insideSum / insideKnown) : mean;
}

function worse(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}
