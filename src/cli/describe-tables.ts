import { ANALYSIS_TABLES, ANALYSIS_VIEWS } from "../analyze/schema.ts";
import { BASE_TABLES, BASE_VIEWS } from "../trace/schema.ts";
import { layoutTable } from "../report/text/table.ts";
import { wrap } from "../report/text/width.ts";

export interface TableDescription {
  name: string;
  kind: "table" | "view";
  comment: string;
  /** Views have none here: their columns follow from the query. */
  columns: { name: string; type: string; comment: string }[];
}

const OPENING = /^CREATE (TABLE|VIEW) (\w+)/;
const COLUMN = /^ {2}"?(\w+)"? ([A-Z]+(?:\[\])?)/;

/** Reads names, types and comments out of the CREATE statements, their only home. */
export function parseSchema(sql: string): TableDescription[] {
  const tables: TableDescription[] = [];
  for (const line of sql.split("\n")) {
    const [code = "", ...rest] = line.split("--");
    const comment = rest.join("--").trim();
    const [, kind, name] = OPENING.exec(code) ?? [];
    const [, column, type] = COLUMN.exec(code) ?? [];
    const table = tables.at(-1);
    if (name !== undefined) {
      tables.push({ name, kind: kind === "VIEW" ? "view" : "table", comment, columns: [] });
    } else if (!table) {
      continue;
    } else if (table.kind === "table" && column !== undefined && type !== undefined) {
      table.columns.push({ name: column, type, comment });
    } else if (comment !== "") {
      const last = table.columns.at(-1) ?? table;
      last.comment = `${last.comment} ${comment}`.trim();
    }
  }
  return tables;
}

/** All tables and views of a store, in words. */
export function describeTables(width: number): string {
  const tables = parseSchema(
    `${BASE_TABLES}\n${ANALYSIS_TABLES}\n${BASE_VIEWS}\n${ANALYSIS_VIEWS}`,
  );
  const blocks = tables.map((table) => {
    const heading = `${table.name} (${table.kind})${table.comment === "" ? "" : `: ${table.comment}`}`;
    return [...wrap(heading, width, "", "  "), ...columnLines(table, width)].join("\n");
  });
  return `${blocks.join("\n\n")}\n`;
}

function columnLines(table: TableDescription, width: number): string[] {
  const names = layoutTable(
    [{ title: "" }, { title: "" }],
    table.columns.map(({ name, type }) => [name, type]),
    width,
  );
  const room = Math.max(0, ...names.map((line) => line.length)) + 2;
  return table.columns.flatMap(({ comment }, at) => {
    const head = (names[at] ?? "").padEnd(room);
    const lines = wrap(comment, width, " ".repeat(room));
    return lines.length === 0
      ? [head.trimEnd()]
      : [head + (lines[0] ?? "").slice(room), ...lines.slice(1)];
  });
}
