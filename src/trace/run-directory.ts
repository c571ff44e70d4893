import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Contents of `run.json`: what was run, where, with what. Written by `varscope run`. */
export interface RunRecord {
  schema: "varscope.run/1";
  command: string[];
  /** ISO 8601, UTC. */
  startedAt: string;
  host: string;
  directory: string;
  /** Options of the interceptor that differ from the defaults, as environment variables. */
  options?: Readonly<Record<string, string>>;
  varscopeVersion: string;
  /** Absent while the job runs, or when the launcher itself was killed. */
  endedAt?: string;
  exitCode?: number;
  signal?: string;
}

export interface RunDirectory {
  path: string;
  runFile: string;
  traceDirectory: string;
  store: string;
}

/** Paths inside a run directory (DESIGN 4.2). */
export function runDirectory(path: string): RunDirectory {
  return {
    path,
    runFile: join(path, "run.json"),
    traceDirectory: join(path, "trace"),
    store: join(path, "run.duckdb"),
  };
}

/** True if `path` looks like a run directory: it has a trace folder or a run.json. */
export function isRunDirectory(path: string): boolean {
  const { traceDirectory, runFile } = runDirectory(path);
  return isThere(traceDirectory, "directory") || isThere(runFile, "file");
}

/** The newest run directory inside `parent`, by modification time of its run.json or itself. */
export function newestRunDirectory(parent: string): string | undefined {
  let newest: { path: string; time: number } | undefined;
  for (const entry of readdirSync(parent, { withFileTypes: true })) {
    const path = join(parent, entry.name);
    if (!entry.isDirectory() || !isRunDirectory(path)) continue;
    const { runFile } = runDirectory(path);
    const time = statSync(isThere(runFile, "file") ? runFile : path).mtimeMs;
    if (!newest || time > newest.time) newest = { path, time };
  }
  return newest?.path;
}

/** run.json, or undefined when it is absent or not readable as one (traces alone are enough). */
export function readRunRecord(directory: RunDirectory): RunRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(directory.runFile, "utf8")) as RunRecord;
    return record.schema === "varscope.run/1" ? record : undefined;
  } catch {
    return undefined;
  }
}

function isThere(path: string, type: "file" | "directory"): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return type === "file" ? (found?.isFile() ?? false) : (found?.isDirectory() ?? false);
}
