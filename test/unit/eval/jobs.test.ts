import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { hpcc, lammps } from "../../eval/jobs/distribution.ts";
import { pinned } from "../../eval/jobs/job.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "varscope-test-"));
  vi.stubEnv("PATH", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test("a program that is not there is left out, and what would help is said", () => {
  expect(lammps(10, 100)).toEqual({
    name: "lammps",
    missing: expect.stringMatching(/package lammps/),
  });
  writeFileSync(join(folder, "lmp"), "");
  expect(lammps(10, 100)).toHaveProperty("missing");
});

test("hpcc reads values by line: size in line 6, process grid in 11 and 12, PTRANS from 33 on", () => {
  const file = join(folder, "hpcc");
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, 0o755);
  const job = hpcc(1234, 7);
  if ("missing" in job) throw new Error(job.missing);
  const lines = job.inputs!["hpccinf.txt"]!.split("\n");
  expect([lines[5], lines[10], lines[11], lines[12], lines[32]]).toEqual([
    "1234",
    "1",
    "7",
    "16.0",
    "0",
  ]);
});

test("each rank is held on a core of its own", () => {
  const job = { name: "x", file: "/bin/x", words: ["-a"] };
  expect(pinned([3, 5], job).join(" ")).toBe(
    "mpirun.openmpi --oversubscribe --bind-to none -n 1 taskset -c 3 /bin/x -a : -n 1 taskset -c 5 /bin/x -a",
  );
});
