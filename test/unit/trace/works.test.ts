import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ingest } from "../../../src/trace/ingest.ts";
import { makeCallColumns, makeWorkColumns, WorkNumbers } from "../../../src/trace/reader.ts";
import { Store } from "../../../src/trace/store.ts";
import { writeTrace } from "../../../src/trace/write-synthetic.ts";
import { Random } from "./support/random.ts";
import { scratchRun } from "./support/scratch.ts";

const ARGUMENTS = [
  "rank",
  "thread",
  "state",
  "edge",
  "bytes",
  "before_bytes",
  "peer",
  "communicator",
  "tag",
  "requests",
  "completed",
  "file",
] as const;
type Columns = Pick<ReturnType<typeof makeCallColumns>, (typeof ARGUMENTS)[number]>;

const argumentsOf = (columns: Columns, row: number): string =>
  ARGUMENTS.map((name) => columns[name][row]).join(" ");

/** Numbers works; throws if a number does not stand for its call's arguments. */
class Checked {
  readonly calls = makeCallColumns(4096);
  readonly fresh = makeWorkColumns(4096);
  readonly work = new Int32Array(4096);
  /** Arguments by number. */
  readonly works: string[] = [];
  private readonly numbers = new WorkNumbers();

  number(rows: number): number | undefined {
    const added = this.numbers.number(this.calls, rows, this.work, this.fresh);
    if (added === undefined) return undefined;
    for (let i = 0; i < added; i++) {
      if (this.fresh.work[i] !== this.works.length)
        throw new Error(`fresh work ${i} is out of order`);
      this.works.push(argumentsOf(this.fresh, i));
    }
    for (let i = 0; i < rows; i++) {
      const own = argumentsOf(this.calls, i);
      const stored = this.works[this.work[i]!];
      if (stored !== own) throw new Error(`call ${i} is ${own}, its work ${stored}`);
    }
    return added;
  }

  /** The first `rows` calls differ in bytes only: `works` different ones, each as often as the others. */
  fill(rows: number, works: number, from = 0): void {
    for (let i = 0; i < rows; i++) this.calls.bytes[i] = BigInt(from + (i % works));
  }
}

describe("numbers of works", () => {
  test("stand for the arguments of their calls, each argument counts", () => {
    const random = new Random(7);
    const checked = new Checked();
    for (let batch = 0; batch < 8; batch++) {
      for (let i = 0; i < 4096; i++) {
        const changed = ARGUMENTS[2 + random.below(ARGUMENTS.length - 2)]!;
        for (const name of ARGUMENTS) {
          const column = checked.calls[name];
          const value = name === changed ? random.below(20) : 0;
          if (column instanceof BigInt64Array) column[i] = BigInt(value);
          else column[i] = name === "edge" ? value - 1 : value;
        }
        checked.calls.thread[i] = batch >> 1;
      }
      checked.number(4096);
    }
    // Of each of 4 threads: 10 arguments x 19 values that are not 0, and all 0.
    expect(checked.works).toHaveLength(4 * (10 * 19 + 1));
    expect(new Set(checked.works).size).toBe(checked.works.length);
  });

  test("are given to calls when one in four or less brings a new work, or only a few do", () => {
    for (const [rows, works, numbered] of [
      [4096, 1024, true],
      [4096, 1025, false],
      [300, 256, true],
      [300, 257, false],
      [0, 1, true],
    ] as const) {
      const checked = new Checked();
      checked.fill(rows, works);
      expect(checked.number(rows)).toBe(numbered ? Math.min(rows, works) : undefined);
    }
  });

  test("are not used up by irregular calls, which leave nothing behind", () => {
    const checked = new Checked();
    checked.fill(1000, 10);
    expect(checked.number(1000)).toBe(10);
    checked.fill(1000, 1000);
    expect(checked.number(1000)).toBeUndefined();
    checked.fill(1000, 10);
    expect(checked.number(1000)).toBe(10);
    expect(checked.number(1000)).toBe(0);
    expect(checked.works).toHaveLength(20);
  });

  test("refuse rows beyond their buffers", () => {
    const numbers = new WorkNumbers();
    const number = (rows: number, work: number): unknown =>
      numbers.number(makeCallColumns(10), rows, new Int32Array(work), makeWorkColumns(10));
    expect(() => number(11, 20)).toThrow("more rows than its buffers");
    expect(() => number(10, 9)).toThrow("more rows than its buffers");
    expect(() => number(-1, 10)).toThrow("more rows than its buffers");
    expect(() =>
      numbers.number(makeCallColumns(1), 1, new BigInt64Array(1) as never, makeWorkColumns(1)),
    ).toThrow("work");
  });
});

test("programs that turn irregular and back have all their calls in the view", async () => {
  const { path, traces } = scratchRun();
  // Batches of 65,536 calls: repeating, with other bytes each time, and repeating again.
  const rows = 3 * 65_536 + 100;
  const index = Array.from({ length: rows }, (_, i) => i);
  const bytes = index.map((i) => (Math.floor(i / 65_536) === 1 ? i : 8 * (i % 3)));
  writeTrace(join(traces, "0.vst"), {
    rank: 0,
    worldSize: 1,
    calls: [{ call: "MPI_Send", category: "send" }],
    columns: {
      state: index.map(() => 0),
      startNs: index.map((i) => 10 * i),
      endNs: index.map((i) => 10 * i + 1 + (i % 5)),
      bytes,
      tag: index.map((i) => i % 2),
    },
  });
  await ingest(path);
  const store = await Store.open(join(path, "run.duckdb"), { readOnly: true });
  expect(await store.row("SELECT count(*) AS n FROM irregular_calls")).toEqual({ n: 65_536 });
  expect(await store.row("SELECT count(*) AS n FROM executions")).toEqual({ n: 2 * 65_536 + 100 });
  const calls = await store.rows<Record<string, number>>(
    "SELECT edge, before_ns, start_ns, end_ns, bytes, before_bytes, tag FROM calls ORDER BY start_ns",
  );
  store.close();
  const expected = index.map((i) => ({
    edge: i === 0 ? -1 : 0,
    before_ns: i === 0 ? 0 : 10 - 1 - ((i - 1) % 5),
    start_ns: 10 * i,
    end_ns: 10 * i + 1 + (i % 5),
    bytes: bytes[i]!,
    before_bytes: i === 0 ? 0 : bytes[i - 1]!,
    tag: i % 2,
  }));
  expect(calls.length).toBe(rows);
  expect(calls.findIndex((call, i) => JSON.stringify(call) !== JSON.stringify(expected[i]))).toBe(
    -1,
  );
});
