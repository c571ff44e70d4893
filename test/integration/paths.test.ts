import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Store } from "../../src/trace/store.ts";
import { runDirectory } from "../../src/trace/run-directory.ts";
import {
  type Mpi,
  MPI_ENVIRONMENT,
  mpirun,
  MPIS,
  ROOT,
  run,
  temporary,
  varscope,
} from "./run-support/varscope.ts";

const SOURCES = join(ROOT, "test/integration/paths");
const BUILD = join(ROOT, "build/test-paths");

function build(mpi: Mpi, compiler: string, output: string, words: string[]): string {
  mkdirSync(join(BUILD, mpi), { recursive: true });
  const path = join(BUILD, mpi, output);
  const common = ["-g", "-O1", "-fno-optimize-sibling-calls", "-fomit-frame-pointer", "-o", path];
  execFileSync(`${compiler}.${mpi}`, [...common, ...words], {
    cwd: join(BUILD, mpi),
    stdio: "pipe",
  });
  return path;
}

function buildCxx(mpi: Mpi): string {
  const library = build(mpi, "mpicxx", "liblibrary.so", [
    "-shared",
    "-fPIC",
    join(SOURCES, "library.cpp"),
  ]);
  const words = [join(SOURCES, "program.cpp"), library, `-Wl,-rpath,${join(BUILD, mpi)}`, "-ldl"];
  return build(mpi, "mpicxx", "program-cxx", words);
}

interface Site extends Record<string, unknown> {
  states: number;
  places: number;
  calls: number;
  ranks: number;
  hashes: string;
}

/** Runs a job with call paths of so many frames, and tells about its calls of MPI_Allreduce. */
async function traced(frames: number, command: string[]) {
  const directory = join(temporary(), "run");
  const env = {
    ...MPI_ENVIRONMENT,
    VARSCOPE_CALL_PATHS: String(frames),
    XDG_CACHE_HOME: temporary(),
  };
  const option = `--call-paths=${frames}`;
  const result = varscope(["run", "-q", option, "--full", "-o", directory, "--", ...command], {
    env,
  });
  const analysis = varscope(["analyze", directory], { env });
  expect(analysis.status).toBe(0);
  const store = await Store.open(runDirectory(directory).store, { readOnly: true });
  const site = await store.row<Site>(`
    SELECT count(DISTINCT state) AS states, count(DISTINCT (module, "offset")) AS places,
           count(*) AS calls, count(DISTINCT rank) AS ranks,
           string_agg(DISTINCT hash, ' ' ORDER BY hash) AS hashes
      FROM calls JOIN states USING (state) LEFT JOIN paths USING (path) WHERE call = 'MPI_Allreduce'`);
  const chains = await store.rows<{ chain: string }>(`
    SELECT string_agg(y.function || ' ' || coalesce(y.line, 0), ' < ' ORDER BY f.depth, y.depth) AS chain
      FROM states s JOIN frames f USING (path)
      JOIN symbols y ON y.module = f.module AND y."offset" = f."offset"
     WHERE call = 'MPI_Allreduce' AND f.depth < 2 GROUP BY s.state ORDER BY chain`);
  const perRank = await store.rows<{ states: number }>(`
    SELECT count(DISTINCT state) AS states FROM calls JOIN states USING (state)
     WHERE call = 'MPI_Allreduce' GROUP BY rank`);
  store.close();
  return { result, site, chains: chains.map(({ chain }) => chain), perRank };
}

describe.each(MPIS)("with %s", (mpi) => {
  test("C++: ways to one call are states of their own, the same on all ranks and in all runs", async () => {
    const command = mpirun(mpi, buildCxx(mpi));
    const plain = run(command);
    expect(plain.stdout).toContain("caught 20 handled 20 ");
    expect(plain.stdout).toContain("in libc.so.6 ");
    const none = await traced(0, command);
    const two = await traced(2, command);
    const more = await traced(6, command);
    const again = await traced(6, command);
    for (const { result, site } of [none, two, more, again]) {
      expect([result.stdout, result.status]).toEqual([plain.stdout, 0]);
      expect(site).toMatchObject({ places: 1, calls: 2 * 20 * 5, ranks: 2 });
    }
    expect(none.site).toMatchObject({ states: 1, hashes: null });
    // By the caller of the library: first(), second(), around().
    expect(two.site?.states).toBe(3);
    expect(two.chains).toEqual([
      expect.stringMatching(/^sum_over_ranks 6 < app::first\(\) 18$/),
      expect.stringMatching(/^sum_over_ranks 6 < app::inlined\(\) 26 < (app::)?around(\(\))? 30$/),
      expect.stringMatching(/^sum_over_ranks 6 < app::second\(\) 22$/),
    ]);
    // first() is called from main, from deeper() and from thrower().
    expect(more.site?.states).toBe(5);
    expect(more.perRank).toEqual([{ states: 5 }, { states: 5 }]);
    expect(again.site?.hashes).toBe(more.site?.hashes);
  });

  test("Fortran: procedures of modules are named as in the source", async () => {
    const flags = mpi === "mpich" ? ["-fallow-argument-mismatch"] : [];
    const program = build(mpi, "mpif90", "program-f", [join(SOURCES, "program.f90"), ...flags]);
    const command = mpirun(mpi, program);
    const two = await traced(2, command);
    expect(two.result.status).toBe(0);
    expect(two.site).toMatchObject({ states: 2, places: 1, calls: 80 });
    expect(two.chains).toEqual([
      "heat::reduce 9 < heat::left 14",
      "heat::reduce 9 < heat::right 19",
    ]);
    expect((await traced(0, command)).site?.states).toBe(1);
  });
});

test("Python: the interpreter's frames tell ways apart", async () => {
  const command = mpirun("openmpi", "/usr/bin/python3", join(SOURCES, "program.py"));
  const deep = await traced(64, command);
  expect(deep.result).toMatchObject({ status: 0, stderr: "" });
  expect(deep.site).toMatchObject({ places: 1, calls: 80 });
  expect(deep.site?.states).toBeGreaterThanOrEqual(2);
  expect((await traced(0, command)).site?.states).toBe(1);
});
