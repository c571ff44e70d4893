import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../user-error.ts";
import type { RunDirectory } from "./run-directory.ts";
import { STORE_VERSION } from "./schema.ts";
import { duckdbVersion, Store } from "./store.ts";

export interface TraceSource {
  name: string;
  path: string;
  bytes: number;
  modifiedMs: number;
}

/** The trace files of a run, by name; empty if there is no trace folder. */
export function listTraces(directory: RunDirectory): TraceSource[] {
  if (!existsSync(directory.traceDirectory)) return [];
  const sources: TraceSource[] = [];
  for (const name of readdirSync(directory.traceDirectory)) {
    if (!name.endsWith(".vst")) continue;
    const path = join(directory.traceDirectory, name);
    const status = statSync(path, { throwIfNoEntry: false });
    sources.push({ name, path, bytes: status?.size ?? 0, modifiedMs: status?.mtimeMs ?? 0 });
  }
  return sources.toSorted((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
}

/** One text that changes whenever a trace file is added, removed or written to. */
export function fingerprint(sources: TraceSource[]): string {
  return JSON.stringify(sources.map(({ name, bytes, modifiedMs }) => [name, bytes, modifiedMs]));
}

/**
 * Whether the store is missing, unreadable, of another version, or older than its traces. Opens the
 * store for a moment: no other Store on it may be open in this process.
 * @throws UserError if another process holds the store
 */
export async function isOutdated(directory: RunDirectory): Promise<boolean> {
  if (!existsSync(directory.store)) return true;
  const sources = listTraces(directory);
  // A store whose traces were removed is all there is left.
  const expected = sources.length > 0 ? fingerprint(sources) : undefined;
  let store: Store;
  try {
    store = await Store.open(directory.store, { readOnly: true });
  } catch (error) {
    if (isLocked(error)) throw error;
    return true;
  }
  try {
    const rows = await store.rows<{ key: string; value: string }>("SELECT key, value FROM meta");
    const meta = new Map(rows.map(({ key, value }) => [key, value]));
    return (
      meta.get("store_version") !== String(STORE_VERSION) ||
      meta.get("duckdb_version") !== duckdbVersion() ||
      (expected !== undefined && meta.get("sources") !== expected)
    );
  } catch {
    return true;
  } finally {
    store.close();
  }
}

/** Whether opening a store failed because another process writes to it. */
export function isLocked(error: unknown): boolean {
  return error instanceof UserError && /Could not set lock/i.test(error.message);
}
