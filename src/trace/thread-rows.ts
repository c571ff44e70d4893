import type { ThreadLife, TraceReader } from "./reader.ts";

/** A row of the table `threads`. */
export interface ThreadRow {
  rank: number;
  thread: number;
  systemThread: number;
  parent: number;
  name: string;
  kind: string;
  module: number;
  offset: bigint;
  firstNs: bigint;
  lastNs: bigint;
}

/** Names of `enum vst_thread_kind` (interceptor/include/trace_format.h), by number. */
const KINDS: Readonly<Record<number, string>> = { 1: "initial", 2: "pthread", 3: "openmp" };

/**
 * Threads of one process, by number and time. A thread whose end is not told lived until the next one took
 * its number, or to the end of the rank.
 * @param modules store numbers of modules by the file's numbers
 * @param zeroNs CLOCK_MONOTONIC of the rank's host at time 0 of the job
 */
export function threadRows(
  reader: TraceReader,
  modules: ReadonlyMap<number, number>,
  zeroNs: bigint,
  endNs: bigint,
): ThreadRow[] {
  const rows: ThreadRow[] = [];
  const open = new Map<number, ThreadRow>();
  const close = (life: ThreadLife): void => {
    const row = open.get(life.thread);
    if (!row) return;
    row.lastNs = later(row.firstNs, timeOf(life, zeroNs) ?? row.firstNs);
    if (life.ended && life.name !== "") row.name = life.name;
    open.delete(life.thread);
  };
  for (const life of reader.description.lives) {
    close(life);
    if (life.ended) continue;
    const firstNs = timeOf(life, zeroNs) ?? 0n;
    const row: ThreadRow = {
      rank: reader.description.rank,
      thread: life.thread,
      systemThread: life.systemThread,
      parent: life.parent,
      name: life.name,
      kind: KINDS[life.kind] ?? `kind-${life.kind}`,
      module: modules.get(life.module) ?? -1,
      offset: life.offset,
      firstNs,
      lastNs: later(firstNs, endNs),
    };
    rows.push(row);
    open.set(life.thread, row);
  }
  return rows.toSorted((a, b) => a.thread - b.thread || Number(a.firstNs - b.firstNs));
}

function timeOf(life: ThreadLife, zeroNs: bigint): bigint | undefined {
  return life.placed ? life.atNs - zeroNs : undefined;
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
