import { beforeAll, describe, expect, test } from "vitest";
import { buildInterceptor, MPIS } from "../mpi/support/jobs.ts";
import type { TraceFile } from "../mpi/support/trace-file.ts";
import { born, compile, counts, offersOpenMp, traceProgram } from "./support/threads.ts";

const OPENMP = 3;
const flags = ["-fopenmp"];
/** GCC's runtime offers no tool interface; that of LLVM does. */
const compilers = ["gcc", "clang-14", "clang"].filter(offersOpenMp);
if (!compilers.some((name) => name.startsWith("clang"))) {
  console.log(
    "openmp: no clang with OpenMP here, its runtime is not tested (libomp-14-dev, clang-14)",
  );
}

beforeAll(buildInterceptor);

/** Regions of three threads: `regions` of them, with explicit barriers in `barriers`. */
function expectRegions(file: TraceFile, regions: number, alone: number, barriers: number): void {
  const sizes = file.records.filter(({ call }) => call === "omp_parallel");
  expect(sizes.map(({ bytes }) => bytes).toSorted((a, b) => a - b)).toEqual([
    ...Array.from({ length: alone }, () => 1),
    ...Array.from({ length: regions }, () => 3),
  ]);
  expect(sizes.every(({ thread }) => thread === 0)).toBe(true);
  expect(counts(file, 0)["omp_join"]).toBe(regions + alone);
  expect(counts(file, 0)["omp_barrier"] ?? 0).toBe(barriers);
  const workers = born(file).filter(({ kind }) => kind === OPENMP);
  expect(workers.map(({ parent }) => parent)).toEqual([0, 0]);
  for (const { thread } of workers) {
    expect(counts(file, thread)["omp_barrier"] ?? 0).toBe(barriers);
    // Each waits from one region to the next; what follows the last one has no end.
    expect(counts(file, thread)["omp_join"]).toBe(regions - 1);
    expect(counts(file, thread)["omp_parallel"]).toBeUndefined();
  }
}

describe.each(MPIS)("%s", (mpi) => {
  test.each(compilers)("regions in C, compiled by %s", (cc) => {
    const [file] = traceProgram(mpi, [compile(mpi, "regions.c", { cc, flags })]);
    expectRegions(file!, 15, 1, 10);
    expect(counts(file!)["MPI_Iprobe"]).toBe(30);
    const inProgram = file!.records.filter(({ call }) => call.startsWith("omp_"));
    expect(inProgram.filter(({ module }) => !/regions_c/.test(module))).toEqual([]);
    // In each thread, calls follow each other in time.
    for (const [i, record] of file!.records.entries()) {
      const before = file!.records[i - 1];
      expect(before?.thread !== record.thread || record.enter >= before.exit).toBe(true);
    }
  });

  test("regions in Fortran, with calls of MPI between and inside them", () => {
    const files = traceProgram(mpi, [compile(mpi, "regions.F90", { flags })], { ranks: 2 });
    for (const file of files) {
      expectRegions(file, 11, 0, 0);
      expect(counts(file)).toMatchObject({ MPI_Barrier: 10, MPI_Iprobe: 3 });
    }
  });

  test("switched off, nothing of threads is recorded", () => {
    const env = { VARSCOPE_THREADS: "off" };
    const [file] = traceProgram(mpi, [compile(mpi, "regions.c", { flags })], { env });
    expect(counts(file!)).toEqual({ MPI_Init_thread: 1, MPI_Iprobe: 30, MPI_Finalize: 1 });
  });
});
