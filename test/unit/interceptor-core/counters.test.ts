import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { decodeTrace, type Trace } from "./decode.ts";
import { growth, type Reading, readingsOf } from "./decode-counters.ts";
import { buildDriver, type DriverRun, runDriver, temporaryFolder } from "./run-driver.ts";

const TIMEOUT = { timeout: 120_000 };
const folder = temporaryFolder();
const driver = buildDriver("plain");
const hasReader = existsSync(join(import.meta.dirname, "../../../build/native/trace.node"));

afterEach(() => {
  delete process.env["VARSCOPE_COUNTERS"];
  delete process.env["VARSCOPE_BUDGET"];
});

function runWith(counters: string, scenario: string, argument: number): DriverRun {
  process.env["VARSCOPE_COUNTERS"] = counters;
  const run = runDriver(driver, folder, scenario, argument);
  expect([run.status, run.stderr]).toEqual([0, ""]);
  return run;
}

/** What the program itself read from the kernel: least and most of each counter. */
function boundsIn(stdout: string): Map<string, [least: bigint, most: bigint]> {
  const lines = stdout.trim().split("\n");
  return new Map(
    lines.map((line) => {
      const [name = "", least = "", most = ""] = line.split(" ");
      return [name, [BigInt(least), BigInt(most)]];
    }),
  );
}

function expectWithin(trace: Trace, bounds: ReturnType<typeof boundsIn>): void {
  for (const [name, [least, most]] of bounds) {
    if (name === "wall") continue;
    const grown = growth(trace.counters, 0, name);
    expect([name, grown >= least && grown <= most, least, grown, most]).toEqual([
      name,
      true,
      least,
      grown,
      most,
    ]);
  }
}

describe("counters agree with what the kernel told the program", () => {
  test("computing, sleeping, touching pages", TIMEOUT, () => {
    const run = runWith("default", "counters", 10);
    const bounds = boundsIn(run.stdout);
    expect(bounds.get("minor_faults")![0]).toBeGreaterThanOrEqual(320n);
    expect(bounds.get("voluntary_switches")![0]).toBeGreaterThanOrEqual(10n);
    const trace = decodeTrace(run.trace);
    expectWithin(trace, bounds);
    // Neither end is the only reading.
    expect(readingsOf(trace.counters, 0).length).toBeGreaterThan(3);
  });

  test("waiting for a core that another process uses", TIMEOUT, () => {
    const run = runWith("scheduler", "counters", -60);
    const bounds = boundsIn(run.stdout);
    const trace = decodeTrace(run.trace);
    expectWithin(trace, bounds);
    // Two processes share the core, so about half of the time; far more than of an undisturbed one.
    const wall = bounds.get("wall")![0];
    expect(growth(trace.counters, 0, "run_delay")).toBeGreaterThan(wall / 10n);
    expect(growth(trace.counters, 0, "cpu_time")).toBeLessThan((wall * 9n) / 10n);
  });

  test("thousands of short threads, which share a few numbers", TIMEOUT, () => {
    const run = runWith("memory", "counter-threads", 1000);
    const trace = decodeTrace(run.trace);
    const [least, most] = boundsIn(run.stdout).get("minor_faults")!;
    expect(least).toBeGreaterThanOrEqual(64_000n);
    const threads = trace.counters.staging.map(({ thread }) => thread);
    expect(threads.length).toBeLessThanOrEqual(4);
    const sum = threads
      .map((thread) => growth(trace.counters, thread, "minor_faults"))
      .reduce((a, b) => a + b, 0n);
    expect(sum).toBeGreaterThanOrEqual(least);
    expect(sum).toBeLessThanOrEqual(most);
  });

  test("the task clock of the hardware group is the thread's CPU time", TIMEOUT, () => {
    const run = runWith("default,hardware", "counters", 10);
    const trace = decodeTrace(run.trace);
    expectWithin(trace, boundsIn(run.stdout));
    const clock = trace.counters.set.find(({ name }) => name === "task_clock");
    expect(clock).toBeDefined();
    if (clock!.reason !== "") return; // perf_event_open is refused here, and the trace says so
    const cpu = Number(growth(trace.counters, 0, "cpu_time"));
    expect(Number(growth(trace.counters, 0, "task_clock")) / cpu).toBeCloseTo(1, 0);
    expect(growth(trace.counters, 0, "task_clock")).toBeGreaterThan(BigInt(Math.floor(cpu / 2)));
  });
});

test("descriptors of the program are left alone", TIMEOUT, () => {
  const trace = decodeTrace(runWith("all", "counter-descriptors", 40).trace);
  expect(trace.processState).toBe(2);
  expect(growth(trace.counters, 0, "cpu_time")).toBeGreaterThan(0n);
});

/** Names of the counters in a run's trace. */
function namesIn(run: DriverRun): string[] {
  return decodeTrace(run.trace).counters.set.map(({ name }) => name);
}

describe("what is asked for", () => {
  test.each([
    ["memory", ["minor_faults", "major_faults", "voluntary_switches", "involuntary_switches"]],
    ["none", []],
    ["default,none", []],
  ])("%s", TIMEOUT, (groups, names) => {
    expect(namesIn(runWith(groups, "calls", 100))).toEqual(names);
  });

  test("all is every group", TIMEOUT, () => {
    const all = namesIn(runWith("all", "calls", 100));
    const single = ["scheduler", "memory", "io", "hardware"].flatMap((group) =>
      namesIn(runWith(group, "calls", 100)),
    );
    expect(new Set(all)).toEqual(new Set(single));
    expect(all.length).toBe(22);
  });

  test("an unknown group is told, the others are read", TIMEOUT, () => {
    const trace = decodeTrace(runWith("memory,sched", "calls", 100).trace);
    expect(trace.counters.set.length).toBe(4);
    expect(trace.problems[0]).toBe(
      "VARSCOPE_COUNTERS: no group 'sched'; there are default, scheduler, memory, io, hardware, all, none",
    );
  });

  test("a budget of nothing reads nothing", TIMEOUT, () => {
    process.env["VARSCOPE_BUDGET"] = "0";
    expect(decodeTrace(runWith("all", "govern", 1000).trace).counters.set).toEqual([]);
  });
});

/** Rows of counter_samples by definition: of readings that keep a value, the first and the last. */
function rowsOf(readings: Reading[], source: number, column: number): [bigint, bigint][] {
  const own = readings.filter(({ sources }) => (sources >> BigInt(source)) & 1n);
  return own
    .map(({ tick, values }): [bigint, bigint] => [tick, values[column]!])
    .filter(([, value], i, all) => !(all[i - 1]?.[1] === value && all[i + 1]?.[1] === value));
}

test.skipIf(!hasReader).each([
  ["counters", 10],
  ["counter-threads", 300],
  ["kill", 3_000_000],
  ["size-limit", 300_000],
] as const)("the reader finds the counters of %s %i", TIMEOUT, async (name, argument) => {
  const { TraceReader } = await import("../../../src/trace/reader.ts");
  const run = runWith("all", name, argument);
  const trace = decodeTrace(run.trace);
  const reader = new TraceReader(run.trace);
  expect(reader.description.damage).toEqual([]);
  const { set, staging } = trace.counters;
  expect(reader.description.counters).toMatchObject(
    set.map(({ name: n, unit, group, reason, scope }) => ({ name: n, unit, group, reason, scope })),
  );
  const columns = {
    rank: new Int32Array(100),
    thread: new Int16Array(100),
    at_ns: new BigInt64Array(100),
    counter: new Int16Array(100),
    value: new BigInt64Array(100),
  };
  const found = new Map<string, bigint[]>();
  const batches = reader.decodeCounters(Int32Array.from(set.keys()), 0n, columns);
  let batch = batches.next();
  for (; !batch.done; batch = batches.next()) {
    for (let i = 0; i < batch.value; i++) {
      const key = `${columns.thread[i]} ${columns.counter[i]}`;
      if (!found.has(key)) found.set(key, []);
      found.get(key)!.push(columns.value[i]!);
    }
  }
  expect(batch.value).toEqual([]);
  const wanted = new Map<string, bigint[]>();
  for (const { thread } of staging) {
    const readings = readingsOf(trace.counters, thread);
    for (const [number, { source, column }] of set.entries()) {
      const rows = column < 0 ? [] : rowsOf(readings, source, column);
      if (rows.length > 0)
        wanted.set(
          `${thread} ${number}`,
          rows.map(([, value]) => value),
        );
    }
  }
  expect(found).toEqual(wanted);
  expect(wanted.size).toBeGreaterThan(5);
});
