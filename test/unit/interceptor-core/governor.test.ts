import { existsSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { callsOf, decodeTrace, type Trace } from "./decode.ts";
import {
  buildDriver,
  type DriverRun,
  runDriver,
  temporaryFolder,
  type Variant,
} from "./run-driver.ts";

const folder = temporaryFolder();
const driver = buildDriver("plain");
const NAMES = [
  "MPI_Send",
  "MPI_Recv",
  "MPI_Waitall",
  "MPI_Allreduce",
  "MPI_Comm_dup",
  "MPI_Pcontrol",
];

function run(
  scenario: string,
  calls: number,
  environment: Record<string, string>,
  program = driver,
): { run: DriverRun; trace: Trace } {
  const done = runDriver(program, folder, scenario, calls, environment);
  expect([done.status, done.stderr]).toEqual([0, ""]);
  return { run: done, trace: decodeTrace(done.trace) };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Calls by name, recorded and left out. */
function countCalls(trace: Trace): { recorded: number[]; leftOut: number[] } {
  const number = (state: number): number => NAMES.indexOf(trace.states[state]!.name);
  const recorded = NAMES.map(() => 0);
  const leftOut = NAMES.map(() => 0);
  for (const { thread } of trace.staging) {
    for (const { state } of callsOf(trace, thread)) recorded[number(state)]! += 1;
  }
  for (const { state, calls } of trace.counts) leftOut[number(state)]! += calls;
  return { recorded, leftOut };
}

/**
 * Calls are numbered: between two records just as many are missing as the later one says, and threads end
 * with what their counters say. A thread that has ended may be followed by another one of the program (`tag`)
 * under its number.
 */
function checkGaps(trace: Trace, callsPerThread = 0): void {
  for (const { thread, written, sampledOut, intercepted, lost } of trace.staging) {
    let [next, told, tag] = [0n, 0, callsOf(trace, thread)[0]?.tag];
    for (const call of callsOf(trace, thread)) {
      if (call.tag !== tag) next -= BigInt(callsPerThread);
      tag = call.tag;
      if (call.bytes !== next + BigInt(call.skipped)) {
        throw new Error(
          `${call.skipped} calls are said to be missing between ${next} and ${call.bytes}`,
        );
      }
      next = call.bytes + 1n;
      told += call.skipped;
    }
    expect(told).toBeLessThanOrEqual(sampledOut);
    expect(intercepted).toBe(written + sampledOut + lost);
    const counts = trace.counts.filter((count) => count.thread === thread);
    expect(sum(counts.map(({ calls }) => calls))).toBe(sampledOut);
    expect(new Set(counts.map(({ state }) => state)).size).toBe(counts.length);
  }
}

const made = (done: DriverRun): number[] =>
  done.stdout.split(" ").slice(0, NAMES.length).map(Number);

/** The number behind a word that the driver printed. */
function printed(done: DriverRun, word: string): number {
  return Number(new RegExp(`${word} (\\d+)`).exec(done.stdout)?.[1]);
}

test.each([
  ["0.1", 1_000_000],
  ["1", 1_000_000],
  ["10", 10_000],
] as const)("budget %s: no call is forgotten, whatever is thinned", (budget, quick) => {
  const { run: done, trace } = run("govern", 3_000_000, { VARSCOPE_BUDGET: budget });
  const { recorded, leftOut } = countCalls(trace);
  expect(recorded.map((count, i) => count + leftOut[i]!)).toEqual(made(done));
  checkGaps(trace);
  // Far more calls than any budget has room for; yet no communicator call is left out, and all keep samples.
  expect(sum(leftOut)).toBeGreaterThan(1_000_000);
  expect(leftOut[4]).toBe(0);
  expect(recorded[4]).toBe(3000);
  expect(recorded.slice(0, 4).every((count) => count > 100)).toBe(true);
  // Most of them are counted without asking the recorder.
  expect(printed(done, "quick")).toBeGreaterThan(quick);
  for (const { calls, timed } of trace.counts) {
    expect(timed).toBeLessThanOrEqual(calls);
    expect(timed).toBeGreaterThanOrEqual(Math.floor(calls / 256));
  }
});

test("thinned calls are recorded in bursts of 64, whose computations are true", () => {
  const { trace } = run("govern", 3_000_000, { VARSCOPE_BUDGET: "0.1" });
  const bursts: number[] = [];
  for (const { skipped } of callsOf(trace, 0).slice(-2000)) {
    if (skipped > 0) bursts.push(0);
    if (bursts.length > 0) bursts[bursts.length - 1]! += 1;
  }
  // Calls that are never left out make a burst longer, or stand alone.
  const long = bursts.slice(0, -1).filter((length) => length > 2);
  expect(long.length).toBeGreaterThan(0);
  for (const length of long) expect(length === 64 || length === 65).toBe(true);
});

/** Shares of the calls, and of the long computations between two calls, that a budget leaves on record. */
function keptOfUneven(budget: number): { calls: number; computations: number } {
  const rounds = 8000;
  const { trace } = run("govern-uneven", 48 * rounds, { VARSCOPE_BUDGET: String(budget) });
  const calls = callsOf(trace, 0);
  const long = (trace.ticksPerSecond * 200n) / 1_000_000n;
  const computations = calls.filter(
    ({ enter, skipped }, i) => i > 0 && skipped === 0 && enter - calls[i - 1]!.exit >= long,
  );
  return { calls: calls.length / (48 * rounds), computations: computations.length / rounds };
}

test("what lies at either end of long computations is kept first, though most calls of these states come at once", () => {
  // A budget under which about half of the calls are kept: what calls cost is the machine's.
  let kept = keptOfUneven(1.3);
  for (let [i, budget] = [0, 1.3]; i < 6 && (kept.calls < 0.42 || kept.calls > 0.7); i++) {
    budget *= kept.calls < 0.42 ? 1.4 : 0.8;
    kept = keptOfUneven(budget);
  }
  expect(kept.computations).toBeGreaterThan(1.3 * kept.calls);
});

test("a short program is kept whole, and a full record is always full", () => {
  const short = run("govern", 3000, { VARSCOPE_BUDGET: "1" }).trace;
  expect(callsOf(short, 0).length).toBe(3000);
  const full = run("govern", 300_000, { VARSCOPE_BUDGET: "full" }).trace;
  expect(callsOf(full, 0).length).toBe(300_000);
  expect([...short.counts, ...full.counts]).toEqual([]);
  expect(full.callTicks > 0n).toBe(true);
});

test("budget 0 records only what is never left out, and times the rest", () => {
  const { run: done, trace } = run("govern", 100_000, { VARSCOPE_BUDGET: "0" });
  const { recorded, leftOut } = countCalls(trace);
  const all = made(done);
  expect(recorded).toEqual([0, 0, 0, 0, 100, 0]);
  expect(leftOut).toEqual([...all.slice(0, 4), 0, 0]);
  expect(trace.counts.every(({ calls, timed }) => calls === timed)).toBe(true);
  checkGaps(trace);
});

test("calls left by an error handler are counted once", () => {
  const { run: done, trace } = run("govern-left", 1_000_000, { VARSCOPE_BUDGET: "0.5" });
  expect(printed(done, "left")).toBeGreaterThan(100);
  const [thread] = trace.staging;
  expect(thread?.intercepted).toBe(made(done)[0]);
  expect(thread?.lost).toBe(0);
});

test("a forked child's calls are not its parent's", () => {
  const { run: done, trace } = run("govern-fork", 400_000, { VARSCOPE_BUDGET: "0.5" });
  const { recorded, leftOut } = countCalls(trace);
  expect(recorded.map((count, i) => count + leftOut[i]!)).toEqual(made(done));
  checkGaps(trace, 400_000);
});

test("threads are thinned each by themselves", () => {
  const { run: done, trace } = run("govern-threads", 400_000, { VARSCOPE_BUDGET: "1" });
  const { recorded, leftOut } = countCalls(trace);
  expect(recorded.map((count, i) => count + leftOut[i]!)).toEqual(made(done));
  checkGaps(trace, 400_000);
});

test.each(["1", "0"])("budget %s: a kill loses one call at most", (budget) => {
  const { run: done, trace } = run("govern-kill", 400_000, { VARSCOPE_BUDGET: budget });
  const [thread] = trace.staging;
  const calls = Number(done.stdout);
  if (!thread) throw new Error("there is no thread");
  const seen = thread.written + thread.sampledOut;
  expect(thread.intercepted - seen).toBeOneOf([0, 1]);
  // Counts of states may be ahead of the thread's; then they hold.
  const counted = sum(trace.counts.map((count) => count.calls));
  const ahead = Math.max(0, counted - thread.sampledOut);
  expect(ahead).toBeLessThanOrEqual(256);
  expect(thread.intercepted + ahead - calls).toBeOneOf([0, 1]);
  expect(counted - thread.sampledOut - ahead).toBeOneOf([0, -1]);
});

test("while paused, calls are counted, but for those that are never left out", () => {
  const { run: done, trace } = run("pause", 600, { VARSCOPE_BUDGET: "full" });
  const { recorded, leftOut } = countCalls(trace);
  expect(made(done)).toEqual([300, 300, 300, 300, 300, 300]);
  expect(recorded).toEqual([200, 200, 200, 200, 300, 300]);
  expect(leftOut).toEqual([100, 100, 100, 100, 0, 0]);
  checkGaps(trace);
});

test.each([200_000, 1_000_000, 20_000])("a file of at most %i bytes", (most) => {
  const environment = { VARSCOPE_BUDGET: "full", VARSCOPE_MAX_TRACE: String(most) };
  const { run: done, trace } = run("govern", 1_000_000, environment);
  expect(statSync(done.trace).size).toBeLessThanOrEqual(most);
  expect(trace.processState).toBe(2);
  expect(trace.problems.length).toBe(1);
  expect(trace.problems[0]).toContain("--max-trace");
  const { recorded, leftOut } = countCalls(trace);
  expect(recorded.map((count, i) => count + leftOut[i]!)).toEqual(made(done));
  checkGaps(trace);
  expect(sum(trace.staging.map(({ lost }) => lost))).toBe(0);
});

test("threads that come when the file is full lose nothing", () => {
  const environment = { VARSCOPE_BUDGET: "full", VARSCOPE_MAX_TRACE: "60000" };
  const { run: done, trace } = run("govern-threads", 10_000, environment);
  expect(statSync(done.trace).size).toBeLessThanOrEqual(60_000);
  expect(sum(trace.staging.map(({ lost }) => lost))).toBe(0);
  const all = sum(trace.staging.map(({ written, sampledOut }) => written + sampledOut));
  expect(all).toBe(sum(made(done)));
});

const sanitized: Variant[] = ["addresses", "threads"];
test.each(sanitized)("sanitizers (%s) find nothing", { timeout: 180_000 }, (variant) => {
  const program = buildDriver(variant);
  run("govern-threads", 60_000, { VARSCOPE_BUDGET: "0.5" }, program);
  run("govern", 200_000, { VARSCOPE_BUDGET: "1", VARSCOPE_MAX_TRACE: "100000" }, program);
  expect(existsSync(program)).toBe(true);
});
