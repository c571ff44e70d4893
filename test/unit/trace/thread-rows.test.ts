import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TraceReader } from "../../../src/trace/reader.ts";
import { threadRows } from "../../../src/trace/thread-rows.ts";
import { block, file, pack } from "./support/golden.ts";
import { scratchFolder } from "./support/scratch.ts";

const NONE = 0xffffffff;
const end = block(9, Buffer.alloc(0));

interface Life {
  thread: number;
  system?: number;
  parent?: number;
  kind?: number;
  module?: number;
  offset?: number;
  ended?: number;
  tick: number;
  name?: string;
}

/** A THREAD block, made byte by byte from the header's words. */
function thread(life: Life): Buffer {
  const { system = 100, parent = NONE, kind = 2, module = NONE, offset = 0, ended = 0 } = life;
  return block(
    12,
    pack(
      ["u32", life.thread],
      ["u32", system],
      ["u32", parent],
      ["u32", kind],
      ["u32", module],
      ["u32", ended],
      ["u64", offset],
      ["u64", life.tick],
      ["text", life.name ?? ""],
    ),
  );
}

/** 10 ns a tick; tick 0 is at 1 s. */
const clocks = [0, 1_000_000].map((tick) =>
  block(5, pack(["u64", tick], ["u64", 1e9 + tick * 10], ["u64", 1e9 + tick * 10])),
);

function read(...blocks: Buffer[]): TraceReader {
  const path = join(scratchFolder(), "0.vst");
  writeFileSync(path, file([...clocks, ...blocks, end], { state: 2 }));
  return new TraceReader(path);
}

test("threads by number and time; an end that is not told is the next owner's beginning", () => {
  const reader = read(
    thread({ thread: 0, system: 50, kind: 1, tick: 100 }),
    thread({ thread: 1, system: 51, parent: 0, module: 3, offset: 64, tick: 200 }),
    thread({ thread: 1, system: 51, parent: 0, tick: 300, ended: 1, name: "late" }),
    thread({ thread: 1, system: 52, parent: 0, kind: 3, tick: 400, name: "omp" }),
    thread({ thread: 2, system: 53, parent: 1, tick: 450 }),
    thread({ thread: 1, system: 54, parent: 2, kind: 9, tick: 500 }),
  );
  expect(reader.description.damage).toEqual([]);
  const rows = threadRows(reader, new Map([[3, 7]]), 1_000_000_000n, 9_000n);
  const columns = [
    rows.map(({ thread: number }) => number),
    rows.map(({ systemThread }) => systemThread),
    rows.map(({ parent }) => parent),
    rows.map(({ name }) => name),
    rows.map(({ kind }) => kind),
    rows.map(({ module, offset }) => [module, offset]),
    rows.map(({ firstNs, lastNs }) => [firstNs, lastNs]),
  ];
  expect(columns).toEqual([
    [0, 1, 1, 1, 2],
    [50, 51, 52, 54, 53],
    [-1, 0, 0, 2, 1],
    ["", "late", "omp", "", ""],
    ["initial", "pthread", "openmp", "kind-9", "pthread"],
    [
      [-1, 0n],
      [7, 64n],
      [-1, 0n],
      [-1, 0n],
      [-1, 0n],
    ],
    [
      [1000n, 9000n],
      [2000n, 3000n],
      [4000n, 5000n],
      [5000n, 9000n],
      [4500n, 9000n],
    ],
  ]);
});

test.each<[string, Life]>([
  ["number", { thread: 32768, tick: 1 }],
  ["parent", { thread: 1, parent: 40000, tick: 1 }],
  ["system's number", { thread: 1, system: 2 ** 31, tick: 1 }],
  ["end", { thread: 1, ended: 2, tick: 1 }],
])("a thread whose %s makes no sense is damage, and no row", (_, life) => {
  const reader = read(thread(life));
  expect(reader.description.damage.join()).toContain("its numbers are beyond reason");
  expect(reader.description.lives).toEqual([]);
});

test("a THREAD block without the end of its name is damage", () => {
  const whole = thread({ thread: 1, tick: 1, name: "abc" });
  const payload = whole.subarray(40, 40 + whole.readUInt32LE(8) - 1);
  expect(read(block(12, payload)).description.damage.join()).toContain("it is too short");
});
