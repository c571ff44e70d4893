import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { callsOf, decodeTrace } from "./decode.ts";
import { buildDriver, runDriver, temporaryFolder } from "./run-driver.ts";

const folder = temporaryFolder();
const driver = buildDriver("plain");

test("forked children, however they are forked, leave no mark in the trace", () => {
  const run = runDriver(driver, folder, "fork", 4000);
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const trace = decodeTrace(run.trace);
  const calls = callsOf(trace, 0);
  expect(calls.map((call) => Number(call.bytes))).toEqual(
    Array.from({ length: 4001 }, (_, i) => i),
  );
  expect(calls.every((call) => call.tag === 0)).toBe(true);
  expect(trace.staging.length).toBe(1);
  expect(trace.staging[0]).toMatchObject({ intercepted: 4001, lost: 0 });
  expect(trace).toMatchObject({ processState: 2, ended: true, problems: [] });
  expect(readdirSync(run.directory)).toEqual(["3.vst"]);
});

test.each([
  ["a process", 10],
  ["a child that records itself", 11],
])("children of %s find locks free that other threads hold there", (_, count) => {
  const run = runDriver(driver, folder, "fork-locked", count);
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const trace = decodeTrace(run.trace);
  expect(callsOf(trace, 0).length).toBe(count);
  expect(trace).toMatchObject({ processState: 2, ended: true, problems: [] });
});

test.each([
  ["the thread's stack", 200_000],
  ["a stack of their own", 200_001],
])("signal handlers on %s may call while the recorder is at work", (_, count) => {
  const run = runDriver(driver, folder, "signals", count);
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const [, own, inHandler, handled] = run.stdout.trim().split(" ").map(Number);
  const trace = decodeTrace(run.trace);
  expect(handled).toBeGreaterThan(0);
  expect(own).toBe(count);
  const staging = trace.staging[0];
  if (!staging) throw new Error("there is no staging area");
  expect(staging.intercepted).toBe(staging.written + staging.lost);
  const calls = callsOf(trace, 0);
  expect(calls.length).toBe(staging.written);
  const lost = (own ?? 0) + (inHandler ?? 0) - calls.length;
  expect(lost).toBeLessThanOrEqual(staging.lost);
  expect(trace.processState).toBe(2);
});

test("calls that are left by a jump are lost, and the next ones are recorded", () => {
  const run = runDriver(driver, folder, "leave", 50);
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const trace = decodeTrace(run.trace);
  expect(trace.staging[0]).toMatchObject({ intercepted: 100, written: 50, lost: 50 });
  expect(callsOf(trace, 0).map((call) => Number(call.bytes))).toEqual([...Array(50).keys()]);
});
