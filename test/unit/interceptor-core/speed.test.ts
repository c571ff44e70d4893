import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decodeTrace, type Probe, type Trace } from "./decode.ts";
import { buildDriver, buildWorksDriver, runDriver, temporaryFolder } from "./run-driver.ts";

const folder = temporaryFolder();
const driver = buildDriver("plain");
const TIMEOUT = { timeout: 120_000 };
/** Calls of the scenario that may wait, by number. */
const ALLREDUCE = 3;

interface Stay {
  call: number;
  enter: bigint;
  exit: bigint;
}

/** Where the program was in calls: struct truth of driver.h. */
function staysIn(path: string): Stay[] {
  const bytes = readFileSync(path);
  return Array.from({ length: bytes.length / 64 }, (_, i) => ({
    call: bytes.readUInt32LE(64 * i + 4),
    enter: bytes.readBigUInt64LE(64 * i + 16),
    exit: bytes.readBigUInt64LE(64 * i + 24),
  }));
}

function run(
  milliseconds: number,
  environment: Record<string, string> = {},
  program = driver,
): { trace: Trace; stays: Stay[] } {
  const done = runDriver(program, folder, "speed", milliseconds, environment);
  expect([done.status, done.stderr]).toEqual([0, ""]);
  return { trace: decodeTrace(done.trace), stays: staysIn(done.out) };
}

/** First ticks of rounds that were made while calls were recorded. */
function inside({ trace, stays }: { trace: Trace; stays: Stay[] }): Probe[] {
  const [first, last] = [stays[0]!.enter, stays.at(-1)!.exit];
  return trace.probes.filter(({ kind, tick }) => kind === 1 && tick > first && tick < last);
}

describe("rounds of probes", () => {
  test("at the start, at the end, and in calls that wait", TIMEOUT, () => {
    const done = run(2500);
    const { trace, stays } = done;
    expect(trace.probes.map(({ kind }) => kind)).toEqual(
      Array.from(trace.probes, (_, i) => 1 + (i % 3)),
    );
    const rounds = inside(done);
    expect(rounds.length).toBeGreaterThan(1);
    const before = trace.probes.filter(({ tick }) => tick < stays[0]!.enter);
    const after = trace.probes.filter(({ tick }) => tick > stays.at(-1)!.exit);
    expect([before.length, after.length]).toEqual([9, 9]);
    for (const { tick } of rounds) {
      const stay = stays.find(({ enter, exit }) => tick >= enter && tick < exit);
      expect(stay?.call).toBe(ALLREDUCE);
    }
    for (const [i, probe] of trace.probes.entries()) {
      expect(probe.thread).toBe(0);
      expect(probe.ticks).toBeGreaterThan(0n);
      expect(probe.cpuNs).toBeGreaterThan(0n);
      expect(probe.totalCpuNs).toBeGreaterThan(trace.probes[i - 1]?.totalCpuNs ?? 0n);
    }
  });

  test("of a program that never waits, too", TIMEOUT, () => {
    const done = run(-2500);
    const rounds = inside(done);
    expect(rounds.length).toBeGreaterThan(0);
    for (const { tick } of rounds) {
      const stay = done.stays.find(({ enter, exit }) => tick >= enter && tick < exit);
      expect(stay?.call).toBe(ALLREDUCE);
    }
  });

  test("are counted as the tool's own time", TIMEOUT, () => {
    const [probed, plain] = [run(1500), run(1500, { VARSCOPE_PROBES: "off" })];
    const spent = probed.trace.probes.reduce((sum, { ticks }) => sum + ticks, 0n);
    expect(probed.trace.toolTicks).toBeGreaterThan(spent);
    expect(plain.trace.probes).toEqual([]);
  });

  test.each([
    ["VARSCOPE_PROBES", "off"],
    ["VARSCOPE_PROBES", "0"],
  ])("are not made with %s=%s", TIMEOUT, (name, value) => {
    expect(run(50, { [name]: value }).trace.probes).toEqual([]);
  });

  // Compiling all of it twice takes long on a busy machine.
  test("do no harm under the sanitizers", { timeout: 600_000 }, () => {
    expect(inside(run(1500, {}, buildDriver("addresses"))).length).toBeGreaterThan(0);
    expect(run(300, {}, buildDriver("threads")).trace.ended).toBe(true);
  });
});

test("the cache's probe goes once through all of its lines, without order", () => {
  const { status, stdout } = spawnSync(buildWorksDriver(), { encoding: "utf8" });
  expect(status).toBe(0);
  const [lines, length, next] = [...stdout.matchAll(/\d+/g)].map(Number);
  expect([lines, length]).toEqual([2048, 2048]);
  // Of a random order one step in 2048 goes to the next line.
  expect(next).toBeLessThan(10);
});
