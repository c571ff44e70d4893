import type { Command } from "commander";
import type { Effects } from "./effects.ts";

/** What every command file exports. */
export interface CommandModule {
  /** Adds the command, its options and its action to `program`. */
  register: (program: Command, effects: Effects) => void;
}

export interface CommandEntry {
  name: string;
  /** One line for `varscope --help`; the command itself uses it too. */
  summary: string;
  load: () => Promise<CommandModule>;
}

/**
 * All commands, in the order of a user's day. Listing them loads none of them: `--help` must not wait
 * for DuckDB.
 */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "start a job under the interceptor",
    load: () => import("./run.ts"),
  },
  {
    name: "report",
    summary: "which ranks were slow, when, and what it cost",
    load: () => import("./report.ts"),
  },
  {
    name: "analyze",
    summary: "ingest and analyse a run (report does so when needed)",
    load: () => import("./analyze.ts"),
  },
  {
    name: "sql",
    summary: "query the tables of a run with SQL",
    load: () => import("./sql.ts"),
  },
  {
    name: "doctor",
    summary: "what this machine offers and what is missing, with the fix",
    load: () => import("./doctor.ts"),
  },
];

/** The summary of a command, for its own help. */
export function summaryOf(name: string): string {
  return COMMANDS.find((command) => command.name === name)?.summary ?? "";
}
