import { cpSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { buildCounter, recordedCounts } from "../mpi/support/count.ts";
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
} from "../mpi/support/jobs.ts";
import type { TraceFile } from "../mpi/support/trace-file.ts";
import { checkSame, lines, said } from "./support/same.ts";

const PRELOAD = join(INTERCEPTOR, "libvarscope.so");

let counter: string;

beforeAll(() => {
  buildInterceptor();
  counter = buildCounter();
});

/** Module and offset of each call, in order. */
function sites({ records }: TraceFile): string[] {
  return records.map(({ module, offset, call }) => `${call} ${basename(module)}+${offset}`);
}

describe.each(MPIS)("%s", (mpi) => {
  test("of two tools in one process, the one behind sees nothing", () => {
    // B38
    const tool = compile(mpi, "pmpi_tool.c", ["-shared", "-fPIC"], "libpmpi_tool.so");
    const command = launch(mpi, [compile(mpi, "symptoms_lifecycle.c"), "single"]);
    const alone = run(command, { env: { LD_PRELOAD: tool } });
    expect(alone.stdout).toContain("tool on rank 1: 100 barriers, 0 broadcasts\n");
    // Behind us, it gets every call that we have recorded.
    const behind = runTraced(command, { env: { LD_PRELOAD: `${PRELOAD}:${tool}` } });
    expect(said(behind)).toEqual(said(alone));
    for (const file of behind.files) {
      const counts = { MPI_Init_thread: 1, MPI_Barrier: 100, MPI_Finalize: 1 };
      expect(recordedCounts(file)).toEqual(counts);
      expect(file.finalized).toBe(true);
    }
    // Before us, what it takes goes straight to MPI: it does not pass calls on. The rest is recorded.
    const before = runTraced(command, { env: { LD_PRELOAD: tool } });
    expect(said(before)).toEqual(said(alone));
    for (const file of before.files) expect(recordedCounts(file)).toEqual({ MPI_Init_thread: 1 });
  });

  test.each(["before", "behind"])("an allocator that calls dlsym, %s, dead-locks", (place) => {
    // B66
    const allocator = compilePlain(source("allocator.c"), ["-shared", "-fPIC"], "liballocator.so");
    const order = place === "before" ? allocator : `${PRELOAD}:${allocator}`;
    const command = launch(mpi, [compile(mpi, "symptoms_requests.c"), "shared-handles"]);
    const traced = runTraced(command, { env: { LD_PRELOAD: order } });
    expect(traced).toMatchObject({ status: 0, stdout: "shared-handles: done\n" });
    expect(traced.files.map(({ finalized }) => finalized)).toEqual([true, true]);
  });

  test("shells, launchers and other children are harmed by the preload", () => {
    // B33
    const command = ["bash", "-c", `mpirun.${mpi} --version; ls /; echo $((6 * 7)); exit 3`];
    const traced = runTraced(command);
    expect(traced).toEqual({ ...run(command), files: [] });
    expect(traced.status).toBe(3);
  });

  test("one line of a program has another site on each rank or in each run", () => {
    // B45, B46
    const library = compile(mpi, "sites.c", ["-shared", "-fPIC", "-DLIBRARY"], "libsites.so");
    const program = compile(mpi, "sites.c", [library], "sites");
    const runs = [1, 2].flatMap(() => runTraced(launch(mpi, [program])).files.map(sites));
    expect(runs).toHaveLength(4);
    for (const one of runs) expect(one).toEqual(runs[0]);
    const barriers = runs[0]!.filter((site) => site.startsWith("MPI_Barrier"));
    // Twice inlined, and once in the library: three places.
    expect(new Set(barriers).size).toBe(3);
    expect(new Set(barriers.slice(0, 5)).size).toBe(1);
    expect(barriers.filter((site) => site.includes(" libsites.so+"))).toHaveLength(5);
  });

  test("blanks and odd letters in names cut them or upset the tool", () => {
    // B47
    const folder = temporary("ru n ");
    const program = join(folder, "my äpp", `he 'llo"`);
    mkdirSync(join(folder, "my äpp"));
    cpSync(compile(mpi, "symptoms_objects.c"), program);
    const command = launch(mpi, [program, "self"]);
    const traced = runTraced(command, { cwd: folder });
    expect(said(traced)).toEqual(said(run(command, { cwd: folder })));
    expect(traced.files).toHaveLength(2);
    for (const file of traced.files) {
      expect(file.facts.get("program")).toBe(program);
      expect(file.modules).toEqual([program]);
    }
    rmSync(folder, { recursive: true });
  });

  test.each([
    [2, 5000],
    [4, 1000],
  ])("calls of %i threads at once are lost: %i each", (threads, times) => {
    // B64
    const program = compile(mpi, "symptoms_threads.c");
    const traced = runTraced(launch(mpi, [program, String(threads), String(times)]));
    expect(traced).toMatchObject({ status: 0, stdout: "symptoms_threads: done\n" });
    for (const file of traced.files) {
      const exchanges = file.records.filter(({ call }) => call === "MPI_Sendrecv");
      expect(exchanges).toHaveLength(threads * times);
      const numbers = [...new Set(exchanges.map(({ thread }) => thread))];
      const byThread = numbers.map((one) => exchanges.filter(({ thread }) => thread === one));
      expect(byThread.map((some) => some.length)).toEqual(Array(threads).fill(times));
      for (const some of byThread) {
        expect(new Set(some.map(({ communicator }) => communicator)).size).toBe(1);
      }
      expect(file).toMatchObject({ lost: 0, sampledOut: 0, finalized: true });
    }
  });

  test("a program started by the launcher of another MPI mixes up its ranks", () => {
    // B40
    const other = mpi === "openmpi" ? "mpich" : "openmpi";
    const command = [`mpirun.${other}`, "-n", "2", compile(mpi, "lifetime.c")];
    const plain = run(command);
    const traced = runTraced(command);
    expect({ status: traced.status, said: lines(traced.stdout) }).toEqual({
      status: plain.status,
      said: lines(plain.stdout),
    });
    // Two jobs of one rank each: both kept, apart.
    expect(traced.files.map(({ rank, size }) => [rank, size])).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(new Set(traced.files.map(({ jobId }) => jobId)).size).toBe(2);
  });
});

test("children of Python's multiprocessing hang, or write into the parent's file", () => {
  // B31, B37
  const script = source("multiprocessing_after_init.py");
  const files = checkSame(launch("openmpi", ["/usr/bin/python3", script]), counter);
  expect(files.map(({ rank }) => rank)).toEqual([0, 1]);
});
