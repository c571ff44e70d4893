import { renameSync, writeFileSync } from "node:fs";
import type { RunDirectory, RunRecord } from "../trace/run-directory.ts";

/**
 * Writes run.json so that a reader sees either the old or the new one, never half of it.
 * @throws the file system's error
 */
export function writeRunRecord(directory: RunDirectory, record: RunRecord): void {
  const partial = `${directory.runFile}.partial`;
  writeFileSync(partial, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(partial, directory.runFile);
}
