import { expect, test } from "vitest";
import { decodeTrace, type Trace } from "./decode.ts";
import { buildDriver, runDriver, temporaryFolder } from "./run-driver.ts";

const TIMEOUT = { timeout: 120_000 };
const folder = temporaryFolder();

function crowd(groups: string, threads: number): Trace {
  const run = runDriver(buildDriver("plain"), folder, "counter-crowd", threads, {
    VARSCOPE_COUNTERS: groups,
  });
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const trace = decodeTrace(run.trace);
  expect(trace.staging.map(({ written }) => written)).toEqual(Array(threads + 1).fill(1));
  return trace;
}

/** Threads that have readings of any counter. */
const read = (trace: Trace): number => trace.counters.staging.length;

test("threads beyond the 256th have no counters, which is said once", TIMEOUT, () => {
  const few = crowd("memory", 200);
  expect([read(few), few.problems]).toEqual([201, []]);
  const many = crowd("memory", 260);
  expect([read(many), many.problems]).toEqual([
    256,
    ["more than 256 threads at once: the later ones lack counters"],
  ]);
});

test(
  "threads beyond the 32nd have no hardware counters, which is said once",
  TIMEOUT,
  (context) => {
    const few = crowd("hardware", 20);
    const clock = few.counters.set.find(({ name }) => name === "task_clock");
    if (clock!.reason !== "") context.skip(`no hardware counters here: ${clock!.reason}`);
    expect(few.problems).toEqual([]);
    const { problems } = crowd("hardware", 40);
    expect(problems).toEqual([
      "more than 32 threads at once: the later ones lack hardware counters",
    ]);
  },
);
