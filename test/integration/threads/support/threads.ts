import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { launch, type Mpi, type Outcome, run, runTraced } from "../../mpi/support/jobs.ts";
import type { ThreadLife, TraceFile } from "../../mpi/support/trace-file.ts";

const PROGRAMS = fileURLToPath(new URL("../programs/", import.meta.url));
const BUILD = fileURLToPath(new URL("../../../../build/test-threads/", import.meta.url));

export function source(name: string): string {
  return join(PROGRAMS, name);
}

export interface Compiler {
  /** Other compiler than the MPI's own. */
  cc?: string;
  flags?: string[];
  /** File name of what is made, where that matters. */
  output?: string;
}

/** Compiles a program of this folder, unless that was done since its last change; returns its path. */
export function compile(mpi: Mpi, file: string, compiler: Compiler = {}): string {
  const { cc, flags = [] } = compiler;
  const name = [file, cc, ...flags]
    .filter(Boolean)
    .join(" ")
    .replace(/[^\w-]+/g, "_");
  const output = join(BUILD, mpi, compiler.output ?? name);
  const newest = Math.max(...readdirSync(PROGRAMS).map((entry) => statSync(source(entry)).mtimeMs));
  const built = statSync(output, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built > newest) return output;
  mkdirSync(dirname(output), { recursive: true });
  const wrapper = file.endsWith(".F90") ? "mpif90" : file.endsWith(".cpp") ? "mpicxx" : "mpicc";
  execFileSync(
    `${wrapper}.${mpi}`,
    ["-O2", "-g", "-w", "-pthread", "-o", output, source(file), ...flags],
    { env: { ...process.env, ...(cc && { OMPI_CC: cc, MPICH_CC: cc }) }, stdio: "pipe" },
  );
  return output;
}

/** Whether a compiler makes OpenMP programs that run here. */
export function offersOpenMp(cc: string): boolean {
  const made = spawnSync(cc, ["-fopenmp", "-x", "c", "-", "-o", "/dev/null"], {
    input: "int main(void) { return 0; }",
  });
  return made.status === 0;
}

export interface ThreadRun {
  ranks?: number;
  /** Microseconds from which on waits are recorded. */
  lockWait?: number;
  env?: Record<string, string>;
}

function shown({ stdout, stderr, status }: Outcome): Outcome {
  return { stdout, stderr, status };
}

/**
 * Runs a program with and without varscope. Output and status must be the same, nothing may be lost, and
 * every call that was counted must be there.
 * @returns the trace of each rank
 */
export function traceProgram(mpi: Mpi, command: string[], options: ThreadRun = {}): TraceFile[] {
  const { ranks = 1, lockWait = 5000 } = options;
  const line = launch(mpi, command, { ranks });
  const plain = run(line, { env: options.env ?? {} });
  const traced = runTraced(line, {
    env: {
      VARSCOPE_THREADS: "on",
      VARSCOPE_IO: "off",
      VARSCOPE_BUDGET: "full",
      VARSCOPE_LOCK_WAIT: String(lockWait),
      ...options.env,
    },
  });
  expect(plain).toMatchObject({ status: 0, stdout: expect.stringMatching(/done\n$/) });
  expect(shown(traced)).toEqual(shown(plain));
  expect(traced.files).toHaveLength(ranks);
  for (const file of traced.files) {
    expect(file).toMatchObject({ finalized: true, lost: 0, sampledOut: 0, problems: [] });
    expect(file.intercepted).toBe(file.records.length);
  }
  return traced.files;
}

/** Calls by name, of one thread or of all. */
export function counts(file: TraceFile, thread?: number): Record<string, number> {
  const result: Record<string, number> = {};
  for (const record of file.records) {
    if (thread !== undefined && record.thread !== thread) continue;
    result[record.call] = (result[record.call] ?? 0) + 1;
  }
  return result;
}

export function born(file: TraceFile): ThreadLife[] {
  return file.lives.filter((life) => !life.ended);
}
