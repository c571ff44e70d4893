import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  buildInterceptor,
  compile,
  compilePlain,
  INTERCEPTOR,
  launch,
  MPIS,
  run,
  runTraced,
  source,
  temporary,
} from "./support/jobs.ts";

const PRELOAD = join(INTERCEPTOR, "libvarscope.so");

beforeAll(buildInterceptor);

describe.each(MPIS)("%s", (mpi) => {
  test("MPI that comes with a plugin opened locally is traced", () => {
    const program = compilePlain(source("late.c"), [], "late");
    const plugin = compile(mpi, "plugin.c", ["-shared", "-fPIC"], "plugin.so");
    const traced = runTraced(launch(mpi, [program, "plugin", plugin]));
    expect(traced).toMatchObject({ status: 0, stdout: "plugin: done\n", stderr: "" });
    for (const file of traced.files) {
      expect(file.finalized).toBe(true);
      expect(file.records.map(({ call }) => call)).toEqual([
        "MPI_Init",
        ...Array.from({ length: 100 }, () => "MPI_Barrier"),
        "MPI_Finalize",
      ]);
    }
  });

  test("MPI whose functions are looked up by name is not seen, and that is said once", () => {
    const program = compilePlain(source("late.c"), [], "late");
    const library = mpi === "openmpi" ? "libmpi.so.40" : "libmpich.so.12";
    const traced = runTraced(launch(mpi, [program, "lookup", library]));
    expect(traced).toMatchObject({ status: 0, stdout: "", files: [] });
    expect(traced.stderr.trim().split("\n")).toEqual([
      "varscope: this program reached MPI_Init in a way that cannot be intercepted; the program runs untraced",
    ]);
  });

  test("a program that links MPI and never starts it leaves nothing", () => {
    const traced = runTraced([compile(mpi, "lifetime.c"), "never"]);
    expect(traced).toMatchObject({ status: 0, stdout: "never: done\n", stderr: "", files: [] });
  });

  test("without being asked, the program runs untraced", () => {
    const command = launch(mpi, [compile(mpi, "point_to_point.c")]);
    const traced = runTraced(command, { env: { VARSCOPE_TRACE_DIR: "" } });
    expect(traced).toMatchObject({ status: 0, stdout: "point_to_point: done\n", stderr: "" });
    expect(traced.files).toEqual([]);
  });

  test("a trace folder that is not there is told in one line, and the program runs", () => {
    const command = launch(mpi, [compile(mpi, "point_to_point.c")]);
    const traced = runTraced(command, { env: { VARSCOPE_TRACE_DIR: "/nowhere/at/all" } });
    expect(traced).toMatchObject({ status: 0, stdout: "point_to_point: done\n" });
    expect(traced.stderr).toMatch(/^varscope: .*\/nowhere\/at\/all.*runs untraced\n$/);
  });

  test("when the wrappers for this MPI are missing, one line says so and the program runs", () => {
    const folder = temporary("alone-");
    copyFileSync(PRELOAD, join(folder, "libvarscope.so"));
    const outcome = run(launch(mpi, [compile(mpi, "point_to_point.c")]), {
      env: { LD_PRELOAD: join(folder, "libvarscope.so"), VARSCOPE_TRACE_DIR: folder },
    });
    rmSync(folder, { recursive: true });
    expect(outcome).toMatchObject({ status: 0, stdout: "point_to_point: done\n" });
    expect(outcome.stderr).toMatch(
      new RegExp(`^varscope: cannot load the wrappers for this MPI: .*${mpi}.*runs untraced\n$`),
    );
  });

  test("a single process without a launcher", () => {
    const traced = runTraced([compile(mpi, "lifetime.c")]);
    expect(traced).toMatchObject({ status: 0, stdout: "plain: done\n" });
    expect(traced.files.map(({ size }) => size)).toEqual([1]);
  });

  test("ranks of one job may differ: one traced, one not", () => {
    const program = compile(mpi, "communicators.c");
    const folder = temporary("half-");
    const traced = `env LD_PRELOAD=${PRELOAD} VARSCOPE_TRACE_DIR=${folder} ${program}`;
    const outcome = run(["sh", "-c", `mpirun.${mpi} -n 1 ${program} : -n 1 ${traced}`]);
    expect(outcome).toMatchObject({ status: 0, stdout: "communicators: done\n" });
    expect(existsSync(join(folder, "1.vst"))).toBe(true);
    rmSync(folder, { recursive: true });
  });
});

test("a serial stub of MPI without profiling names still works", () => {
  const library = compilePlain(source("stub_library.c"), ["-shared", "-fPIC"], "libstub.so");
  const program = compilePlain(source("stub_user.c"), [library], "stub_user");
  const expected = { status: 0, stdout: "stub: done\n", stderr: "" };
  expect(run([program])).toEqual(expected);
  expect(runTraced([program])).toEqual({ ...expected, files: [] });
});

test("a program without MPI is left alone", () => {
  const command = ["ls", "/"];
  expect(runTraced(command)).toEqual({ ...run(command), files: [] });
});
