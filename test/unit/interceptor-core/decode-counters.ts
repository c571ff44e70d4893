/** The blocks of counters, decoded from trace_format.h alone, slow and strict like the rest of decode.ts. */
import { type Cursor, expectThat } from "./cursor.ts";

export interface Counter {
  name: string;
  unit: string;
  group: string;
  reason: string;
  source: number;
  /** -1: it is not read. */
  column: number;
  scope: number;
}

export interface Reading {
  tick: bigint;
  sources: bigint;
  values: bigint[];
}

export interface CounterTrace {
  set: Counter[];
  blocks: { thread: number; readings: Reading[] }[];
  staging: { thread: number; written: number; capacity: number; slots: Reading[] }[];
}

export function noCounters(): CounterTrace {
  return { set: [], blocks: [], staging: [] };
}

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  expectThat(end >= 0, "a text has an end");
  return bytes.toString("utf8", 0, end);
}

export function readCounterSet(into: CounterTrace, payload: Cursor, count: number): void {
  expectThat(into.set.length === 0, "there is one set of counters");
  expectThat(payload.bytes.length === count * 168, "the set has its length");
  for (let at = 0; at < payload.bytes.length; at += 168) {
    const bytes = payload.bytes.subarray(at, at + 168);
    const field = (from: number, length: number) => textOf(bytes.subarray(from, from + length));
    into.set.push({
      source: bytes.readUInt32LE(0),
      column: bytes.readInt32LE(4),
      scope: bytes.readUInt32LE(8),
      name: field(16, 24),
      unit: field(40, 16),
      group: field(56, 16),
      reason: field(72, 96),
    });
  }
  const columns = into.set.map(({ column }) => column).filter((column) => column >= 0);
  expectThat(
    columns.every((column, i) => column === i),
    "columns are numbered in order",
  );
  expectThat(
    into.set.every(({ column, reason }) => column < 0 === (reason !== "")),
    "what is not read has a reason",
  );
}

/** The changes of one column, one per reading. */
function changes(payload: Cursor, count: number, shortened: boolean): bigint[] {
  const end = payload.u32() + payload.at;
  const all: bigint[] = [];
  while (all.length < count) {
    const value = payload.varint();
    all.push(value);
    if (shortened && value === 0n) {
      const more = Number(payload.varint());
      for (let i = 0; i < more; i++) all.push(0n);
    }
  }
  expectThat(all.length === count && payload.at === end, "a column ends where it says");
  return all;
}

export function readCounters(
  into: CounterTrace,
  payload: Cursor,
  head: { thread: number; count: number; firstTick: bigint },
): void {
  const columns = into.set.filter(({ column }) => column >= 0);
  const ticks = changes(payload, head.count, false);
  const masks = changes(payload, head.count, true);
  const values = columns.map(() => changes(payload, head.count, true));
  expectThat(payload.done(), "nothing follows the columns");
  expectThat(ticks[0] === 0n, "the first tick is in the head");
  let tick = head.firstTick;
  let sources = 0n;
  let last = columns.map(() => 0n);
  const readings = ticks.map((apart, i): Reading => {
    tick += apart;
    sources ^= masks[i]!;
    last = last.map((value, column) => value + values[column]![i]!);
    return { tick, sources, values: last };
  });
  into.blocks.push({ thread: head.thread, readings });
}

export function readCounterStaging(into: CounterTrace, payload: Cursor, thread: number): void {
  const [written, capacity, columns] = [Number(payload.u64()), payload.u32(), payload.u32()];
  expectThat(
    columns === into.set.filter(({ column }) => column >= 0).length,
    "readings have a value per column",
  );
  const slots = Array.from({ length: capacity }, () => ({
    tick: payload.u64(),
    sources: payload.u64(),
    values: Array.from({ length: columns }, () => payload.u64()),
  }));
  expectThat(payload.done(), "nothing follows the slots");
  into.staging.push({ thread, written, capacity, slots });
}

/** All readings of a thread: sealed ones, then `written` - sealed slots. Throws where they go back. */
export function readingsOf({ blocks, staging }: CounterTrace, thread: number): Reading[] {
  const sealed = blocks.filter((block) => block.thread === thread).flatMap((b) => b.readings);
  const own = staging.filter((area) => area.thread === thread);
  expectThat(own.length <= 1, "a thread has one staging area");
  const unsealed = (own[0]?.written ?? 0) - sealed.length;
  expectThat(unsealed >= 0 && unsealed <= (own[0]?.capacity ?? 0), "the slots hold the rest");
  const all = [...sealed, ...(own[0]?.slots.slice(0, unsealed) ?? [])];
  for (const [i, { tick, values }] of all.entries()) {
    const before = all[i - 1];
    expectThat(!before || tick >= before.tick, "times do not go back");
    expectThat(
      values.every((value, column) => value >= (before?.values[column] ?? 0n)),
      "counters do not go back",
    );
  }
  return all;
}

/** How much a counter grew from the first to the last reading of a thread. */
export function growth(trace: CounterTrace, thread: number, name: string): bigint {
  const column = trace.set.find((counter) => counter.name === name)?.column ?? -1;
  expectThat(column >= 0, `${name} is read`);
  const all = readingsOf(trace, thread);
  return all.at(-1)!.values[column]! - all[0]!.values[column]!;
}
