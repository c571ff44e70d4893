import { closeSync, openSync, readSync } from "node:fs";
import {
  type CallColumns,
  EdgeNumbers,
  makeCallColumns,
  type TraceDescription,
  TraceFileError,
  type TraceMapping,
  TraceReader,
} from "../../src/trace/reader.ts";
import { checkCounters, checkProbes, checkTransfers } from "./check-blocks.ts";

/** What a trace file holds, as far as the checks here need it. */
export interface CheckedTrace {
  rank: number;
  finalized: boolean;
  rows: number;
  /** Everything that a trace of a killed process must not show; empty if all is well. */
  wrong: string[];
}

/** Looks at row `i` of `columns`; returns what is wrong with it. */
export type RowCheck = (
  columns: CallColumns,
  i: number,
  description: TraceDescription,
) => string | undefined;

/** Complaints of one file; thousands of wrong rows are one mistake. */
const MOST_COMPLAINTS = 20;
const BATCH_ROWS = 4096;

/**
 * Reads a trace and checks what holds for every file of a process that was not disturbed otherwise, whenever it
 * ended: nothing is damaged, rows of a thread follow each other in time, and at most the call that was under way
 * is not accounted for.
 * @returns undefined if the process ended before its file became a trace
 */
export function checkTrace(path: string, check?: RowCheck): CheckedTrace | undefined {
  let reader: TraceReader;
  try {
    reader = new TraceReader(path);
  } catch (error) {
    if (error instanceof TraceFileError && !hasMagic(path)) return undefined;
    throw error;
  }
  const { description } = reader;
  const wrong = [...description.damage];
  const mapping = ownNumbers(description);
  const rows = readRows(reader, mapping, check, wrong);
  wrong.push(...checkTransfers(reader, mapping), ...checkCounters(reader, mapping.zeroNs));
  wrong.push(...checkProbes(description));
  wrong.push(...countsOf(description, rows));
  let total = 0;
  for (const count of rows.values()) total += count;
  wrong.splice(MOST_COMPLAINTS);
  return { rank: description.rank, finalized: description.finalized, rows: total, wrong };
}

/** The interceptor writes the magic last: a file without it is not a trace yet. */
function hasMagic(path: string): boolean {
  const file = openSync(path, "r");
  const start = Buffer.alloc(8);
  readSync(file, start, 0, 8, 0);
  closeSync(file);
  return start.toString("latin1") === "VARSCOPE";
}

/** 0, 1, ...: the file's own numbers. */
function own(length: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => i);
}

/** Numbers of the store are those of the file. */
function ownNumbers(description: TraceDescription): TraceMapping {
  const numbers = description.communicators.map(({ number }) => number);
  const files = description.files.map(({ number }) => number);
  return {
    states: own(description.states.length),
    communicators: own(Math.max(1, ...numbers) + 1),
    files: own(Math.max(0, ...files) + 1),
    zeroNs: description.initExitNs,
  };
}

/** Rows by thread. */
function readRows(
  reader: TraceReader,
  mapping: TraceMapping,
  check: RowCheck | undefined,
  wrong: string[],
): Map<number, number> {
  const { description } = reader;
  const columns = makeCallColumns(BATCH_ROWS);
  const rows = new Map<number, number>();
  const batches = reader.decode(mapping, new EdgeNumbers(), columns);
  let [thread, end] = [-1, 0n];
  let batch = batches.next();
  for (; !batch.done; batch = batches.next()) {
    for (let i = 0; i < batch.value && wrong.length < MOST_COMPLAINTS; i++) {
      const same = columns.thread[i] === thread;
      thread = columns.thread[i]!;
      const n = rows.get(thread) ?? 0;
      if (!same && n > 0) wrong.push(`thread ${thread} comes twice`);
      if (same && columns.start_ns[i]! < end)
        wrong.push(`thread ${thread} row ${n}: before the last`);
      end = columns.end_ns[i]!;
      if (end < columns.start_ns[i]!)
        wrong.push(`thread ${thread} row ${n}: ends before it starts`);
      const complaint = check?.(columns, i, description);
      if (complaint !== undefined) wrong.push(`thread ${thread} row ${n}: ${complaint}`);
      rows.set(thread, n + 1);
    }
  }
  wrong.push(...batch.value.damage);
  return rows;
}

/** A call counts as intercepted just before its record counts: a kill can come between. */
function countsOf({ threads, finalized }: TraceDescription, rows: Map<number, number>): string[] {
  return threads.flatMap(({ thread, counted, intercepted, lost, sampledOut }) => {
    const known = (rows.get(thread) ?? 0) + lost + sampledOut;
    const ahead = intercepted - known;
    if (counted && (ahead === 0 || (ahead === 1 && !finalized))) return [];
    return [`thread ${thread}: ${intercepted} calls intercepted, ${known} accounted for`];
  });
}
