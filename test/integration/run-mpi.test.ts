import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  checksum,
  MPI_ENVIRONMENT,
  mpirun,
  MPIS,
  ROOT,
  run,
  stencil,
  temporary,
  traceFiles,
  varscope,
} from "./run-support/varscope.ts";

const STEPS = ["--steps", "20", "--size", "64"];
/**
 * Per rank: Init, Comm_size, Cart_create, 2 x Cart_shift and so on are of the program; this is what the
 * loop alone does: 4 receives, 4 sends, a wait and a reduction in each step.
 */
const LOOP_CALLS = 20 * 10;

describe.each(MPIS)("with %s", (mpi) => {
  test("a job gives the same result and is recorded", () => {
    const cwd = temporary();
    const command = mpirun(mpi, ...stencil(mpi, ...STEPS));
    const plain = run(command, { cwd });
    const traced = varscope(["run", "-o", "here", "--", ...command], { cwd });
    expect(plain.status).toBe(0);
    expect(traced.status).toBe(0);
    expect(checksum(traced.stdout)).toBe(checksum(plain.stdout));
    expect(checksum(plain.stdout)).toBeDefined();
    expect(traceFiles(join(cwd, "here"))).toEqual(["0.vst", "1.vst"]);
    const words = /^varscope: recorded 2 ranks, ([\d,]+) calls \([\d.]+ kB\) in here; see: /.exec(
      traced.stderr,
    );
    expect(Number(words?.[1]?.replaceAll(",", ""))).toBeGreaterThan(2 * LOOP_CALLS);
    const record = JSON.parse(readFileSync(join(cwd, "here/run.json"), "utf8")) as unknown;
    expect(record).toMatchObject({
      schema: "varscope.run/1",
      command,
      directory: cwd,
      exitCode: 0,
    });
  });

  test("the exit status of a failing job is passed on", () => {
    const cwd = temporary();
    const command = mpirun(mpi, ...stencil(mpi, "--steps", "none"));
    const plain = run(command, { cwd });
    const traced = varscope(["run", "--", ...command], { cwd });
    expect(plain.status).not.toBe(0);
    expect(traced.status).toBe(plain.status);
  });

  test("wrapper scripts before and after mpirun do not matter", () => {
    const cwd = temporary();
    const inner = stencil(mpi, ...STEPS)
      .map((word) => `"${word}"`)
      .join(" ");
    writeFileSync(join(cwd, "rank.sh"), `#!/bin/sh\nexec ${inner}\n`, { mode: 0o755 });
    const outer = mpirun(mpi, "sh", "-c", "./rank.sh")
      .map((word) => `'${word}'`)
      .join(" ");
    writeFileSync(join(cwd, "job.sh"), `#!/bin/bash\necho begin\n${outer}\nexit 5\n`, {
      mode: 0o755,
    });
    const traced = varscope(["run", "-o", "here", "--", "./job.sh"], { cwd });
    expect(traced.status).toBe(5);
    expect(traced.stdout).toMatch(/^begin\nstencil: checksum/);
    expect(traceFiles(join(cwd, "here"))).toEqual(["0.vst", "1.vst"]);
  });

  test("an earlier LD_PRELOAD stays in force", () => {
    const cwd = temporary();
    const source = join(cwd, "other.c");
    writeFileSync(
      source,
      `#include <stdio.h>
       __attribute__((destructor)) static void end(void) { fputs("other was here\\n", stdout); }`,
    );
    expect(run(["cc", "-shared", "-fPIC", "-o", join(cwd, "other.so"), source]).status).toBe(0);
    const env = { ...MPI_ENVIRONMENT, LD_PRELOAD: join(cwd, "other.so") };
    // Only the ranks are asked: mpirun itself would speak as well.
    const command = mpirun(mpi, ...stencil(mpi, ...STEPS));
    const traced = varscope(["run", "-o", "here", "--", ...command], { cwd, env });
    expect(traced.status).toBe(0);
    expect(traced.stdout).toContain("other was here\n");
    expect(traceFiles(join(cwd, "here"))).toHaveLength(2);
  });

  test("other hosts are reached through the environment alone", () => {
    const cwd = temporary();
    // Stands for ssh: another host gives a clean environment.
    const remote = join(cwd, "remote");
    const clean =
      "env -i PATH=/usr/bin:/bin HOME=/tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
    writeFileSync(remote, `#!/bin/sh\nshift\nexec ${clean} sh -c "$*"\n`, { mode: 0o755 });
    const options =
      mpi === "openmpi"
        ? ["--mca", "plm_rsh_agent", remote, "-H", "nodea,nodeb"]
        : ["-launcher", "rsh", "-launcher-exec", remote, "-hosts", "nodea,nodeb"];
    const command = [`mpirun.${mpi}`, ...options, "-n", "2", ...stencil(mpi, ...STEPS)];
    const traced = varscope(["run", "-o", "here", "--", ...command], { cwd });
    expect(traced.stderr).toContain("recorded 2 ranks");
    expect(traced.status).toBe(0);
  });
});

test("paths with spaces, quotes and letters beyond ASCII work, of run and of varscope itself", () => {
  const cwd = join(temporary(), `it's a "näme": $HOME`);
  const installed = join(cwd, "varscope here");
  mkdirSync(join(installed, "build"), { recursive: true });
  for (const part of ["bin", "package.json", "build/js", "build/interceptor"]) {
    cpSync(join(ROOT, part), join(installed, part), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(installed, "node_modules"));
  const command = mpirun("mpich", ...stencil("mpich", ...STEPS));
  const settings = { cwd, varscope: join(installed, "bin/varscope.js") };
  const traced = varscope(["run", "-o", "the run", "--", ...command], settings);
  expect(traced.stderr).toContain("recorded 2 ranks");
  expect(traceFiles(join(cwd, "the run"))).toEqual(["0.vst", "1.vst"]);
  expect(readdirSync(join(cwd, "the run")).toSorted()).toEqual(["run.json", "trace"]);
});
