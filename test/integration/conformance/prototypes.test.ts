import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Counts, recordedCounts } from "../mpi/support/count.ts";
import { buildInterceptor, compile, launch, runTraced, temporary } from "../mpi/support/jobs.ts";

const INTERCEPTOR_SOURCES = fileURLToPath(new URL("../../../interceptor", import.meta.url));

/** Prototypes of MPICH as they are, and as an MPI could have them that differs in a const, or in an argument. */
const DOCTORED = [
  ["int MPI_Send(const void *buf,", "int MPI_Send(void *buf,"],
  [
    "int MPI_Scan(const void *sendbuf, void *recvbuf,",
    "int MPI_Scan(void *sendbuf, void *recvbuf,",
  ],
  [
    "int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)",
    "int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, int now)",
  ],
] as const;
const CHANGED = ["MPI_Send", "MPI_Scan", "MPI_Bcast"];

/** Counts of the calls that did not change. */
const without = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([call]) => !CHANGED.includes(call)));

let folder: string;
let warnings: string;

/** A copy of MPICH's headers with changed prototypes, and the interceptor built against it. */
function buildDoctored(): string {
  const shown = execFileSync("mpicc.mpich", ["-show"], { encoding: "utf8" });
  const include = /-I(\S+)/.exec(shown)?.[1] ?? "";
  const headers = join(folder, "include");
  cpSync(include, headers, { recursive: true, dereference: true });
  for (const name of ["mpi.h", "mpi_proto.h"]) {
    const text = readFileSync(join(headers, name), "utf8");
    const changed = DOCTORED.reduce((all, [from, to]) => all.replaceAll(from, to), text);
    writeFileSync(join(headers, name), changed);
  }
  const variables = [
    `BUILD=${folder}/interceptor`,
    `GENERATED=${folder}/generated`,
    "MPIS=mpich",
    `MPICH_FLAGS=-DVARSCOPE_MPI_mpich -I${headers}`,
    "CFLAGS=-O1",
  ];
  const made = spawnSync("make", ["-j2", "-C", INTERCEPTOR_SOURCES, ...variables], {
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(made.stderr);
  return made.stderr;
}

beforeAll(() => {
  buildInterceptor();
  folder = temporary("doctored-");
  warnings = buildDoctored();
}, 600_000);

afterAll(() => rmSync(folder, { recursive: true }));

test("the build warns of calls that mpi.h declares in another way, and goes on", () => {
  const expected = CHANGED.map(
    (name) =>
      `interceptor: warning: mpich declares ${name} otherwise than the standard; it passes through unrecorded`,
  );
  expect(warnings.trim().split("\n").toSorted()).toEqual(expected.toSorted());
});

test.each([
  ["C", "work.c", "work", []],
  ["use mpi", "work.F90", "work-2", ["-DINTERFACE=2", "-fallow-argument-mismatch"]],
])("such calls work and are not recorded, all others are: %s", (_, file, name, flags) => {
  const command = launch("mpich", [compile("mpich", file, flags, name)]);
  const usual = runTraced(command);
  const doctored = runTraced(command, { interceptor: join(folder, "interceptor") });
  const { status, stdout } = doctored;
  expect({ status, stdout }).toEqual({ status: 0, stdout: usual.stdout });
  for (const [rank, usualFile] of usual.files.entries()) {
    const all = recordedCounts(usualFile);
    expect(Object.keys(all)).toEqual(expect.arrayContaining(CHANGED));
    expect(recordedCounts(doctored.files[rank]!)).toEqual(without(all));
  }
});
