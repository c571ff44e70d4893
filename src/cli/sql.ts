import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { DuckDBConnection } from "@duckdb/node-api";
import { UserError } from "../user-error.ts";
import { summaryOf } from "./commands.ts";
import type { Effects } from "./effects.ts";
import type { SqlFormat } from "./sql-formats.ts";
import { textWidth } from "./terminal.ts";

export interface SqlOptions {
  csv?: boolean;
  json?: boolean;
  tables?: boolean;
  job?: string;
}

const HELP = `
Without QUERY, statements are read from stdin; on a terminal, the tables and views are listed instead.
Results are aligned on a terminal, tab-separated lines with a title line elsewhere (NULL as \\N).
The store is opened read-only.

Examples:
  varscope sql "SELECT rank, sum(end_ns - start_ns) / 1e9 AS mpi_seconds FROM calls GROUP BY rank"
  varscope sql varscope-stencil-20260101-120000 "FROM regions" --csv > regions.csv`;

export function register(program: Command, effects: Effects): void {
  program
    .command("sql")
    .summary(summaryOf("sql"))
    .description("Queries the tables of a run with SQL (DuckDB's).")
    .argument("[dir]", "run directory (default: the newest one here)")
    .argument("[query]", "one or several statements")
    .addOption(new Option("--csv", "comma-separated with a title line").conflicts("json"))
    .option("--json", "an array of objects for each statement")
    .option("--tables", "list the tables and views and end")
    .option("--job <id>", "the MPI job to query, when a run directory holds several")
    .addHelpText("after", HELP)
    .action((dir: string | undefined, query: string | undefined, options: SqlOptions) =>
      sqlCommand(dir, query, options, effects),
    );
}

/** `varscope sql`. */
export async function sqlCommand(
  first: string | undefined,
  second: string | undefined,
  options: SqlOptions,
  effects: Effects,
): Promise<void> {
  const { dir, query } = tellApart(first, second, effects.workingDirectory);
  const isListing = options.tables || (query === undefined && effects.inputIsTerminal);
  const statements = isListing ? "" : (query ?? (await effects.readInput()));
  if (statements.trim() === "") {
    const { describeTables } = await import("./describe-tables.ts");
    effects.out(describeTables(textWidth(effects)));
    return;
  }
  const { prepareRun } = await import("./prepare.ts");
  const { store, close } = await prepareRun(dir, options, effects);
  try {
    await runStatements(store.connection, statements, formatFor(options, effects), effects);
  } finally {
    close();
  }
}

/** A single argument is the run directory if there is such a directory, else the query. */
function tellApart(
  first: string | undefined,
  second: string | undefined,
  workingDirectory: string,
): { dir: string | undefined; query: string | undefined } {
  if (first === undefined || second !== undefined) return { dir: first, query: second };
  if (existsSync(resolve(workingDirectory, first))) return { dir: first, query: undefined };
  // Every useful statement has more than one word; one word is a mistyped directory.
  if (!/\s/.test(first.trim())) {
    throw new UserError(`${first} is neither a directory here nor a query`, 2);
  }
  return { dir: undefined, query: first };
}

function formatFor(options: SqlOptions, effects: Effects): SqlFormat {
  if (options.json) return "json";
  if (options.csv) return "csv";
  return effects.outputIsTerminal ? "table" : "tsv";
}

async function runStatements(
  connection: DuckDBConnection,
  text: string,
  format: SqlFormat,
  effects: Effects,
): Promise<void> {
  const { writeResult } = await import("./sql-formats.ts");
  const { ResultReturnType } = await import("@duckdb/node-api");
  try {
    const statements = await connection.extractStatements(text);
    for (let index = 0; index < statements.count; index++) {
      const statement = await statements.prepare(index);
      const result = await statement.stream();
      // SET and the like have no result.
      if (result.returnType !== ResultReturnType.QUERY_RESULT) continue;
      if (index > 0 && format === "table") effects.out("\n");
      await writeResult(result, format, effects.out);
    }
  } catch (error) {
    throw new UserError(sqlMessage(error));
  }
}

/** DuckDB's message without the excerpt of the query that follows it. */
function sqlMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const [message = text] = text.split(/\n\s*LINE \d+:/);
  return message.replace(/^Failed to extract statements: /, "");
}
