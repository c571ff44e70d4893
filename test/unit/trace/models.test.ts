import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type SyntheticTrace, writeTrace } from "../../../src/trace/write-synthetic.ts";
import { decode } from "./support/decode.ts";
import { block, columns, file, pack, stateBlock } from "./support/golden.ts";
import { scratchFolder } from "./support/scratch.ts";

/** Each rule of trace_format.h on models, worked out by hand: state, peer, tag, bytes, requests. */
const ROWS = [
  [0, -3, 0, 0, 0], // a null partner
  [0, -3, 0, 0, 0], // and another one. No model: like the last of state 0
  [0, 1, 0, 8, 0], // b: foreseen as 1
  [1, -1, -1, 0, 0], // c: foreseen as 2
  [0, -3, 0, 0, 0], // no model, state 0 foreseen, the rest as in 2
  [0, -3, 0, 0, 0], // b: 1 was followed by 2
  [0, 1, 0, 8, 0], // b: 4 was followed by 5
  [1, -1, -1, 0, 0], // b: 2 was followed by 3, as here
  [0, -3, 0, 0, 0], // a: as 4
  [0, -3, 0, 0, 0], // a: as 5
  [0, 1, 0, 9, 0], // a: as 6, but for the size
  [1, -1, -1, 0, 0], // c: as 7
  [0, -3, 0, 0, 0], // a: as 8
  [2, -1, -1, 8, 0], // a: foreseen as 9
  [0, -3, 0, 0, 0], // no model; as 12
  [1, -1, -1, 0, 4], // b: foreseen as 13; but for the requests as 11, the last of state 1
  [0, -3, 0, 0, 0], // d: as 12, which followed 11
  [2, -1, -1, 8, 0], // a: as 13; 14, the latest that is equal to 16, was followed by state 1
  [0, -3, 0, 0, 0], // a: as 14
] as const;

const COLUMNS = [
  ROWS.map(() => 1), // gaps
  ROWS.map(() => 2), // durations
  [3, 1, 9, 2, 1, 1],
  [0, 1, 2, 1, 9, 1],
  [0, 5, 1, 2, 0, 1, 0, 5, 0, 5, 0, 2, 6, 1],
  [3, 1, 9, 1],
  [2, 8, 1, 0, 0, 0, 0, 8, 3, 9, 2, 8],
  [15, 8],
];

const rowsOf = (path: string): number[][] => {
  const { calls, damage } = decode(path);
  expect(damage).toEqual([]);
  return calls.map(({ state, peer, tag, bytes, requests, completed }) => {
    expect(completed).toBe(requests);
    return [state, peer, tag, Number(bytes), requests];
  });
};

const clock = (tick: number): Buffer =>
  block(5, pack(["u64", tick], ["u64", 10 * tick], ["u64", 10 * tick]));

function handMade(payload: number[][]): string {
  const path = join(scratchFolder(), "2.vst");
  const { length: count } = ROWS;
  const states = ["MPI_Isend", "MPI_Wait", "MPI_Allreduce"].map((call, i) =>
    stateBlock(i, 0, i, 5, call),
  );
  const fragments = block(6, columns(...payload), { count, firstTick: 1, previousExit: 0 });
  const module = block(
    2,
    pack(["u32", 0], ["u32", 0], ["bytes", Array(32).fill(0)], ["text", "a"]),
  );
  const counters = pack(["u64", count], ["u64", count], ["u64", 0], ["u64", 0], ["u64", 0]);
  const staging = block(7, counters);
  writeFileSync(path, file([module, ...states, clock(0), staging, fragments, clock(1e6)]));
  return path;
}

const synthetic: Omit<SyntheticTrace, "columns"> = {
  rank: 0,
  worldSize: 4,
  calls: [
    { call: "MPI_Isend", category: "isend" },
    { call: "MPI_Wait", category: "wait" },
    { call: "MPI_Allreduce", category: "collective" },
  ],
};

function write(rows: readonly (readonly number[])[]): string {
  const path = join(scratchFolder(), "0.vst");
  const column = (index: number) => rows.map((row) => row[index]!);
  writeTrace(path, {
    ...synthetic,
    blockRecords: 4096,
    columns: {
      state: column(0),
      startNs: rows.map((_, i) => 3 * i),
      endNs: rows.map((_, i) => 3 * i + 2),
      peer: column(1),
      communicator: rows.map(() => 0),
      tag: column(2),
      bytes: column(3),
      requests: column(4),
      completed: column(4),
    },
  });
  return path;
}

describe("a record repeats its model", () => {
  test("as decoded from bytes made by hand", () => {
    expect(rowsOf(handMade(COLUMNS))).toEqual(ROWS);
  });

  test("and pairs that were not needed change nothing", () => {
    const peers = [0, 5, 0, 5, 0, 2, 0, 1, 0, 5, 0, 5, 0, 2, 0, 1, 0, 5, 4, 1, 2, 5];
    const states = [0, 0, 0, 0, 1, 1, 0, 0, 8, 2, 1, 1];
    const changed = COLUMNS.map((column, i) => (i === 2 ? states : i === 4 ? peers : column));
    expect(rowsOf(handMade(changed))).toEqual(ROWS);
  });

  test("and packed to the very same bytes", () => {
    // The writer has no gap before the first record.
    const [gaps = [], ...rest] = COLUMNS;
    const payload = columns([0, ...gaps.slice(1)], ...rest);
    const bytes = readFileSync(write(ROWS));
    expect(bytes.includes(payload)).toBe(true);
  });
});

const NEIGHBOURS = [-3, -3, -3, 1];
const WAIT = [1, -1, -1, 0, 4];

/** Sends from one call site, then a wait. */
function roundOf(bytes: (side: number) => number, tag: (side: number) => number): number[][] {
  return [...NEIGHBOURS.map((peer, side) => [0, peer, tag(side), bytes(side), 0]), WAIT];
}

/** Bytes that 80 further rounds add. */
function growth(round: (number: number) => number[][]): number {
  const [small, large] = [10, 90].map((count) => {
    const path = write(Array.from({ length: count }, (_, i) => round(i)).flat());
    return statSync(path).size;
  });
  return large! - small!;
}

describe("what a round of a loop takes, once it was seen", () => {
  test("is two bytes of time a call, whatever partners one call site has", () => {
    const tagged = roundOf(
      () => 800,
      (side) => side,
    );
    expect(growth(() => tagged)).toBe(80 * 5 * 2);
    const alike = roundOf(
      () => 800,
      () => 0,
    );
    expect(growth(() => alike)).toBe(80 * 5 * 2);
  });

  test("and what is new in it, if every size is", () => {
    // For each send, a skip of one byte and a size of two.
    const sized = growth((i) =>
      roundOf(
        (side) => 1000 + NEIGHBOURS.length * i + side,
        (side) => side,
      ),
    );
    expect(sized).toBe(80 * (5 * 2 + 4 * 3));
  });
});
