import { clipMiddle, displayWidth, padEnd, padStart } from "./width.ts";

export interface Column {
  title: string;
  /** Numbers go to the right. */
  right?: boolean;
  /** May be cut when the table is too wide; the widest such column is cut first. */
  flexible?: boolean;
}

/** Aligned lines of a small table, none wider than `width`. Cells must be printable already. */
export function layoutTable(
  columns: readonly Column[],
  rows: readonly string[][],
  width: number,
  indent = "  ",
): string[] {
  const gap = 2;
  const widths = columns.map((column, at) =>
    Math.max(displayWidth(column.title), ...rows.map((row) => displayWidth(row[at] ?? ""))),
  );
  const room = width - displayWidth(indent) - gap * (columns.length - 1);
  shrink(widths, columns, room);
  const line = (cells: readonly string[]) =>
    indent +
    columns
      .map((column, at) => {
        const cell = clipMiddle(cells[at] ?? "", widths[at] ?? 0);
        return column.right ? padStart(cell, widths[at] ?? 0) : padEnd(cell, widths[at] ?? 0);
      })
      .join(" ".repeat(gap))
      .trimEnd();
  const titles = columns.map((column) => column.title);
  const body = rows.map((row) => line(row));
  return titles.every((title) => title === "") ? body : [line(titles), ...body];
}

function shrink(widths: number[], columns: readonly Column[], room: number): void {
  for (let over = widths.reduce((sum, width) => sum + width, -room); over > 0; over--) {
    let widest = -1;
    for (const [at, column] of columns.entries()) {
      const isCandidate = column.flexible || columns.every((other) => !other.flexible);
      if (isCandidate && (widest < 0 || (widths[at] ?? 0) > (widths[widest] ?? 0))) widest = at;
    }
    widths[widest] = Math.max((widths[widest] ?? 0) - 1, 0);
  }
}
