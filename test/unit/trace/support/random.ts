import { CATEGORY_NAMES, type Category } from "../../../../src/trace/categories.ts";
import type { SyntheticTrace } from "../../../../src/trace/write-synthetic.ts";

/** Numbers that depend on nothing but the seed (mulberry32). */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }
}

export interface RandomTrace extends SyntheticTrace {
  columns: {
    state: Int32Array;
    startNs: BigInt64Array;
    endNs: BigInt64Array;
    bytes: BigInt64Array;
    peer: Int32Array;
    communicator: Int32Array;
    tag: Int32Array;
    requests: Int32Array;
    completed: Int32Array;
    thread: Int32Array;
  };
}

const MOST = 2 ** 31 - 1;
const GAPS = [0n, 0n, 1n, 127n, 128n, 300n, 16_384n, 5_000_000n, 3_600_000_000_000n];
const BYTES = [0n, 1n, 8n, 8n, 8n, 4096n, 4096n, 2n ** 32n, 2n ** 63n - 1n];
const PEERS = [-3, -2, -1, -1, 0, 1, 1, 2, MOST];
const TAGS = [-2, -1, -1, 0, 7, 7, 1000, MOST, -(2 ** 31)];
const REQUESTS = [0, 0, 0, 1, 4, 4, 255, MOST];

/** Calls without sense, from values at the edges of each column's range. */
export function randomTrace(seed: number, rows: number, threads = 1): RandomTrace {
  const random = new Random(seed);
  const categories = Object.values(CATEGORY_NAMES) as Category[];
  const states = 1 + random.below(12);
  const times = Array.from({ length: threads }, () => BigInt(random.below(1000)) - 500n);
  const columns: RandomTrace["columns"] = {
    state: new Int32Array(rows),
    startNs: new BigInt64Array(rows),
    endNs: new BigInt64Array(rows),
    bytes: new BigInt64Array(rows),
    peer: new Int32Array(rows),
    communicator: new Int32Array(rows),
    tag: new Int32Array(rows),
    requests: new Int32Array(rows),
    completed: new Int32Array(rows),
    thread: new Int32Array(rows),
  };
  for (let i = 0; i < rows; i++) {
    const thread = random.below(threads);
    columns.thread[i] = thread;
    columns.startNs[i] = times[thread]! + random.pick(GAPS);
    times[thread] = columns.startNs[i]! + random.pick(GAPS);
    columns.endNs[i] = times[thread]!;
    // Loops with exceptions, as programs have them.
    columns.state[i] = random.below(10) > 0 ? i % states : random.below(states);
    columns.bytes[i] = random.pick(BYTES);
    columns.peer[i] = random.pick(PEERS);
    columns.communicator[i] = random.below(3) - 1;
    columns.tag[i] = random.pick(TAGS);
    columns.requests[i] = random.pick(REQUESTS);
    columns.completed[i] = random.below(2) > 0 ? columns.requests[i]! : random.pick(REQUESTS);
  }
  return {
    rank: 0,
    worldSize: 4,
    calls: Array.from({ length: states }, (_, i) => ({
      call: `MPI_Call_${i}`,
      category: random.pick(categories),
      module: random.pick(["/opt/synthetic/program", "/usr/lib/libone.so"]),
      offset: i * 64,
    })),
    columns,
    blockRecords: 1 + random.below(300),
  };
}
