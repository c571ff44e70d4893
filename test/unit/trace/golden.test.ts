import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Call, decode } from "./support/decode.ts";
import {
  block,
  columns,
  communicator,
  crc32c,
  file,
  pack,
  record,
  stateBlock,
} from "./support/golden.ts";
import { scratchFolder } from "./support/scratch.ts";

const NONE = 0xffffffff;

const moduleBlock = (number: number, id: number[], path: string) =>
  block(
    2,
    pack(
      ["u32", number],
      ["u32", id.length],
      ["bytes", [...id, ...Array.from({ length: 32 - id.length }, () => 0)]],
      ["text", path],
    ),
  );
// 10 ns a tick: 10 ms for a million ticks.
const clockBlock = (tick: number, monotonic: number) =>
  block(
    5,
    pack(
      ["u64", tick],
      ["u64", monotonic],
      ["u64", 1_700_000_000_000_000_000n + BigInt(monotonic)],
    ),
  );

function goldenFile(): Buffer {
  const stale = {
    enter: 1,
    exit: 2,
    bytes: 3,
    state: 0,
    communicator: 0,
    peer: 0,
    tag: 0,
    requests: 0,
    completed: 0,
  };
  return file(
    [
      block(
        1,
        pack(
          ["text", "host"],
          ["text", "n1"],
          ["text", "argv"],
          ["text", ""],
          ["text", "program"],
          ["text", "/a b"],
        ),
      ),
      moduleBlock(0, [0xde, 0xad], "/bin/app"),
      moduleBlock(1, [], "/lib/ü.so"),
      stateBlock(0, 0, 0x1234, 5, "MPI_Isend"),
      stateBlock(1, 0, 0x5678, 7, "MPI_Wait"),
      stateBlock(2, 1, 0x9abc, 11, "MPI_Allreduce"),
      communicator(0, 2, [0, 1, 2, 3], 1),
      communicator(1, 0, [2], 0),
      clockBlock(1000, 5_000_000_000),
      block(77, pack(["text", "a block of a later version"])),
      // Thread 0, unsealed: 8 written - 6 sealed = 2.
      block(
        7,
        Buffer.concat([
          pack(["u64", 8], ["u64", 11], ["u64", 2], ["u64", 1], ["u32", 4], ["u32", 99]),
          record({
            enter: 4000,
            exit: 4100,
            bytes: 9,
            state: 0,
            communicator: 1,
            peer: 2,
            tag: 5,
            requests: 0,
            completed: 0,
          }),
          record({
            enter: 4100,
            exit: 4200,
            bytes: 0,
            state: 1,
            communicator: NONE,
            peer: -1,
            tag: -1,
            requests: 3,
            completed: 2,
          }),
          record(stale),
          record(stale),
        ]),
        { thread: 0 },
      ),
      block(
        7,
        Buffer.concat([
          pack(["u64", 1], ["u64", 1], ["u64", 0], ["u64", 0], ["u32", 1], ["u32", 98]),
          record(stale),
        ]),
        { thread: 1 },
      ),
      block(
        6,
        columns(
          [0, 5, 0xf5, 0x06, 0, 99], // gaps 0, 5, 885, 0, 99
          [10, 100, 1, 100, 100],
          [1, 1, 2, 2], // record 1 is state 1; then 0 and 1 as foreseen; record 4 is state 2
          [0, 1, 3, 1], // communicator 0 for records 0 and 4
          [0, 6, 0, 1, 2, 1], // peers 3, -1; then as foreseen; record 4: -1
          [0, 14, 0, 1, 0, 16, 1, 1], // tags 7, -1, 8, -1 as foreseen, -1
          [0, 100, 3, 8],
          [1, 2, 1, 3, 0], // record 1: 1 of 1; record 3: 0 of 1
        ),
        { thread: 0, count: 5, firstTick: 2000, previousExit: 2000 },
      ),
      block(
        6,
        columns([0], [0], [0, 2], [0, 1], [], [0, 3], [], []), // peer 0, tag -2
        { thread: 1, count: 1, firstTick: 2500, previousExit: 2500 },
      ),
      clockBlock(1_001_000, 5_010_000_000),
      block(
        6,
        columns([100], [0xc8, 0x01], [0, 1], [], [0, 1], [0, 1], [0, 0xac, 0x02], [0, 0x90, 0x03]),
        { thread: 0, count: 1, firstTick: 3400, previousExit: 3300 },
      ),
      block(8, pack(["text", "something was lost"])),
    ],
    { minor: 9 },
  );
}

/** thread, state, edge, before, start, end (ticks), bytes, before bytes, peer, communicator, tag, requests, completed */
const EXPECTED = [
  [0, 0, undefined, 0, 2000, 2010, 100, 0, 3, 0, 7, 0, 0],
  [0, 1, [0, 1], 5, 2015, 2115, 0, 100, -1, -1, -1, 1, 1],
  [0, 0, [1, 0], 885, 3000, 3001, 100, 0, 3, 0, 8, 0, 0],
  [0, 1, [0, 1], 0, 3001, 3101, 0, 100, -1, -1, -1, 1, 0],
  [0, 2, [1, 2], 99, 3200, 3300, 8, 0, -1, 0, -1, 0, 0],
  [0, 1, [2, 1], 100, 3400, 3600, 300, 8, -1, -1, -1, 200, 200],
  [0, 0, [1, 0], 400, 4000, 4100, 9, 300, 2, 1, 5, 0, 0],
  [0, 1, [0, 1], 0, 4100, 4200, 0, 9, -1, -1, -1, 3, 2],
  [1, 2, undefined, 0, 2500, 2500, 0, 0, 0, 0, -2, 0, 0],
] as const;

const expected = EXPECTED.map(
  ([
    thread,
    state,
    edge,
    before,
    start,
    end,
    bytes,
    beforeBytes,
    peer,
    communicatorNumber,
    tag,
    requests,
    completed,
  ]): Call => ({
    thread,
    state,
    edge: edge && [edge[0], edge[1]],
    before: BigInt(before * 10),
    start: BigInt((start - 2000) * 10),
    end: BigInt((end - 2000) * 10),
    bytes: BigInt(bytes),
    beforeBytes: BigInt(beforeBytes),
    peer,
    communicator: communicatorNumber,
    tag,
    requests,
    completed,
  }),
);

test("the checksum is the one of RFC 3720", () => {
  expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
  expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
});

test.each([1, 2, 1000])("a file made by hand is read to the letter, %i rows at a time", (batch) => {
  const path = join(scratchFolder(), "2.vst");
  // What lies behind `committed` is not data.
  writeFileSync(path, Buffer.concat([goldenFile(), Buffer.alloc(999, 0x55)]));
  const { calls, damage } = decode(path, 5_000_010_000n, batch);
  expect(damage).toEqual([]);
  expect(calls).toEqual(expected);
});

test("and its definitions, too", () => {
  const path = join(scratchFolder(), "2.vst");
  writeFileSync(path, goldenFile());
  const { description } = decode(path).reader;
  expect(description).toMatchObject({
    rank: 2,
    worldSize: 4,
    pid: 4242,
    jobId: "abcdef0123456789",
    finalized: false,
    stopped: false,
    initExitNs: 5_000_010_000n,
    lastNs: 5_010_000_000n,
    realtimeOffsetNs: 1_700_000_000_000_000_000n,
    toolNs: 30_000,
    callCostNs: 45,
    process: [
      ["host", "n1"],
      ["argv", ""],
      ["program", "/a b"],
    ],
    modules: [
      { number: 0, path: "/bin/app", buildId: "dead" },
      { number: 1, path: "/lib/ü.so", buildId: "" },
    ],
    states: [
      { number: 0, module: 0, offset: 0x1234n, category: 5, call: "MPI_Isend" },
      { number: 1, module: 0, offset: 0x5678n, category: 7, call: "MPI_Wait" },
      { number: 2, module: 1, offset: 0x9abcn, category: 11, call: "MPI_Allreduce" },
    ],
    problems: ["something was lost"],
    threads: [
      { thread: 0, written: 8, intercepted: 11, lost: 2, sampledOut: 1, sealed: 6, unsealed: 2 },
      { thread: 1, written: 1, intercepted: 1, lost: 0, sampledOut: 0, sealed: 1, unsealed: 0 },
    ],
  });
  expect(description.communicators.map(({ size, runs }) => [size, Array.from(runs)])).toEqual([
    [4, [0, 1, 4]],
    [1, [2, 0, 1]],
  ]);
});
