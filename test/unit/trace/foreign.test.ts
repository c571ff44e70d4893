import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decode } from "./support/decode.ts";
import { block, file, pack } from "./support/golden.ts";
import { scratchFolder } from "./support/scratch.ts";

const end = block(9, Buffer.alloc(0));

function changed(change: (bytes: Buffer) => void): Buffer {
  const bytes = file([end]);
  change(bytes);
  return bytes;
}

function clock(tick: number, ns: number): Buffer {
  return block(5, pack(["u64", tick], ["u64", ns], ["u64", ns]));
}

describe("files of no use give one line", () => {
  test.each<[string, Buffer, string]>([
    ["empty", Buffer.alloc(0), "0.vst is empty"],
    ["text", Buffer.from("#!/bin/sh\n".repeat(1000)), "0.vst is not a varscope trace file"],
    ["zeros", Buffer.alloc(8192), "0.vst was never begun"],
    ["half a header", file([end]).subarray(0, 2000), "0.vst is cut short inside its header"],
    [
      "another major",
      changed((b) => b.writeUInt16LE(4, 12)),
      "0.vst has format 4.0, this varscope",
    ],
    ["the other byte order", changed((b) => b.writeUInt32BE(0x01020304, 8)), "other byte order"],
    ["no byte order", changed((b) => b.writeUInt32LE(5, 8)), "its byte order is unknown"],
    ["rank beyond size", changed((b) => b.writeInt32LE(4, 48)), "rank 4 of 4"],
    ["header length", changed((b) => b.writeUInt32LE(64, 16)), "it names a wrong length"],
    ["header checksum", changed((b) => b.writeUInt32LE(1, 76)), "its checksum is wrong"],
    ["no clock", file([end]), "no usable clock reading"],
  ])("%s", (_, bytes, message) => {
    const path = join(scratchFolder(), "0.vst");
    writeFileSync(path, bytes);
    expect(() => decode(path)).toThrow(message);
  });

  test("a folder, and nothing at all", () => {
    const path = join(scratchFolder(), "0.vst");
    expect(() => decode(path)).toThrow("0.vst cannot be opened: No such file");
    mkdirSync(path);
    expect(() => decode(path)).toThrow("0.vst is not a regular file");
  });
});

test("clock readings that contradict the others are left out and named", () => {
  const path = join(scratchFolder(), "0.vst");
  // 10 ns a tick, but for the third reading.
  const readings = [clock(0, 1e9), clock(1e6, 1.01e9), clock(2e6, 9e9), clock(3e6, 1.03e9)];
  writeFileSync(path, file([...readings, end], { state: 2 }));
  const { damage, reader } = decode(path);
  expect(damage).toEqual(["1 of 4 clock readings contradict the others and were not used"]);
  expect(reader.description.lastNs).toBe(1_030_000_000n);
});

const state = (number: number, call: string): Buffer =>
  block(3, pack(["u32", number], ["u32", 0], ["u64", 1], ["u32", 2], ["u32", 0], ["text", call]));
const counters = (written: number, intercepted: number, lost: number): Buffer =>
  block(
    7,
    pack(["u64", written], ["u64", intercepted], ["u64", lost], ["u64", 0], ["u32", 0], ["u32", 1]),
  );

describe("what contradicts itself is named", () => {
  test.each<[string, Buffer[], number, string]>([
    ["a finalized file without end", [], 2, "its end is missing although MPI_Finalize returned"],
    ["an end of a running process", [end], 1, "its header says that it was not closed"],
    ["two definitions", [state(0, "A"), state(0, "B"), end], 2, "1 states are defined twice"],
    ["records that are not there", [counters(5, 5, 0), end], 2, "5 of 5 records are not there"],
    ["counters", [counters(0, 7, 3), end], 2, "thread 0: its counters do not add up"],
    ["text without end", [block(8, Buffer.from("text")), end], 2, "a text has no end"],
    ["two slots blocks", [counters(0, 0, 0), counters(0, 0, 0), end], 2, "such a block already"],
  ])("%s", (_, blocks, processState, line) => {
    const path = join(scratchFolder(), "0.vst");
    writeFileSync(path, file([clock(0, 1e9), ...blocks], { state: processState }));
    expect(decode(path).damage.join("\n")).toContain(line);
  });
});
