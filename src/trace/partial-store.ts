import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { readdirSync, renameSync, rmSync } from "node:fs";

/**
 * A store is built under another name and renamed when it is whole: an interrupted ingest leaves no
 * half store, and two at a time do not meet. The name tells who builds it: run.duckdb.partial-HOST-PID-N.
 */
export class PartialStore {
  readonly path: string;
  private readonly store: string;
  private static made = 0;

  /** @param store path of the store to be */
  constructor(store: string) {
    this.store = store;
    this.path = `${store}.partial-${hostname()}-${process.pid}-${PartialStore.made++}`;
  }

  /** Puts the finished file in the place of the store. */
  publish(): void {
    // A write-ahead log of the store before must not be applied to this one.
    rmSync(`${this.store}.wal`, { force: true });
    renameSync(this.path, this.store);
  }

  /** Removes the file and what DuckDB put beside it. */
  discard(): void {
    const name = basename(this.path);
    removeMatching(dirname(this.path), (entry) => entry === name || entry.startsWith(`${name}.`));
  }
}

/** Removes what ingests of this host left that were interrupted: their process is gone. */
export function removeLeftovers(store: string): void {
  const prefix = `${basename(store)}.partial-${hostname()}-`;
  removeMatching(dirname(store), (entry) => {
    const pid = entry.startsWith(prefix) && /^(\d+)-\d+/.exec(entry.slice(prefix.length))?.[1];
    return Boolean(pid) && Number(pid) !== process.pid && !isRunning(Number(pid));
  });
}

function removeMatching(directory: string, matches: (entry: string) => boolean): void {
  for (const entry of readdirSync(directory)) {
    if (matches(entry)) rmSync(join(directory, entry), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
