import { rmSync } from "node:fs";
import { expect } from "vitest";
import { type Counts, readCalls, recordedCounts, runCounted } from "./count.ts";
import { compile, launch, type Mpi, run, temporary } from "./jobs.ts";
import type { TraceFile } from "./trace-file.ts";

/** Call, bytes, peer, tag, communicator, requests, completed. */
export type Row = [string, number, number, number, number, number, number];

export const [NONE, ANY, NULL] = [-1, -2, -3];
export const DOUBLE = 8;

/** One call: what is not given is the value of a call that has no such thing. */
export function row(
  call: string,
  given: {
    doubles?: number;
    bytes?: number;
    peer?: number;
    tag?: number;
    comm?: number;
    requests?: number;
    completed?: number;
  } = {},
): Row {
  const { doubles = 0, bytes = doubles * DOUBLE, peer = NONE, tag = NONE } = given;
  const { comm = -1, requests = 0, completed = 0 } = given;
  return [`MPI_${call}`, bytes, peer, tag, comm, requests, completed];
}

/** A wait or test that completes all its requests. */
export function wait(call: string, requests = 1): Row {
  return row(call, { requests, completed: requests });
}

export function rows(file: TraceFile): Row[] {
  return file.records.map((record) => [
    ...([record.call, record.bytes, record.peer, record.tag] as const),
    ...([record.communicator, record.requests, record.completed] as const),
  ]);
}

/** One program in one language and, in Fortran, interface. */
export interface Form {
  title: string;
  /** Compiled with -DLARGE: calls with counts are the large-count forms of MPI-4. */
  large: boolean;
  language: "C" | "Fortran";
  flags: (mpi: Mpi) => string[];
  file: string;
  name: string;
}

const FORTRAN_FLAGS = (mpi: Mpi): string[] => [
  "-fallow-argument-mismatch",
  ...(mpi === "mpich" ? ["-DMPI4"] : []),
];

/** A C program, and its twin in Fortran through all three interfaces. */
export function formsOf(program: string): Form[] {
  const fortran = ["mpif.h", "use mpi", "use mpi_f08"].map(
    (title, index): Form => ({
      title,
      language: "Fortran",
      large: false,
      flags: (mpi) => [`-DINTERFACE=${index + 1}`, ...FORTRAN_FLAGS(mpi)],
      file: `${program}.F90`,
      name: `${program}-${index + 1}`,
    }),
  );
  const c: Form = {
    title: "C",
    language: "C",
    large: false,
    flags: () => [],
    file: `${program}.c`,
    name: program,
  };
  return [c, ...fortran];
}

/** The same programs with large counts, which MPICH has; in Fortran they are of mpi_f08 alone. */
export function largeFormsOf(program: string): Form[] {
  return formsOf(program)
    .filter(({ title }) => ["C", "use mpi_f08"].includes(title))
    .map(inLarge);
}

function inLarge(form: Form): Form {
  return {
    ...form,
    title: `${form.title}, large counts`,
    large: true,
    flags: (mpi) => ["-DLARGE", ...form.flags(mpi)],
    name: `${form.name}-large`,
  };
}

/** All forms that an MPI has. */
export function formsFor(mpi: Mpi, program: string): Form[] {
  return mpi === "mpich" ? [...formsOf(program), ...largeFormsOf(program)] : formsOf(program);
}

/** Rows as this form of the program makes them: in MPI-4 calls with counts have a second name. */
export function inForm({ large }: Form, expected: Row[]): Row[] {
  if (!large) return expected;
  const names = new Set(readCalls().map(({ name }) => name));
  return expected.map(([call, ...rest]) => [names.has(`${call}_c`) ? `${call}_c` : call, ...rest]);
}

/**
 * Runs a program with and without varscope: output and status must be the same, and what is recorded
 * must agree with an independent count of its calls.
 * @returns the trace of each rank
 */
export function checkProgram(mpi: Mpi, form: Form, counter: string): TraceFile[] {
  const command = launch(mpi, [compile(mpi, form.file, form.flags(mpi), form.name)]);
  const cwd = temporary("cwd-");
  const plain = run(command, { cwd });
  const traced = runCounted(command, counter, { cwd });
  rmSync(cwd, { recursive: true });
  expect(plain).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\S+: done\n$/) });
  expect({ stdout: traced.stdout, status: traced.status }).toEqual({
    stdout: plain.stdout,
    status: plain.status,
  });
  expect(traced.files).toHaveLength(2);
  for (const file of traced.files) {
    expect(recordedCounts(file)).toEqual(intercepted(traced.counted.get(file.pid)));
    expect(file).toMatchObject({ finalized: true, lost: 0, sampledOut: 0, problems: [] });
    expect(file.intercepted).toBe(file.records.length);
  }
  return traced.files;
}

function intercepted(counts: Counts | undefined): Counts {
  if (!counts) throw new Error("a process was recorded but not counted");
  return counts;
}
