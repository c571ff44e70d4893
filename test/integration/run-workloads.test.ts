import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allowedCores } from "../../scripts/demo/cores.ts";
import { readTruth, truthIntervals } from "../../scripts/demo/truth.ts";
import {
  checksum,
  MPI_ENVIRONMENT,
  MPIS,
  ROOT,
  run,
  stencil,
  temporary,
  varscope,
  waitFor,
} from "./run-support/varscope.ts";
import { spawn } from "node:child_process";

const HOG = join(ROOT, "build/workloads/cpu-hog");
const [CORE = 0] = allowedCores("self");

describe("stencil", () => {
  test("the checksum depends on the numbers only, not on MPI or ranks", () => {
    const checksums = MPIS.flatMap((mpi) =>
      ["1", "2", "3"].map((ranks) => {
        const program = stencil(mpi, "--steps", "10", "--size", "50");
        return checksum(run([`mpirun.${mpi}`, "-n", ranks, ...program]).stdout);
      }),
    );
    expect(checksums[0]).toBeDefined();
    expect(new Set(checksums).size).toBe(1);
    const longer = run(stencil("mpich", "--steps", "11", "--size", "50")).stdout;
    expect(checksum(longer)).not.toBe(checksums[0]);
  });

  test.each([["--steps", "0"], ["--size", "1x"], ["--steps"], ["--what"]])(
    "refuses %s %s",
    (...words) => {
      const { status, stdout, stderr } = run(stencil("mpich", ...words));
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain("usage: stencil");
    },
  );
});

describe("cpu-hog", () => {
  const asked = ["--core", String(CORE), "--interval", "0.3:0.5", "--interval", "0.1:0.2"];

  test("writes what it did, in order of time", () => {
    const file = join(temporary(), "truth.json");
    const before = new Date().toISOString();
    expect(run([HOG, ...asked, "--truth", file])).toMatchObject({
      status: 0,
      stdout: "",
      stderr: "",
    });
    const truth = readTruth(file);
    expect(truth).toMatchObject({ injector: "cpu-hog", complete: true, target: { core: CORE } });
    const intervals = truthIntervals(truth, before);
    expect(intervals).toHaveLength(2);
    let end = 0;
    for (const [index, { from, to }] of intervals.entries()) {
      // It cannot begin before its time, nor stop before the interval is over.
      expect(from).toBeGreaterThan(index === 0 ? 0.09 : 0.29);
      expect(from).toBeGreaterThanOrEqual(end);
      expect(to).toBeGreaterThan(from);
      end = to;
      const { cpuSeconds } = truth.intervals[index] ?? { cpuSeconds: 0 };
      expect(cpuSeconds).toBeGreaterThan(0);
      expect(cpuSeconds).toBeLessThanOrEqual(to - from + 0.001);
    }
  });

  test("stays on its core", async () => {
    const child = spawn(HOG, ["--core", String(CORE), "--interval", "0:60"]);
    const status = await waitFor(() => {
      const text = readFileSync(`/proc/${child.pid}/status`, "utf8");
      return text.includes(`Cpus_allowed_list:\t${CORE}\n`) ? text : undefined;
    });
    child.kill();
    expect(status).toContain("cpu-hog");
  });

  test("tells the truth also when it is stopped", async () => {
    const file = join(temporary(), "truth.json");
    const child = spawn(HOG, [
      "--core",
      String(CORE),
      "--start",
      "0",
      "--duration",
      "60",
      "--truth",
      file,
    ]);
    await waitFor(() => {
      const threads = /^Threads:\s*(\d+)/m.exec(
        readFileSync(`/proc/${child.pid}/status`, "utf8"),
      )?.[1];
      return threads === "2" ? true : undefined;
    });
    child.kill("SIGTERM");
    const code = await new Promise((settle) => child.once("exit", settle));
    expect(code).toBe(0);
    const truth = readTruth(file);
    expect(truth.complete).toBe(false);
    expect(truth.intervals).toHaveLength(1);
  });

  test.each([
    { words: ["--core", "0"], problem: "at least one interval" },
    { words: ["--core", "0", "--interval", "2:1"], problem: "FROM < TO" },
    { words: ["--core", "0", "--interval", "1:3", "--interval", "2:4"], problem: "overlap" },
    { words: ["--core", "x", "--interval", "1:2"], problem: "not a number" },
    { words: ["--core", "0", "--repeat", "2", "--duration", "1"], problem: "--every" },
  ])("refuses $words", ({ words, problem }) => {
    const { status, stderr } = run([HOG, ...words]);
    expect(status).toBe(2);
    expect(stderr).toContain(problem);
  });
});

describe("doctor", () => {
  test("traces a program of each MPI here", () => {
    const { status, stdout } = varscope(["doctor", "--json"], { cwd: temporary() });
    const result = JSON.parse(stdout) as {
      canTrace: boolean;
      findings: { id: string; status: string }[];
    };
    expect(status).toBe(0);
    expect(result.canTrace).toBe(true);
    for (const mpi of MPIS) {
      expect(result.findings).toContainEqual(
        expect.objectContaining({ id: `self-test-${mpi}`, status: "ok" }),
      );
    }
  });

  test("fails where no MPI is found", () => {
    const env = { ...MPI_ENVIRONMENT, PATH: "/nowhere" };
    const { status, stdout } = varscope(["doctor"], { cwd: temporary(), env });
    expect(status).toBe(1);
    expect(stdout).toContain("missing  MPI");
    expect(stdout).toContain("No job can be traced here.");
  });
});
