import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeTrace } from "../../../src/trace/write-synthetic.ts";
import { type Call, decode } from "./support/decode.ts";
import { type RandomTrace, randomTrace } from "./support/random.ts";
import { scratchFolder } from "./support/scratch.ts";

/** The rows that the table `calls` must have, made from the columns that went in. */
function expectedCalls({ columns, calls: states }: RandomTrace, threads: number): Call[] {
  const isIo = states.map(({ category }) => category?.startsWith("io_"));
  const calls: Call[] = [];
  for (let thread = 0; thread < threads; thread++) {
    let before: Call | undefined;
    for (let i = 0; i < columns.state.length; i++) {
      if (columns.thread[i] !== thread) continue;
      const call: Call = {
        thread,
        state: columns.state[i]!,
        edge: before ? [before.state, columns.state[i]!] : undefined,
        before: before ? columns.startNs[i]! - before.end : 0n,
        start: columns.startNs[i]!,
        end: columns.endNs[i]!,
        bytes: columns.bytes[i]!,
        beforeBytes: before ? before.bytes : 0n,
        peer: columns.peer[i]!,
        // Calls of I/O have a file there, which is not defined here.
        communicator: isIo[columns.state[i]!] ? -1 : columns.communicator[i]!,
        tag: columns.tag[i]!,
        requests: columns.requests[i]!,
        completed: columns.completed[i]!,
      };
      calls.push(call);
      before = call;
    }
  }
  return calls;
}

describe("what is written is read", () => {
  test.each(Array.from({ length: 40 }, (_, seed) => seed))("random columns, seed %i", (seed) => {
    const threads = 1 + (seed % 3);
    const trace = randomTrace(seed, 1 + ((seed * 97) % 2000), threads);
    const path = join(scratchFolder(), "0.vst");
    writeTrace(path, trace);
    const { calls, damage } = decode(path, undefined, 1 + ((seed * 31) % 700));
    expect(damage).toEqual([]);
    expect(calls).toEqual(expectedCalls(trace, threads));
  });

  test.each([1, 2, 3, 4, 5])("records that were not sealed, seed %i", (seed) => {
    const trace = randomTrace(seed, 1500, 2);
    const path = join(scratchFolder(), "0.vst");
    writeTrace(path, { ...trace, blockRecords: 200, finalized: false, unsealed: 7 * seed });
    const { reader, calls, damage } = decode(path);
    expect(damage).toEqual([]);
    expect(reader.description.finalized).toBe(false);
    expect(reader.description.threads.map((thread) => thread.unsealed)).toEqual([
      7 * seed,
      7 * seed,
    ]);
    expect(calls).toEqual(expectedCalls(trace, 2));
  });

  test("a process without calls", () => {
    const path = join(scratchFolder(), "0.vst");
    writeTrace(path, randomTrace(1, 0));
    const { calls, damage } = decode(path);
    expect(calls).toEqual([]);
    expect(damage).toEqual([]);
  });

  test("ticks of a counter come back as nanoseconds", () => {
    const trace = randomTrace(3, 500);
    const path = join(scratchFolder(), "0.vst");
    const rows = 500;
    for (let i = 0; i < rows; i++) {
      trace.columns.startNs[i] = BigInt(i) * 1_000_000n;
      trace.columns.endNs[i] = BigInt(i) * 1_000_000n + 500_000n;
    }
    writeTrace(path, { ...trace, ticksPerSecond: 2_400_000_000 });
    const { calls } = decode(path);
    const off = calls.flatMap((call, i) => [
      Math.abs(Number(call.start - trace.columns.startNs[i]!)),
      Math.abs(Number(call.end - trace.columns.endNs[i]!)),
    ]);
    // One tick is 0.4 ns, and ticks are whole numbers.
    expect(Math.max(...off)).toBeLessThanOrEqual(1);
  });
});

describe("the writer refuses what no program can do", () => {
  const trace = randomTrace(1, 3);
  const path = "/nonexistent/0.vst";
  test("unequal columns", () => {
    const columns = { ...trace.columns, peer: new Int32Array(2) };
    expect(() => writeTrace(path, { ...trace, columns })).toThrow("column peer has 2 rows");
  });
  test("time running backwards", () => {
    const columns = { ...trace.columns, endNs: new BigInt64Array(3) };
    columns.endNs.set([5n, 4n, 3n]);
    const startNs = BigInt64Array.of(0n, 1n, 2n);
    expect(() => writeTrace(path, { ...trace, columns: { ...columns, startNs } })).toThrow("back");
  });
  test("states that are not defined", () => {
    const columns = { ...trace.columns, state: Int32Array.of(0, 0, 99) };
    expect(() => writeTrace(path, { ...trace, columns })).toThrow("has state 99");
  });
  test("folders that do not exist", () => {
    expect(() => writeTrace(path, trace)).toThrow("cannot write /nonexistent/0.vst");
  });
});
