import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TraceReader } from "../../../src/trace/reader.ts";
import { writeTrace } from "../../../src/trace/write-synthetic.ts";
import { checkCounters, checkProbes, checkTransfers } from "../../fuzz/check-blocks.ts";
import { checkTrace } from "../../fuzz/check-trace.ts";
import { counterFile } from "./support/counter-file.ts";
import { type HandMadeProbe, probeFile, probesBlock } from "./support/probe-file.ts";
import { scratchFolder } from "./support/scratch.ts";

function read(bytes: Buffer): TraceReader {
  const path = join(scratchFolder(), "2.vst");
  writeFileSync(path, bytes);
  return new TraceReader(path);
}

/** A round as processes make them: tick, duration, CPU time meanwhile and before, delay, kind, core. */
function round(tick: number, cpu = 10 * tick): HandMadeProbe[] {
  return [
    [tick, 1335, 13_400, cpu, 70_000, 1, 5],
    [tick + 1400, 1656, 16_600, cpu + 14_000, 70_000, 2, 5],
    [tick + 3100, 1800, 18_100, cpu + 31_000, 70_000, 3, undefined],
  ];
}

/** What is found in these PROBES blocks. */
function found(...blocks: Buffer[]): string[] {
  return checkProbes(read(probeFile(blocks)).description);
}

describe("the fuzzer's check of probes", () => {
  test("finds nothing in whole rounds", () => {
    expect(found(probesBlock(round(3000)), probesBlock(round(9000)))).toEqual([]);
    expect(found()).toEqual([]);
  });

  test.each<[string, Buffer[], RegExp]>([
    ["a round that is not whole", [probesBlock(round(3000).slice(0, 2))], /no whole rounds/],
    ["works in another order", [probesBlock(round(3000).toReversed())], /is of kind 3/],
    ["another thread's", [probesBlock(round(3000), { thread: 1 })], /is of thread 1/],
    [
      "rounds out of order",
      [probesBlock(round(9000)), probesBlock(round(3000))],
      /before the last/,
    ],
    [
      "CPU time that goes back",
      [probesBlock(round(3000)), probesBlock(round(9000, 7))],
      /CPU time/,
    ],
  ])("finds %s", (_, blocks, complaint) => {
    expect(found(...blocks).join("\n")).toMatch(complaint);
  });
});

test("the check of counters finds nothing in a file made by hand, and readings that are damaged", () => {
  expect(checkCounters(read(counterFile()), 0n)).toEqual([]);
  expect(checkCounters(read(counterFile({ columns: 3 })), 0n)).not.toEqual([]);
});

/** Two calls, the second one completing what the first one started, as far as `start` says so. */
function transferFile(start: number): string {
  const path = join(scratchFolder(), "0.vst");
  const none = Int32Array.of(0);
  writeTrace(path, {
    rank: 0,
    worldSize: 1,
    calls: [
      { call: "MPI_Isend", category: "isend" },
      { call: "MPI_Wait", category: "wait" },
    ],
    columns: { state: [0, 1], startNs: [1000, 3000], endNs: [2000, 4000] },
    transfers: {
      thread: none,
      endRecord: BigInt64Array.of(1n),
      startThread: none,
      startRecord: BigInt64Array.of(BigInt(start)),
      flags: none,
      peer: none,
      tag: none,
      communicator: none,
      bytes: BigInt64Array.of(0n),
      blockTransfers: 10,
      unsealed: 0,
    },
  });
  return path;
}

test("the check of transfers finds one that belongs to no call", () => {
  expect(checkTrace(transferFile(0))).toMatchObject({ rows: 2, wrong: [] });
  expect(checkTrace(transferFile(7))?.wrong.join()).toMatch(/transfer/);
});

test("the check of transfers counts them", () => {
  const reader = new TraceReader(transferFile(0));
  const own = { states: Int32Array.of(0, 1), communicators: Int32Array.of(0, 1) };
  const mapping = { ...own, files: new Int32Array(), zeroNs: 0n };
  expect(checkTransfers(reader, mapping)).toEqual([]);
  reader.description.transfers.there = 2;
  expect(checkTransfers(reader, mapping)).toEqual(["1 of 2 transfers have rows"]);
});
