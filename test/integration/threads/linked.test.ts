import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  buildInterceptor,
  compile,
  INTERCEPTOR,
  launch,
  MPIS,
  type Mpi,
  run,
  runTraced,
  source,
  temporary,
} from "../mpi/support/jobs.ts";
import { formsOf, rows } from "../mpi/support/rows.ts";
import { readTraceFile, type TraceFile } from "../mpi/support/trace-file.ts";

beforeAll(buildInterceptor);

/** As docs/guide.md says. */
function linked(mpi: Mpi): string[] {
  return [`-L${INTERCEPTOR}`, `-l:libvarscope-${mpi}.a`];
}

/** Runs a program with varscope linked in and nothing preloaded. */
function runLinked(command: string[]): TraceFile[] {
  const directory = temporary("linked-");
  const outcome = run(command, { env: { VARSCOPE_TRACE_DIR: directory, VARSCOPE_IO: "off" } });
  expect(outcome).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/done\n$/),
    stderr: "",
  });
  const files = readdirSync(directory)
    .toSorted()
    .map((name) => readTraceFile(join(directory, name)));
  rmSync(directory, { recursive: true });
  return files;
}

function expectSame(files: TraceFile[], preloaded: TraceFile[]): void {
  expect(preloaded).toHaveLength(2);
  expect(files.map(rows)).toEqual(preloaded.map(rows));
  for (const file of files) expect(file).toMatchObject({ finalized: true, lost: 0, problems: [] });
}

describe.each(MPIS)("%s", (mpi) => {
  test.each(formsOf("work"))("linked into a program in $title: the same rows", (form) => {
    const flags = form.flags(mpi);
    const plain = compile(mpi, form.file, flags, form.name);
    const program = compile(mpi, form.file, [...flags, ...linked(mpi)], `${form.name}-linked`);
    const preloaded = runTraced(launch(mpi, [plain]));
    expectSame(runLinked(launch(mpi, [program])), preloaded.files);
    const both = runTraced(launch(mpi, [program]));
    expect(both).toMatchObject({ status: 0, stderr: "" });
    expectSame(both.files, preloaded.files);
  });

  test("a linked program that is not asked to be traced runs as ever", () => {
    const program = compile(mpi, "work.c", linked(mpi), "work-linked");
    const outcome = run(launch(mpi, [program]), { env: { VARSCOPE_TRACE_DIR: "" } });
    expect(outcome).toMatchObject({ status: 0, stdout: "work: done\n", stderr: "" });
  });
});

/** A program with MPICH's static library in it, which nothing preloaded can get in front of. */
function linkStatically(output: string, more: string[]): string | undefined {
  const include =
    execFileSync("mpicc.mpich", ["-show"], { encoding: "utf8" }).match(/-I\S+/g) ?? [];
  const others = ["-lucp", "-lucs", "-lhwloc", "-l:libfabric.so.1", "-lpthread", "-lm"];
  const library = ["-Wl,-Bstatic", "-lmpich", "-Wl,-Bdynamic", ...others];
  const program = ["-O2", "-w", "-o", output, source("work.c")];
  const made = spawnSync("gcc", [...program, ...include, ...more, ...library]);
  return made.status === 0 ? output : undefined;
}

test("linked into a program with a static MPI library in it: the same rows", (context) => {
  const folder = temporary("static-");
  mkdirSync(folder, { recursive: true });
  const plain = linkStatically(join(folder, "plain"), []);
  if (!plain) context.skip("no static MPICH here that can be linked");
  expect(runTraced(launch("mpich", [plain!])).files).toEqual([]);
  const program = linkStatically(join(folder, "linked"), linked("mpich"));
  const files = runLinked(launch("mpich", [program!]));
  expectSame(files, runTraced(launch("mpich", [compile("mpich", "work.c")])).files);
  rmSync(folder, { recursive: true });
});
