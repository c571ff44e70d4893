import { block, file, pack, record, stateBlock } from "./golden.ts";

const NONE = 0xffffffff;

/** A fixed-size text of struct vst_counter. */
function text(value: string, bytes: number): Buffer {
  const cell = Buffer.alloc(bytes);
  cell.write(value);
  return cell;
}

function counter(
  source: number,
  column: number,
  scope: number,
  [name, unit, group, reason]: [string, string, string, string],
): Buffer {
  return Buffer.concat([
    pack(["u32", source], ["u32", column], ["u32", scope], ["u32", 0]),
    text(name, 24),
    text(unit, 16),
    text(group, 16),
    text(reason, 96),
  ]);
}

/** Columns of a COUNTERS payload. */
function packed(...columns: number[][]): Buffer {
  return Buffer.concat(columns.map((bytes) => pack(["u32", bytes.length], ["bytes", bytes])));
}

function slot(tick: number, sources: number, ...values: number[]): Buffer {
  const numbers = [tick, sources, ...values];
  return Buffer.concat(numbers.map((number) => pack(["u64", number])));
}

/**
 * A killed process with one call and five readings of two counters, made by hand from trace_format.h; a third
 * counter could not be read. A tick is 10 ns, time 0 is tick 2000:
 *
 *   at ns     10000  20000  30000  40000  50000
 *   cpu_time      0    100    100    300    400
 *   faults        0      -      0      7      7     not read at 20000
 */
export function counterFile(changes: { columns?: number } = {}): Buffer {
  const { columns = 2 } = changes;
  const set = [
    counter(0, 0, 1, ["cpu_time", "ns", "scheduler", ""]),
    counter(1, NONE, 2, ["throttled_time", "ns", "scheduler", "no limit here"]),
    counter(2, 1, 1, ["faults", "count", "memory", ""]),
  ];
  const readings = packed(
    [0, 0xe8, 0x07, 0xe8, 0x07, 0xe8, 0x07], // 1000 ticks apart
    [5, 4, 4, 0, 0], // 5, 1, 5, 5: one zero
    [0, 0, 100, 0, 0, 0xc8, 0x01], // 0, 100, 100, 300
    [0, 2, 7], // three zeros, 7
  );
  const rest = Array.from({ length: columns - 2 }, () => 0);
  const call = { enter: 7500, exit: 7600, bytes: 0, state: 0, communicator: NONE };
  return file([
    block(
      2,
      pack(
        ["u32", 0],
        ["u32", 0],
        ["bytes", Array.from({ length: 32 }, () => 0)],
        ["text", "/app"],
      ),
    ),
    stateBlock(0, 0, 0x10, 11, "MPI_Barrier"),
    block(5, pack(["u64", 1000], ["u64", 5_000_000_000], ["u64", 1_700_000_000_000_000_000n])),
    block(
      7,
      Buffer.concat([
        pack(["u64", 1], ["u64", 1], ["u64", 0], ["u64", 0], ["u32", 1], ["u32", 99]),
        record({ ...call, peer: -1, tag: -1, requests: 0, completed: 0 }),
      ]),
    ),
    block(14, Buffer.concat(set), { count: set.length }),
    block(
      16,
      Buffer.concat([
        pack(["u64", 5], ["u32", 2], ["u32", columns]),
        slot(7000, 5, 400, 7, ...rest),
        slot(1, 5, 1, 1, ...rest), // from before
      ]),
    ),
    block(15, readings, { count: 4, firstTick: 3000 }),
  ]);
}
