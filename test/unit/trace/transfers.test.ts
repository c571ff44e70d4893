import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TraceFileError } from "../../../src/trace/reader.ts";
import { writeTrace } from "../../../src/trace/write-synthetic.ts";
import { Random, type RandomTrace, randomTrace } from "./support/random.ts";
import { scratchFolder } from "./support/scratch.ts";
import { decodeTransfers, expectedTransfers, randomTransfers } from "./support/transfers.ts";

/** As randomTrace, with communicators that a file's own numbers show as they are. */
function calls(seed: number, rows: number, threads: number): RandomTrace {
  const trace = randomTrace(seed, rows, threads);
  trace.columns.communicator.forEach((value, i, all) => (all[i] = Math.min(value, 1)));
  return trace;
}

describe("what is written is read", () => {
  test.each(Array.from({ length: 40 }, (_, seed) => seed))("random transfers, seed %i", (seed) => {
    const threads = 1 + (seed % 3);
    const trace = calls(seed, 60 + seed * 40, threads);
    const transfers = randomTransfers(trace, seed, 1 + ((seed * 131) % 900));
    const path = join(scratchFolder(), "0.vst");
    writeTrace(path, { ...trace, transfers, blockRecords: 1 + ((seed * 17) % 90) });
    expect(decodeTransfers(path, 1 + ((seed * 31) % 300))).toEqual({
      rows: expectedTransfers(trace, transfers),
      damage: [],
      unmatched: 0,
    });
  });

  test.each([1, 2, 3])("transfers and calls in slots, seed %i", (seed) => {
    const trace = calls(seed, 900, 2);
    const transfers = { ...randomTransfers(trace, seed, 500), unsealed: 5 * seed };
    const path = join(scratchFolder(), "0.vst");
    writeTrace(path, { ...trace, transfers, finalized: false, unsealed: 7 * seed });
    const { rows, damage } = decodeTransfers(path);
    expect(damage).toEqual([]);
    expect(rows).toEqual(expectedTransfers(trace, transfers));
  });
});

test("a program that repeats itself takes hardly any bytes for its transfers", () => {
  const steps = 1500;
  const trace = calls(1, 5 * steps, 1);
  for (let i = 0; i < 5 * steps; i++) {
    trace.columns.startNs[i] = BigInt(10 * i);
    trace.columns.endNs[i] = BigInt(10 * i + 7);
  }
  // Each step: two receives, two sends, one call that completes all.
  const all = Array.from({ length: 4 * steps }, (_, i) => i);
  const end = BigInt64Array.from(all, (i) => BigInt(Math.floor(i / 4) * 5 + 4));
  const none = new Int32Array(all.length);
  const transfers = {
    thread: none,
    startThread: none,
    flags: none,
    peer: none,
    tag: none,
    communicator: none,
    endRecord: end,
    bytes: new BigInt64Array(all.length),
    startRecord: BigInt64Array.from(all, (i) => BigInt(Math.floor(i / 4) * 5 + (i % 4))),
    blockTransfers: 1024,
    unsealed: 0,
  };
  const folder = scratchFolder();
  const size = (name: string, more: Partial<typeof trace & { transfers: typeof transfers }>) => {
    writeTrace(join(folder, name), { ...trace, ...more });
    return readFileSync(join(folder, name)).length;
  };
  const bytes = size("with", { transfers }) - size("without", {});
  expect(bytes / all.length).toBeLessThan(0.25);
  expect(decodeTransfers(join(folder, "with")).rows).toEqual(expectedTransfers(trace, transfers));
});

/** As decodeTransfers; a file that is of no use holds nothing. */
function decodeDamaged(path: string): { rows: string[]; damage: string[] } {
  try {
    return decodeTransfers(path);
  } catch (error) {
    if (!(error instanceof TraceFileError)) throw error;
    return { rows: [], damage: [error.message] };
  }
}

/** Whatever is damaged: what is read is right, and what is not read is missed. */
test.each([1, 2, 3, 4])("damage costs transfers but makes none up, seed %i", (seed) => {
  const random = new Random(seed);
  const trace = calls(seed, 800, 2);
  const transfers = randomTransfers(trace, seed, 600);
  const path = join(scratchFolder(), "0.vst");
  writeTrace(path, { ...trace, transfers, blockRecords: 64 });
  const sound = readFileSync(path);
  const known = new Set(expectedTransfers(trace, transfers));
  let seen = 0;
  for (let copy = 0; copy < 60; copy++) {
    const bytes = Buffer.from(sound);
    for (let changes = random.below(3); changes >= 0; changes--) {
      const at = 4096 + random.below(bytes.length - 4096);
      bytes[at] = bytes[at]! ^ (1 << random.below(8));
    }
    writeFileSync(path, bytes);
    const { rows, damage } = decodeDamaged(path);
    expect(rows.filter((row) => !known.has(row))).toEqual([]);
    expect(damage.length > 0 || rows.length === transfers.thread.length).toBe(true);
    seen += rows.length;
  }
  expect(seen).toBeGreaterThan(10_000);
});
