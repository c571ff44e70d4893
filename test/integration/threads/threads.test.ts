import { beforeAll, describe, expect, test } from "vitest";
import { buildInterceptor, MPIS } from "../mpi/support/jobs.ts";
import { born, compile, counts, source, traceProgram } from "./support/threads.ts";

const [INITIAL, PTHREAD] = [1, 2];

/** What waits.c waits for, in its order. */
const WAITS = `
  pthread_mutex_lock pthread_mutex_timedlock pthread_mutex_clocklock
  pthread_rwlock_rdlock pthread_rwlock_timedrdlock pthread_rwlock_clockrdlock
  pthread_rwlock_wrlock pthread_rwlock_timedwrlock pthread_rwlock_clockwrlock
  pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait
  pthread_barrier_wait sem_wait sem_timedwait sem_clockwait
  mtx_lock mtx_timedlock cnd_wait cnd_timedwait`
  .trim()
  .split(/\s+/);

beforeAll(buildInterceptor);

describe.each(MPIS)("%s", (mpi) => {
  test("waits longer than the threshold are recorded, each with its length, and no others", () => {
    const [file] = traceProgram(mpi, [compile(mpi, "waits.c")]);
    const mine = file!.records.filter(({ thread }) => thread === 0);
    expect(mine.map(({ call }) => call)).toEqual([
      "MPI_Init_thread",
      "thrd_create",
      ...WAITS,
      "thrd_join",
      "MPI_Finalize",
    ]);
    const least = 0.005 * file!.ticksPerSecond;
    const waits = file!.records.filter(({ call }) => WAITS.includes(call));
    expect(waits.filter(({ enter, exit }) => Number(exit - enter) < least * 0.99)).toEqual([]);
  });

  test("with a threshold that no wait reaches, no wait is recorded", () => {
    const [file] = traceProgram(mpi, [compile(mpi, "waits.c")], { lockWait: 1e8 });
    expect(counts(file!)).toEqual({
      MPI_Init_thread: 1,
      thrd_create: 1,
      thrd_join: 1,
      MPI_Finalize: 1,
    });
  });

  test.each([0, 10])("results and errno of all calls stay, threshold %d us", (lockWait) => {
    const [file] = traceProgram(mpi, [compile(mpi, "results.c")], { lockWait });
    // One that dies with the lock, twice with each of two protocols; the last one is not made.
    expect(counts(file!)["pthread_create"]).toBe(5);
  });

  test("threads that are cancelled in waits, exit, or jump out of them", () => {
    const [file] = traceProgram(mpi, [compile(mpi, "ends.c")], { lockWait: 0 });
    // 5 rounds of 4 cancelled threads and one that exits, each with one call at its end.
    expect(counts(file!)).toMatchObject({
      MPI_Iprobe: 5 * 5 + 1,
      pthread_create: 1 + 5 * 5,
      pthread_join: 5 * 5,
    });
    expect(counts(file!)["pthread_cond_wait"]).toBeUndefined();
  });

  test("2,000 short threads: numbers are used again, every thread is told, and the tree", () => {
    const [file] = traceProgram(mpi, [compile(mpi, "many.c")]);
    const made = 2 + 100 * 20;
    expect(counts(file!)).toMatchObject({
      MPI_Iprobe: made,
      pthread_create: made,
      pthread_join: made,
    });
    const threads = born(file!);
    expect(threads).toHaveLength(1 + made);
    expect(file!.lives.filter(({ ended }) => ended)).toHaveLength(made);
    expect(Math.max(...threads.map(({ thread }) => thread))).toBeLessThanOrEqual(20);
    expect(new Set(threads.map(({ systemThread }) => systemThread)).size).toBeGreaterThan(20);
    const [initial, branch, leaf, ...others] = threads;
    expect(initial).toMatchObject({ thread: 0, parent: -1, kind: INITIAL, name: "" });
    expect(branch).toMatchObject({ parent: 0, kind: PTHREAD, name: "branch" });
    expect(leaf).toMatchObject({ parent: branch!.thread, kind: PTHREAD });
    expect(others.filter(({ parent, kind }) => parent !== 0 || kind !== PTHREAD)).toEqual([]);
    expect(branch!.module).toMatch(/many_c$/);
  });

  test("four threads per rank at once: every call of each", () => {
    const files = traceProgram(mpi, [compile(mpi, "multiple.cpp")], { ranks: 2 });
    for (const file of files) {
      const threads = born(file).filter(({ parent }) => parent === 0);
      expect(threads).toHaveLength(4);
      for (const { thread } of threads) expect(counts(file, thread)["MPI_Sendrecv"]).toBe(5000);
      expect(counts(file)).toMatchObject({
        MPI_Sendrecv: 20000,
        pthread_create: 4,
        pthread_join: 4,
      });
    }
  });

  test("children of every kind, while other threads record, leave nothing and hang nowhere", () => {
    const [file] = traceProgram(mpi, [compile(mpi, "children.c")]);
    expect(counts(file!)).toMatchObject({ pthread_create: 2, pthread_join: 2 });
  });

  test("threads of the MPI library itself are not in the trace", () => {
    // Open MPI and MPICH make threads for progress, of which some wait on conditions all the time.
    const [file] = traceProgram(mpi, [compile(mpi, "results.c")], { lockWait: 0 });
    const odd = file!.records.filter(({ module }) => /lib(mpi|open-|pmix|uc|fabric)/.test(module));
    expect(odd).toEqual([]);
  });

  test.each(["libmpi_other.so", "libother.so"])("waits and threads of %s", (name) => {
    const library = compile(mpi, "library.c", { output: name, flags: ["-shared", "-fPIC"] });
    const [file] = traceProgram(mpi, [compile(mpi, "caller.c", { flags: [library] })], {
      lockWait: 5000,
    });
    const own = Object.keys(counts(file!)).filter((call) => /^pthread_(cre|joi|mut)/.test(call));
    const all = ["pthread_create", "pthread_join", "pthread_mutex_lock"];
    expect(own.toSorted()).toEqual(name.startsWith("libmpi_") ? [] : all);
  });
});

test("threads of Python", () => {
  const [file] = traceProgram("openmpi", ["/usr/bin/python3", source("threads.py")]);
  expect(counts(file!)).toMatchObject({ MPI_Iprobe: 400, pthread_create: 4 });
  expect(born(file!).filter(({ parent, kind }) => parent === 0 && kind === PTHREAD)).toHaveLength(
    4,
  );
});
