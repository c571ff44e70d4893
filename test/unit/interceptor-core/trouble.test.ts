import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callsOf, decodeTrace, type Trace } from "./decode.ts";
import {
  buildDriver,
  type DriverRun,
  runDriver,
  runDriverIn,
  temporaryFolder,
} from "./run-driver.ts";

const folder = temporaryFolder();
const driver = buildDriver("plain");
const NOT_POSSIBLE_HERE = 77;

function sum(trace: Trace, key: "intercepted" | "written" | "lost"): number {
  return trace.staging.reduce((total, staging) => total + staging[key], 0);
}

/** Recording stopped, but the program went on and every one of its `calls` calls is accounted for. */
function expectStopped(run: DriverRun, file: string, calls: number, problem: RegExp): Trace {
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const trace = decodeTrace(file);
  expect(trace.processState).toBe(3);
  expect(trace.problems).toEqual([expect.stringMatching(problem)]);
  expect(sum(trace, "intercepted")).toBe(calls);
  expect(sum(trace, "written") + sum(trace, "lost")).toBe(calls);
  expect(sum(trace, "lost")).toBeGreaterThan(0);
  const kept = callsOf(trace, 0);
  expect(kept.length).toBe(trace.staging[0]?.written);
  expect(kept.every((call, i) => call.bytes === BigInt(i))).toBe(true);
  return trace;
}

test("a full disk stops recording and nothing else", ({ skip }) => {
  const run = runDriver(driver, folder, "full-disk", 400_000);
  if (run.status === NOT_POSSIBLE_HERE) skip("needs the right to mount a small disk");
  const problem = /^recording stopped: cannot enlarge the trace file: No space left on device$/;
  const trace = expectStopped(run, run.out, 400_002, problem);
  expect(trace.staging.length).toBe(2);
  expect(trace.staging[1]).toMatchObject({ capacity: 0, intercepted: 2, lost: 2, written: 0 });
});

test("a limit on the size of files stops recording without a signal", () => {
  const run = runDriver(driver, folder, "size-limit", 400_000);
  const problem = /cannot enlarge the trace file: File too large$/;
  const trace = expectStopped(run, run.trace, 400_002, problem);
  expect(trace.ended).toBe(false);
});

test("however full the file is, there is room to say why it ends", () => {
  for (const bytes of [0, 1, 7, 8, 30, 77, 100, 151, 200, 256, 305, 398, 399]) {
    const run = runDriver(driver, folder, "fill-up", bytes);
    expect([run.status, run.stderr]).toEqual([0, ""]);
    const trace = decodeTrace(run.trace);
    expect(trace.processState).toBe(3);
    const last = trace.problems.pop();
    expect(last).toBe("recording stopped: cannot enlarge the trace file: File too large");
    expect(new Set(trace.problems)).toEqual(new Set(["x".repeat(bytes)]));
    expect(sum(trace, "lost")).toBe(7);
    expect(sum(trace, "intercepted")).toBe(7);
  }
});

test("a program out of descriptors loses the trace's end only", () => {
  const run = runDriver(driver, folder, "few-descriptors", 400_000);
  const problem = /cannot enlarge the trace file: Too many open files$/;
  const trace = expectStopped(run, run.trace, 400_000, problem);
  expect(trace.ended).toBe(false);
});

test("a program that closes all descriptors is recorded in full", () => {
  const run = runDriver(driver, folder, "close-all", 400_000);
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const trace = decodeTrace(run.trace);
  expect(callsOf(trace, 0).length).toBe(400_000);
  expect(trace.processState).toBe(2);
});

test("another file in the trace's place is left alone", () => {
  const traces = join(folder, "replaced");
  mkdirSync(traces);
  writeFileSync(join(folder, "other"), "not a trace");
  const run = runDriverIn(driver, traces, join(folder, "other"), ["replaced", 400_000]);
  expectStopped(run, join(traces, "kept"), 400_000, /another file took its place$/);
  expect(readFileSync(run.trace, "utf8")).toBe("not a trace");
});

test("a second job in the same folder gets a file of its own, a third none", () => {
  const traces = join(folder, "twice");
  mkdirSync(traces);
  const start = () => runDriverIn(driver, traces, join(folder, "out"), ["second-start", 0]);
  expect(start().status).toBe(0);
  const first = readFileSync(join(traces, "3.vst"));
  expect(start().status).toBe(0);
  expect(readdirSync(traces).toSorted()).toEqual(["3.vst", "abcdef0123456789-3.vst"]);
  expect(callsOf(decodeTrace(join(traces, "abcdef0123456789-3.vst")), 0).length).toBe(1);
  const third = start();
  expect(third.status).toBe(3);
  expect(third.stderr).toBe(
    `cannot create the trace file ${traces}/abcdef0123456789-3.vst: File exists\n`,
  );
  expect(readFileSync(join(traces, "3.vst"))).toEqual(first);
});

test.each([
  [
    "/nowhere/at/all",
    "cannot create the trace file /nowhere/at/all/3.vst: No such file or directory",
  ],
  ["/proc/version", "cannot create the trace file /proc/version/3.vst: Not a directory"],
  ["relative", "VARSCOPE_TRACE_DIR must name the trace folder by its absolute path"],
])("the unusable folder %s is named in one line", (directory, message) => {
  const run = runDriverIn(driver, directory, join(folder, "out"), ["second-start", 0]);
  expect([run.status, run.stderr]).toEqual([3, `${message}\n`]);
});

test("a folder whose name is too long is refused in one line", () => {
  const directory = `/${"x".repeat(5000)}`;
  const run = runDriverIn(driver, directory, join(folder, "out"), ["second-start", 0]);
  expect(run.status).toBe(3);
  expect(run.stderr).toMatch(/^cannot create the trace file \/x+[^\n]*\n$/);
});
