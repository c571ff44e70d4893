import { expect, test } from "vitest";
import { callsOf, decodeTrace, type Trace } from "./decode.ts";
import { buildDriver, runDriver, temporaryFolder } from "./run-driver.ts";

const folder = temporaryFolder();
const driver = buildDriver("plain");

/**
 * How many calls each of the program's threads has in the trace. Throws unless each has calls 0, 1, 2 ... in order:
 * `tag` is the program's thread and `bytes` the number of its call.
 */
export function countByProgramThread(trace: Trace): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { thread } of trace.staging) {
    for (const call of callsOf(trace, thread)) {
      const seen = counts.get(call.tag) ?? 0;
      if (call.bytes !== BigInt(seen)) {
        throw new Error(`thread ${call.tag} has call ${call.bytes} in place ${seen}`);
      }
      counts.set(call.tag, seen + 1);
    }
  }
  return counts;
}

test("eight threads at once lose nothing", () => {
  const run = runDriver(driver, folder, "threads", 20_000);
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const trace = decodeTrace(run.trace);
  const counts = countByProgramThread(trace);
  expect([...counts].toSorted((a, b) => a[0] - b[0])).toEqual(
    Array.from({ length: 8 }, (_, i) => [i, 20_000]),
  );
  expect(trace.staging.reduce((sum, s) => sum + s.intercepted, 0)).toBe(160_000);
});

test("thousands of short threads share a few staging areas", () => {
  const run = runDriver(driver, folder, "short-threads", 750);
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const trace = decodeTrace(run.trace);
  expect(trace.staging.length).toBeLessThanOrEqual(8);
  const counts = countByProgramThread(trace);
  expect(counts.size).toBe(3000);
  expect([...counts.values()].every((count) => count === 3)).toBe(true);
});

test("time between the end of a thread and the start of the next is nobody's", () => {
  const trace = decodeTrace(runDriver(driver, folder, "short-threads", 50).trace);
  const first = trace.fragments.filter((block) => block.calls[0]?.bytes === 0n);
  expect(first.length).toBe(200);
  expect(first.every((block) => block.previousExit === block.firstTick)).toBe(true);
  for (const block of trace.fragments) {
    expect(new Set(block.calls.map((call) => call.tag)).size).toBe(1);
  }
});

test("a finish in the middle of other threads' calls leaves a complete file", () => {
  for (let round = 0; round < 10; round++) {
    const run = runDriver(driver, folder, "busy-finish", 100 * round);
    expect([run.status, run.stderr]).toEqual([0, ""]);
    const trace = decodeTrace(run.trace);
    expect(trace).toMatchObject({ processState: 2, ended: true, problems: [] });
    const counts = countByProgramThread(trace);
    for (const line of run.stdout.trim().split("\n")) {
      const [, thread, taken] = line.split(" ").map(Number) as [number, number, number];
      const missing = taken - (counts.get(thread) ?? 0);
      expect(missing === 0 || missing === 1).toBe(true);
    }
    const sealed = trace.fragments.reduce((sum, f) => sum + f.calls.length, 0);
    expect(sealed).toBe(trace.staging.reduce((sum, s) => sum + s.written, 0));
  }
});

test("a process killed at any time leaves all that it had recorded", () => {
  for (let round = 0; round < 40; round++) {
    const run = runDriver(driver, folder, "kill", Math.floor((round / 40) ** 3 * 1_500_000));
    expect([run.status, run.stderr]).toEqual([0, ""]);
    const trace = decodeTrace(run.trace);
    expect(trace).toMatchObject({ processState: 1, ended: false });
    const counts = countByProgramThread(trace);
    for (const line of run.stdout.trim().split("\n")) {
      const [, thread, done, begun] = line.split(" ").map(Number) as [
        ...[number, number, number, number],
      ];
      const found = counts.get(thread) ?? 0;
      expect(found).toBeGreaterThanOrEqual(done);
      expect(found).toBeLessThanOrEqual(begun);
    }
  }
});
