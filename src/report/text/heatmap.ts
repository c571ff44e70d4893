import type { Heatmap, Region } from "../model.ts";
import { poolHeatmap, type Grid } from "./heatmap-grid.ts";
import { formatSeconds } from "./numbers.ts";
import type { Style } from "./style.ts";
import { GLUE, padStart, wrap } from "./width.ts";

/** Marks of the ramp from fine to very slow: the lower bound of performance for each. */
const RAMP: readonly { mark: string; least: number }[] = [
  { mark: ".", least: 0.9 },
  { mark: "-", least: 0.75 },
  { mark: "+", least: 0.6 },
  { mark: "*", least: 0.4 },
  { mark: "#", least: 0.2 },
  { mark: "@", least: -Infinity },
];
/** Never a blank: what is unknown must not look fine. */
const UNKNOWN = "?";

/**
 * Heat map in characters: a row per rank or group of ranks, a column per slice of time. Colour is laid
 * behind the same characters, so the picture also survives copying and printing.
 */
export function drawHeatmap(
  heatmap: Heatmap,
  regions: readonly Region[],
  style: Style,
  width: number,
  maxRows: number,
): string[] {
  if (heatmap.ranks.length === 0 || heatmap.performance.every((row) => row.length === 0)) return [];
  const most = Math.max(...heatmap.ranks.map((rank) => String(rank).length));
  const labelWidth = heatmap.ranks.length > maxRows ? 2 * most + 1 : most;
  const room = width - labelWidth - 5;
  const grid = poolHeatmap(heatmap, regions, maxRows, room);
  const lines = grid.rows.map((row) => {
    const [first = 0, last = first] = [row.ranks[0], row.ranks.at(-1)];
    const label = last === first ? String(first) : `${first}-${last}`;
    return `  ${padStart(label, labelWidth)} |${drawCells(row.cells, style)}|`;
  });
  const indent = " ".repeat(labelWidth + 4);
  return [
    ...explain(grid, style, width),
    ...lines,
    ...timeAxis(grid).map((line) => style.dim(indent + line)),
    ...legend(style, width),
  ];
}

/** Neighbours of one level share an escape sequence. */
function drawCells(cells: readonly (number | null)[], style: Style): string {
  const levels = cells.map((value) =>
    value === null ? -1 : RAMP.findIndex((step) => value >= step.least),
  );
  let line = "";
  for (let from = 0, to = 0; from < levels.length; from = to) {
    const level = levels[from] ?? -1;
    while (to < levels.length && levels[to] === level) to++;
    line += paintLevel(level, (RAMP[level]?.mark ?? UNKNOWN).repeat(to - from), style);
  }
  return line;
}

function paintLevel(level: number, text: string, style: Style): string {
  return level < 0 ? style.dim(text) : style.heat(level, text);
}

function explain(grid: Grid, style: Style, width: number): string[] {
  const rows = grid.ranksPerRow > 1 ? `the worst of up to ${grid.ranksPerRow} ranks` : "one rank";
  const text = `each row is ${rows}; time in steps of ${formatSeconds(grid.stepSeconds)}`;
  return wrap(text, width, "  ").map((line) => style.dim(line));
}

/** What each mark means: the least speed it stands for. */
function legend(style: Style, width: number): string[] {
  const steps = RAMP.map(({ mark, least }) =>
    least > 0 ? `[${mark}]${GLUE}${Math.round(least * 100)}${GLUE}%` : `[${mark}]${GLUE}less`,
  );
  const text = `at least: ${[...steps, `[${UNKNOWN}]${GLUE}unknown`].join(" ")}`;
  return wrap(text, width, "  ").map((line) =>
    line.replace(/\[(.)\]/g, (_, mark: string) => {
      const level = RAMP.findIndex((step) => step.mark === mark);
      return `[${paintLevel(level, mark, style)}]`;
    }),
  );
}

/** Ticks and their times, as wide as the grid. */
function timeAxis(grid: Grid): [string, string] {
  const seconds = grid.columnSeconds * grid.columns;
  const end = grid.startSeconds + seconds;
  // Room for the widest label, taken at two decimals more than most steps need.
  const widest = axisLabel(end, end / 100).length + 3;
  const step = niceStep((seconds * widest) / grid.columns, seconds);
  const ticks: string[] = Array.from({ length: grid.columns }, () => "-");
  let labels = "";
  for (let tick = Math.ceil(grid.startSeconds / step - 1e-9); tick * step < end; tick++) {
    const column = Math.round((tick * step - grid.startSeconds) / grid.columnSeconds);
    const text = axisLabel(tick * step, step);
    if (column >= grid.columns || column < labels.length) continue;
    ticks[column] = "+";
    if (column + text.length <= grid.columns) labels = `${labels.padEnd(column)}${text} `;
  }
  return [ticks.join(""), labels.trimEnd()];
}

/** A time on an axis of steps of `step` seconds, with the decimals that such steps need. */
function axisLabel(seconds: number, step: number): string {
  const [scale, unit] = step >= 0.1 ? [1, "s"] : step >= 1e-4 ? [1e3, "ms"] : [1e6, "us"];
  const decimals = Math.max(0, Math.ceil(-Math.log10(step * scale) - 1e-9));
  return `${(seconds * scale).toFixed(decimals)} ${unit}`;
}

/** The smallest of 1, 2, 5 x 10^n that is at least `least`. */
function niceStep(least: number, fallback: number): number {
  if (!(least > 0)) return fallback > 0 ? fallback : 1;
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5, 10]) if (power * factor >= least) return power * factor;
  return power * 10;
}
