/**
 * A process that records as fast as it can, by the protocol of struct vst_staging: fills slots, counts
 * them, packs full slots into a block, commits it, starts again at slot 0. Its n-th call starts at tick
 * 1000 + 10 n, takes 5 ticks and has n bytes. Ends after LIMIT calls, or when it is killed.
 *
 *   node --import tsx running-writer.ts FILE LIMIT
 */
import { openSync, writeSync } from "node:fs";
import { block, columns, file, pack, record } from "./golden.ts";

const CAPACITY = 16;
const [path = "", limit = "0"] = process.argv.slice(2);

const call = block(
  3,
  pack(["u32", 0], ["u32", 0], ["u64", 1], ["u32", 2], ["u32", 0], ["text", "MPI_Send"]),
);
const clock = block(5, pack(["u64", 0], ["u64", 1_000_000_000], ["u64", 2_000_000_000]));
const slots = Buffer.alloc(40 + CAPACITY * 56);
slots.writeUInt32LE(CAPACITY, 32);
const start = file([call, clock, block(7, slots)]);
const counters = start.length - slots.length;
const descriptor = openSync(path, "w");
writeSync(descriptor, start);

let committed = start.length;
for (let n = 0; n < Number(limit); n++) {
  const slot = n % CAPACITY;
  const enter = 1000 + 10 * n;
  const fields = { state: 0, communicator: 0, peer: 0, tag: 0, requests: 0, completed: 0 };
  const staged = record({ ...fields, enter, exit: enter + 5, bytes: n });
  writeSync(descriptor, staged, 0, staged.length, counters + 40 + slot * 56);
  writeSync(descriptor, pack(["u64", n + 1]), 0, 8, counters + 8); // intercepted
  writeSync(descriptor, pack(["u64", n + 1]), 0, 8, counters); // written
  if (slot === CAPACITY - 1) seal(n - slot);
}

function seal(first: number): void {
  const all = Array.from({ length: CAPACITY }, (_, i) => first + i);
  const gaps = all.map((n) => (n === 0 ? 0 : 5));
  const fives = all.map(() => 5);
  const bytes = all.flatMap((n) => (n === 0 ? [] : [[0], varint(n)].flat()));
  // The first call has 0 bytes, as foreseen: the pair after it skips one record.
  if (first === 0) bytes[0] = 1;
  const sealed = block(6, columns(gaps, fives, [], [0, 1], [], [], bytes, []), {
    count: CAPACITY,
    firstTick: 1000 + 10 * first,
    previousExit: first === 0 ? 1000 : 1000 + 10 * first - 5,
  });
  writeSync(descriptor, sealed, 0, sealed.length, committed);
  committed += sealed.length;
  writeSync(descriptor, pack(["u64", committed]), 0, 8, 64);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
}
