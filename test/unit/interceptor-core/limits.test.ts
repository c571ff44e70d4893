import { expect, test } from "vitest";
import { callsOf, decodeTrace, type Trace } from "./decode.ts";
import { buildDriver, type DriverRun, runDriver, temporaryFolder } from "./run-driver.ts";

const folder = temporaryFolder();
const driver = buildDriver("plain");
const NOT_POSSIBLE_HERE = 77;

function sum(trace: Trace, key: "intercepted" | "written" | "lost"): number {
  return trace.staging.reduce((total, staging) => total + staging[key], 0);
}

/**
 * Recording stopped for this reason; every one of `calls` calls is counted, the first ones are whole.
 * @returns how many are
 */
function expectStopped(run: DriverRun, calls: number, problem: RegExp): number {
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const trace = decodeTrace(run.trace);
  expect(trace.processState).toBe(3);
  expect(trace.problems).toEqual([expect.stringMatching(problem)]);
  expect(sum(trace, "intercepted")).toBe(calls);
  expect(sum(trace, "written") + sum(trace, "lost")).toBe(calls);
  const kept = callsOf(trace, 0);
  expect(kept.length).toBe(trace.staging[0]?.written);
  expect(kept.every((call, i) => call.bytes === BigInt(i))).toBe(true);
  return kept.length;
}

test("without memory recording stops and the program goes on; a new thread's calls are counted", () => {
  const run = runDriver(driver, folder, "no-memory", 400_000);
  const problem = /^recording stopped: cannot \w+ the trace file: Cannot allocate memory$/;
  expect(expectStopped(run, 400_002, problem)).toBeGreaterThan(0);
});

test("without memory at the start one line says so", () => {
  const run = runDriver(driver, folder, "no-memory-at-start", 0);
  expect(run.status).toBe(3);
  expect(run.stderr).toMatch(
    /^cannot (start recording: out of memory|create the trace file )[^\n]*\n$/,
  );
});

test("where mappings are refused later, recording stops and the program goes on", ({ skip }) => {
  const run = runDriver(driver, folder, "no-mapping", 400_000);
  if (run.status === NOT_POSSIBLE_HERE) skip("needs the right to filter system calls");
  const problem = /^recording stopped: cannot \w+ the trace file: Operation not permitted$/;
  expect(expectStopped(run, 400_000, problem)).toBeGreaterThan(0);
});

test.for<[scenario: string, message: RegExp]>([
  ["no-mapping", /^cannot create the trace file [^\n]*\/3\.vst: Operation not permitted\n$/],
  ["no-inodes", /^cannot create the trace file [^\n]*\/3\.vst: No space left on device\n$/],
  ["read-only", /^cannot create the trace file [^\n]*\/3\.vst: Read-only file system\n$/],
])("%s at the start: one line says why nothing is recorded", ([scenario, message], { skip }) => {
  const run = runDriver(driver, folder, scenario, 0);
  if (run.status === NOT_POSSIBLE_HERE) skip("needs rights that this machine does not give");
  expect(run.status).toBe(3);
  expect(run.stderr).toMatch(message);
});

test("tens of thousands of states are told apart", () => {
  const states = 40_000;
  const run = runDriver(driver, folder, "many-states", states);
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const trace = decodeTrace(run.trace);
  expect(trace.processState).toBe(2);
  const calls = callsOf(trace, 0);
  expect(calls.length).toBe(2 * states);
  const stateOf = new Map(calls.slice(0, states).map((call) => [call.bytes, call.state]));
  expect(new Set(stateOf.values()).size).toBe(states);
  expect(calls.slice(states).every((call) => stateOf.get(call.bytes) === call.state)).toBe(true);
});
