import type { NativeTransfers } from "../../../../src/trace/native.ts";
import { TraceReader } from "../../../../src/trace/reader.ts";
import { makeTransferColumns } from "../../../../src/trace/transfers.ts";
import { type RandomTrace, Random } from "./random.ts";

/** enum vst_transfer_flag. */
export const FLAG = {
  peer: 1,
  tag: 2,
  bytes: 4,
  communicator: 8,
  cancelled: 16,
  freed: 32,
  failed: 64,
  receive: 128,
};

/** A row of the table `transfers` as text. */
export type TransferRow = string;

const BYTES = [0n, 1n, 8n, 2n ** 33n, 2n ** 63n - 1n];

/** Transfers between calls of a trace, some after a pattern that repeats and some without sense. */
export function randomTransfers(trace: RandomTrace, seed: number, count: number): NativeTransfers {
  const random = new Random(seed + 1000);
  const totals: number[] = [];
  for (const thread of trace.columns.thread) totals[thread] = (totals[thread] ?? 0) + 1;
  const rows: number[][] = [];
  const bytes: bigint[] = [];
  const at = totals.map(() => 0);
  const period = 1 + random.below(7);
  const pattern = Array.from({ length: period }, () => [random.below(3), 1 + random.below(9)]);
  for (let i = 0; i < count; i++) {
    const regular = random.below(10) > 0;
    const thread = regular ? 0 : random.below(totals.length);
    const [step = 0, distance = 0] = regular
      ? pattern[i % period]!
      : [random.below(4), random.below(300)];
    const end = Math.min(at[thread]! + step, totals[thread]! - 1);
    at[thread] = end;
    const startThread = regular ? thread : random.below(totals.length);
    const start = Math.max(0, Math.min(end - distance, totals[startThread]! - 1));
    const flags = regular ? 0 : random.below(256);
    const given = (flag: number, value: number) => (flags & flag ? value : 0);
    rows.push([
      thread,
      end,
      startThread,
      start,
      flags,
      given(FLAG.peer, random.pick([-3, -1, 0, 2 ** 31 - 1])),
      given(FLAG.tag, random.pick([-1, 0, 99, -(2 ** 31)])),
      given(FLAG.communicator, random.pick([-1, 0, 1])),
    ]);
    bytes.push(flags & FLAG.bytes ? random.pick(BYTES) : 0n);
  }
  const narrow = (i: number) => Int32Array.from(rows, (row) => row[i]!);
  const wide = (i: number) => BigInt64Array.from(rows, (row) => BigInt(row[i]!));
  return {
    thread: narrow(0),
    endRecord: wide(1),
    startThread: narrow(2),
    startRecord: wide(3),
    flags: narrow(4),
    peer: narrow(5),
    tag: narrow(6),
    communicator: narrow(7),
    bytes: BigInt64Array.from(bytes),
    blockTransfers: 1 + random.below(60),
    unsealed: 0,
  };
}

/** The rows that the table must have, joined here from what went in. */
export function expectedTransfers(trace: RandomTrace, transfers: NativeTransfers): TransferRow[] {
  const { columns } = trace;
  const calls: number[][] = []; // positions in columns, by thread and number
  for (const [i, thread] of columns.thread.entries()) (calls[thread] ??= []).push(i);
  const waits = trace.calls.map(({ category }) => category === "wait");
  const rows: { thread: number; row: TransferRow }[] = [];
  for (const [i, thread] of transfers.thread.entries()) {
    const start = calls[transfers.startThread[i]!]![Number(transfers.startRecord[i])]!;
    const end = calls[thread]![Number(transfers.endRecord[i])]!;
    const flags = transfers.flags[i]!;
    const [posted, left] = [columns.endNs[start]!, columns.endNs[end]!];
    const entered = columns.startNs[end]! > posted ? columns.startNs[end]! : posted;
    const completed = left > entered ? left : entered;
    const value = (flag: number, own: Int32Array, called: Int32Array) =>
      flags & flag ? own[i]! : called[start]!;
    const bytes = flags & FLAG.bytes ? transfers.bytes[i]! : columns.bytes[start]!;
    const row = [
      transfers.startThread[i]!,
      columns.state[start]!,
      posted,
      completed,
      waits[columns.state[end]!] ? completed - entered : 0n,
      flags & FLAG.cancelled ? 0n : bytes,
      value(FLAG.peer, transfers.peer, columns.peer),
      value(FLAG.communicator, transfers.communicator, columns.communicator),
      value(FLAG.tag, transfers.tag, columns.tag),
      thread,
      columns.state[end]!,
      flags & FLAG.cancelled ? 1 : flags & FLAG.failed ? 3 : flags & FLAG.freed ? 2 : 0,
      flags & FLAG.receive ? 1 : 0,
    ];
    rows.push({ thread, row: row.join(" ") });
  }
  return rows.toSorted((a, b) => a.thread - b.thread).map(({ row }) => row);
}

/** Rows of a file, with its own numbers of states and communicators, and all lines on damage. */
export function decodeTransfers(
  path: string,
  batch = 100,
): { rows: TransferRow[]; damage: string[]; unmatched: number } {
  const reader = new TraceReader(path);
  const { states, damage, transfers } = reader.description;
  const most = Math.max(-1, ...states.map(({ number }) => number));
  const mapping = {
    states: Int32Array.from({ length: most + 1 }, (_, i) => i),
    communicators: Int32Array.of(0, 1),
    files: new Int32Array(),
    zeroNs: 1_000_000_000_000n,
  };
  const columns = makeTransferColumns(batch);
  const { rank: _rank, ...shown } = columns;
  const rows: TransferRow[] = [];
  const batches = reader.decodeTransfers(mapping, columns);
  let next = batches.next();
  for (; !next.done; next = batches.next()) {
    for (let i = 0; i < next.value; i++) {
      rows.push(
        Object.values(shown)
          .map((column) => String(column[i]))
          .join(" "),
      );
    }
  }
  return { rows, damage: [...damage, ...next.value.damage], unmatched: transfers.unmatched };
}
