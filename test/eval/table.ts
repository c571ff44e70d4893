import type { Row } from "./row.ts";
import { RULES } from "./run.ts";

const LEGEND = [
  "ours        varscope's analysis; nothing but the trace",
  "vapro       Vapro: 5 % seeds by a count of instructions that the simulator gives it (0.5 % error), shortest as reference, 85 %",
  "vapro-time  the same where instructions cannot be counted: seeds by time",
  "vsensor     vSensor, given what its compiler pass would know; fastest as reference; 85 % as it names no threshold",
  "windows     the public VAPRO client: windows of +-2 % in place of seeds, given the same count",
];

/** The rows as one table in plain text, bars and whether ours reaches them included. */
export function table(rows: readonly Row[]): string {
  const head = ["", "", "bar", ...RULES, "met", "runs"];
  const lines = rows.map((row, i) => [
    rows[i - 1]?.part === row.part ? "" : row.part,
    row.what,
    row.bar,
    ...RULES.map((rule) => format(row.values[rule], row)),
    met(row),
    String(row.runs),
  ]);
  const widths = head.map((_, c) => Math.max(...[head, ...lines].map((line) => line[c]!.length)));
  const text = (line: string[]) =>
    line
      .map((cell, c) => (c < 3 ? cell.padEnd(widths[c]!) : cell.padStart(widths[c]!)))
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [text(head), rule, ...lines.map(text), "", ...LEGEND].join("\n");
}

/** 'yes' or 'NO'; '' for a row without a bar. A row without a value of ours is not met. */
export function met({ reaches, values }: Row): string {
  if (!reaches) return "";
  return values.ours !== undefined && reaches(values.ours) ? "yes" : "NO";
}

/** With as many digits as it takes not to look as if it reached a bar that it misses, or the other way round. */
function format(value: number | undefined, { unit, reaches }: Row): string {
  if (value === undefined) return "-";
  const digits = { count: 0, "%": 1, points: 2, "": 3 }[unit];
  const texts = [0, 1, 2, 3, 4].map((more) => value.toFixed(digits + more));
  const same = (text: string) => reaches?.(Number(text)) === reaches?.(value);
  return texts.find(same) ?? String(value);
}
