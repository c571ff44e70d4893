import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allowedCores } from "../../scripts/demo/cores.ts";
import { readTruth, truthIntervals } from "../../scripts/demo/truth.ts";
import { ROOT, run, temporary, waitFor } from "./run-support/varscope.ts";

const DISTURB = join(ROOT, "build/workloads/disturb");
const [CORE = 0] = allowedCores("self");
const ON_CORE = ["--core", String(CORE)];

function stateOf(pid: number | undefined): string | undefined {
  return /^State:\s*(\w)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
}

describe("disturb", () => {
  test.each([
    ["memory", "memory-bandwidth", "bytesMoved", ["--megabytes", "16"]],
    ["cache", "cache", "linesWritten", ["--megabytes", "2"]],
    ["faults", "page-faults", "pagesTouched", []],
    ["files", "io-slow", "bytesWritten", ["--megabytes", "1", "--directory"]],
  ])("%s: writes what it did", (kind, cause, amount, words) => {
    const folder = temporary();
    const file = join(folder, "truth.json");
    const work = join(folder, "work");
    mkdirSync(work);
    const more = words.includes("--directory") ? [...words, work] : words;
    const before = new Date().toISOString();
    const when = ["--interval", "0.3:0.6", "--interval", "0.1:0.2"];
    const outcome = run([DISTURB, kind, ...ON_CORE, ...more, ...when, "--truth", file]);
    expect(outcome).toMatchObject({ status: 0, stdout: "", stderr: "" });
    const truth = readTruth(file);
    expect(truth).toMatchObject({ injector: `disturb ${kind}`, cause, complete: true });
    expect(truth.target.core).toBe(CORE);
    const [first, second] = truthIntervals(truth, before);
    expect(first!.from).toBeGreaterThan(0.09);
    expect(second!.from).toBeGreaterThanOrEqual(first!.to);
    expect(second!.to).toBeGreaterThan(second!.from);
    // Of the longer interval something must have been done, however busy the machine is.
    expect(truth.intervals[1]).toHaveProperty(amount);
    expect((truth.intervals[1] as unknown as Record<string, number>)[amount]).toBeGreaterThan(0);
    expect(readdirSync(work)).toEqual([]);
  });

  test("stop: stops a process, and lets it go on when it is stopped itself", async () => {
    const file = join(temporary(), "truth.json");
    const victim = spawn("sleep", ["60"]);
    try {
      const pid = String(victim.pid);
      const child = spawn(DISTURB, ["stop", "--pid", pid, "--interval", "0:60", "--truth", file]);
      await waitFor(() => (stateOf(victim.pid) === "T" ? true : undefined));
      child.kill("SIGTERM");
      expect(await new Promise((settle) => child.once("exit", settle))).toBe(0);
      expect(stateOf(victim.pid)).not.toBe("T");
      const truth = readTruth(file);
      expect(truth).toMatchObject({ cause: "stopped", complete: false });
      expect(truth.target).toMatchObject({ pid: victim.pid });
      expect(truth.intervals).toHaveLength(1);
    } finally {
      victim.kill("SIGKILL");
    }
  });

  test.each([
    ["cpu.max", "max 100000", "25000 100000"],
    ["cpu.cfs_quota_us", "-1", "25000"],
  ])("cpu-cap: %s is set and given back", async (name, before, during) => {
    const group = temporary();
    writeFileSync(join(group, name), `${before}\n`);
    const child = spawn(DISTURB, [
      "cpu-cap",
      "--directory",
      group,
      "--percent",
      "25",
      "--interval",
      "0:60",
    ]);
    const now = () => readFileSync(join(group, name), "utf8").trim();
    await waitFor(() => (now() === during ? true : undefined));
    child.kill("SIGINT");
    expect(await new Promise((settle) => child.once("exit", settle))).toBe(0);
    expect(now()).toBe(before);
  });

  test.each([
    [[], "not one of memory, cache"],
    [["noise"], "'noise' is not one of memory"],
    [["memory", "--interval", "0:1"], "--core"],
    [["memory", ...ON_CORE], "at least one interval"],
    [["memory", ...ON_CORE, "--megabytes", "0", "--interval", "0:1"], "whole number from 1"],
    [["files", ...ON_CORE, "--interval", "0:1"], "files needs --directory"],
    [["stop", "--interval", "0:1"], "stop needs --pid"],
    [["stop", "--pid", "1", "--interval", "0:1"], "whole number from 2"],
    [["cpu-cap", "--directory", "/", "--interval", "0:1"], "cpu-cap needs --percent"],
  ])("refuses %j in one line", (words, problem) => {
    const { status, stdout, stderr } = run([DISTURB, ...words]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(problem);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test.each([
    [["cpu-cap", "--percent", "50", "--directory", "/proc"], "/proc is no control group"],
    [["files", ...ON_CORE, "--directory", "/nowhere"], "cannot make a file in /nowhere"],
    [["stop", "--pid", "4194305"], "cannot stop process 4194305"],
  ])("fails with %j in one line", (words, problem) => {
    const { status, stderr } = run([DISTURB, ...words, "--interval", "0:1"]);
    expect(status).toBe(1);
    expect(stderr).toContain(problem);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});
