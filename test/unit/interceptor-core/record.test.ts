import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { Cursor } from "./cursor.ts";
import { callsOf, decodeTrace, type Trace } from "./decode.ts";
import { type Call } from "./decode-fragments.ts";
import { buildDriver, type DriverRun, runDriver, temporaryFolder } from "./run-driver.ts";

const folder = temporaryFolder();
const driver = buildDriver("plain");
const COUNT = 20_000;
const names = ["MPI_Send", "MPI_Recv", "MPI_Waitall", "MPI_Allreduce"];
const categories = [2, 3, 7, 11];

function passed(run: DriverRun): DriverRun {
  expect(run.stderr).toBe("");
  expect(run.status).toBe(0);
  return run;
}

/** The driver's 64-byte records of what it did; `state` stands for the call's number there. */
function readTruth(path: string): { call: number; site: bigint; record: Call }[] {
  const file = new Cursor(readFileSync(path));
  const truth = [];
  while (!file.done()) {
    file.u32();
    const [call, site] = [file.u32(), file.u64()];
    const [enter, exit, bytes] = [file.u64(), file.u64(), file.u64()];
    const [communicator, peer, tag] = [file.u32(), file.i32(), file.i32()];
    const [requests, completed] = [file.u32(), file.u32()];
    file.u32();
    const values = { communicator, peer, tag, requests, completed, skipped: 0 };
    truth.push({ call, site, record: { enter, exit, bytes, state: call, ...values } });
  }
  return truth;
}

function buildIdByReadelf(path: string): string {
  const notes = execFileSync("readelf", ["-n", path], { encoding: "utf8" });
  return /Build ID: ([0-9a-f]+)/.exec(notes)?.[1] ?? "";
}

let recorded: { run: DriverRun; trace: Trace } | undefined;
function recordedCalls(): { run: DriverRun; trace: Trace } {
  if (!recorded) {
    const run = passed(runDriver(driver, folder, "calls", COUNT));
    recorded = { run, trace: decodeTrace(run.trace) };
  }
  return recorded;
}

test("every call is in the trace as it was made", () => {
  const { run, trace } = recordedCalls();
  const truth = readTruth(run.out);
  const calls = callsOf(trace, 0);
  expect(calls.length).toBe(COUNT);
  expect(truth.length).toBe(COUNT);
  const sites = new Map(
    run.stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" "))
      .map(([, site, offset, path]) => [BigInt(site ?? 0), { offset: BigInt(offset ?? 0), path }]),
  );
  expect(sites.size).toBe(4);
  for (const [i, call] of calls.entries()) {
    const { site, call: number, record } = truth[i] as (typeof truth)[number];
    const state = trace.states[call.state] as Trace["states"][number];
    expect({ ...call, state: names.indexOf(state.name) }).toEqual(record);
    const where = sites.get(site);
    const module = trace.modules[state.module] as Trace["modules"][number];
    expect(state.offset).toBe(where?.offset);
    expect(realpathSync(module.path)).toBe(realpathSync(where?.path ?? ""));
    expect(state.category).toBe(categories[number]);
  }
  expect(trace.states.length).toBe(16);
});

test("the header, the process, and the modules are described", () => {
  const { trace, run } = recordedCalls();
  expect(trace).toMatchObject({ worldRank: 3, worldSize: 12, jobId: 0xabcdef0123456789n });
  expect(trace).toMatchObject({ processState: 2, ended: true });
  expect(trace.staging[0]).toMatchObject({ intercepted: COUNT, written: COUNT, lost: 0 });
  expect(trace.committed).toBe(statSync(run.trace).size);
  expect(trace.callCostPicoseconds > 0n).toBe(true);
  const value = (key: string) => trace.process.filter(([k]) => k === key).map(([, v]) => v);
  expect(value("host")).toEqual([hostname()]);
  const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  expect(value("boot_id")).toEqual([bootId]);
  expect(value("program")).toEqual([realpathSync(driver)]);
  expect(value("argv")).toEqual([driver, "calls", run.out, String(COUNT)]);
  expect(value("mpi")).toEqual(["Test MPI"]);
  expect(value("mpi_version")).toEqual(["1.2\nthree"]);
  for (const module of trace.modules) {
    expect(module.buildId).toBe(buildIdByReadelf(module.path));
    expect(module.buildId).not.toBe("");
  }
});

test("problems are one line, and nothing is written after the end", () => {
  const { trace } = recordedCalls();
  expect(trace.problems).toEqual(["first line"]);
  expect(trace.communicators).toEqual([
    { number: 0, ordinal: 0, remoteSize: 0, runs: [[0, 1, 5]] },
    {
      number: 2,
      ordinal: 1,
      remoteSize: 4,
      runs: [
        [0, 1, 5],
        [11, -2, 3],
      ],
    },
  ]);
});

test("clock blocks agree with each other and with the rate in the header", () => {
  const { trace } = recordedCalls();
  const [first, last] = [trace.clocks.at(0), trace.clocks.at(-1)];
  if (!first || !last) throw new Error("there is no clock block");
  expect(trace.clocks.length).toBeGreaterThanOrEqual(2);
  const calls = callsOf(trace, 0);
  expect((calls[0] as Call).enter >= trace.initExitTick).toBe(true);
  expect((calls.at(-1) as Call).exit <= last.tick).toBe(true);
  const byRate = (Number(last.tick - first.tick) / Number(trace.ticksPerSecond)) * 1e9;
  const byClock = Number(last.monotonic - first.monotonic);
  expect(byRate / byClock).toBeGreaterThan(0.99);
  expect(byRate / byClock).toBeLessThan(1.01);
  const now = BigInt(Date.now()) * 1_000_000n;
  expect(now - last.realtime < 3_600_000_000_000n && now >= first.realtime).toBe(true);
});

test("sites outside all modules are one state per call; unknown calls are lost", () => {
  const trace = decodeTrace(passed(runDriver(driver, folder, "unmapped", 9000)).trace);
  expect(callsOf(trace, 0).length).toBe(9000);
  expect(trace.states).toEqual([
    { module: 0, offset: 0n, category: 3, path: -1, name: "MPI_Recv" },
  ]);
  expect(trace.modules).toEqual([{ path: "[no module]", buildId: "" }]);
  expect(trace.staging[0]).toMatchObject({ intercepted: 9001, lost: 1 });
});

test("a process records once", () => {
  const run = passed(runDriver(driver, folder, "second-start", 0));
  expect(run.stdout).toBe("this process has been recorded already\n");
  expect(callsOf(decodeTrace(run.trace), 0).length).toBe(1);
});

test("records older than a second are sealed at the next call, with a reading of the clock", () => {
  const trace = decodeTrace(passed(runDriver(driver, folder, "old-records", 0)).trace);
  expect(trace.fragments.map((f) => f.calls.length)).toEqual([2]);
  expect(callsOf(trace, 0).length).toBe(3);
  expect(trace.clocks.length).toBe(2);
  expect(trace.processState).toBe(1);
});

test("a rank grows by at most 8 MB of resident memory", () => {
  const run = passed(runDriver(driver, folder, "memory", 2_000_000));
  const [, before, peak] = run.stdout.trim().split(" ").map(Number);
  expect((peak ?? Number.NaN) - (before ?? Number.NaN)).toBeLessThan(8192);
  expect(statSync(run.trace).size).toBeGreaterThan(8 << 20);
});
