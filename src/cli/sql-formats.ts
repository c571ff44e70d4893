import type { DuckDBResult, DuckDBValue } from "@duckdb/node-api";
import { displayWidth, padEnd, padStart, printable } from "../report/text/width.ts";
import { jsonValue, textValue } from "./sql-values.ts";

export type SqlFormat = "table" | "tsv" | "csv" | "json";

/** Rows that a table is laid out for at a time: widths are those of its first page or wider. */
const PAGE = 1000;

/** Writes a result as it arrives, so that a large one needs no memory. */
export async function writeResult(
  result: DuckDBResult,
  format: SqlFormat,
  out: (text: string) => void,
): Promise<void> {
  if (format === "json") return writeJson(result, out);
  const names = result.deduplicatedColumnNames();
  if (format === "table") return writeTable(result, names, out);
  const line = format === "csv" ? csvLine : tsvLine;
  out(line(names));
  for await (const rows of result.yieldRows()) {
    out(rows.map((row) => line(row.map(textValue))).join(""));
  }
}

async function writeJson(result: DuckDBResult, out: (text: string) => void): Promise<void> {
  let before = "[\n  ";
  for await (const rows of result.yieldRowObjects()) {
    if (rows.length === 0) continue;
    out(before + rows.map(jsonObject).join(",\n  "));
    before = ",\n  ";
  }
  out(before.startsWith("[") ? "[]\n" : "\n]\n");
}

function jsonObject(row: Record<string, DuckDBValue>): string {
  const fields = Object.entries(row).map(([key, value]) => [key, jsonValue(value)]);
  return JSON.stringify(Object.fromEntries(fields));
}

/** RFC 4180, with line feeds; NULL is an empty field, an empty text is "". */
function csvLine(cells: (string | null)[]): string {
  return `${cells.map(csvCell).join(",")}\n`;
}

function csvCell(cell: string | null): string {
  if (cell === null) return "";
  return cell === "" || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** One row a line whatever is in it: backslash, tab and line ends are escaped; NULL is \N. */
function tsvLine(cells: (string | null)[]): string {
  return `${cells.map(tsvCell).join("\t")}\n`;
}

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function tsvCell(cell: string | null): string {
  return cell === null ? "\\N" : cell.replace(/[\\\t\n\r]/g, (found) => ESCAPES[found] ?? found);
}

async function writeTable(
  result: DuckDBResult,
  names: string[],
  out: (text: string) => void,
): Promise<void> {
  const right = names.map((_, column) => isNumber(result.columnType(column).toString()));
  const titles = names.map(printable);
  const widths = titles.map(displayWidth);
  const line = (cells: string[]) =>
    `${cells
      .map((cell, at) => (right[at] ? padStart : padEnd)(cell, widths[at] ?? 0))
      .join("  ")
      .trimEnd()}\n`;
  let page: string[][] = [];
  let count = 0;
  const flush = () => {
    for (const row of page) {
      for (const [at, cell] of row.entries()) {
        widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell));
      }
    }
    if (count === 0) out(line(titles) + line(widths.map((width) => "-".repeat(width))));
    out(page.map(line).join(""));
    count += page.length;
    page = [];
  };
  for await (const rows of result.yieldRows()) {
    for (const row of rows) {
      page.push(row.map((value) => printable(textValue(value) ?? "NULL")));
      if (page.length >= PAGE) flush();
    }
  }
  if (page.length > 0 || count === 0) flush();
  out(`(${count} row${count === 1 ? "" : "s"})\n`);
}

function isNumber(type: string): boolean {
  return /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL)/.test(type);
}
