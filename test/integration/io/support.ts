import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, type Mpi, type Outcome, run, runTraced, temporary } from "../mpi/support/jobs.ts";
import type { TraceFile } from "../mpi/support/trace-file.ts";

const PROGRAMS = fileURLToPath(new URL("programs/", import.meta.url));
const COMPILERS: Record<string, string> = { c: "mpicc", cpp: "mpicxx", F90: "mpif90" };

export const KINDS = ["", "regular", "directory", "pipe", "socket", "terminal", "device", "other"];

export function program(name: string): string {
  return join(PROGRAMS, name);
}

/** Compiles a program of programs/ into `folder`. */
export function compileInto(folder: string, mpi: Mpi, name: string, flags: string[] = []): string {
  mkdirSync(folder, { recursive: true });
  const output = join(folder, `${mpi}-${name.replace(/\..*/, "")}`);
  const compiler = `${COMPILERS[name.replace(/.*\./, "")]}.${mpi}`;
  execFileSync(compiler, ["-O2", "-g", "-w", "-pthread", "-o", output, program(name), ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  return output;
}

export interface Pair {
  plain: Outcome;
  traced: Outcome;
  files: TraceFile[];
}

/** UCX, which carries MPICH's messages, rewrites the code of mmap for all: then no map is seen. */
const NO_HOOKS = { UCX_MEM_MMAP_HOOK_MODE: "none" };

/** Runs a command on `ranks` ranks without and with the interceptor, each in an empty folder. */
export function runBoth(
  mpi: Mpi,
  command: string[],
  ranks = 2,
  env: Record<string, string> = {},
): Pair {
  const folders = [temporary("io-"), temporary("io-")] as const;
  const words = launch(mpi, command, { ranks });
  const plain = run(words, { cwd: folders[0], ranks, env: NO_HOOKS });
  const { files, ...traced } = runTraced(words, {
    cwd: folders[1],
    ranks,
    env: { ...NO_HOOKS, VARSCOPE_IO: "on", VARSCOPE_BUDGET: "full", ...env },
  });
  for (const folder of folders) rmSync(folder, { recursive: true });
  return { plain, traced, files };
}

/** call, bytes, access pattern, kind of file, last part of its path without the rank. */
export type IoRow = [call: string, bytes: number, tag: number, kind: string, name: string];

/** The I/O calls of one rank, in order. */
export function ioRows(file: TraceFile, thread?: number): IoRow[] {
  const known = new Map(file.files.map((one) => [one.number, one]));
  return file.records
    .filter(({ call }) => !call.startsWith("MPI_"))
    .filter((record) => thread === undefined || record.thread === thread)
    .map(({ call, bytes, tag, communicator, peer }) => {
      if (peer !== -1) throw new Error(`${call} has a partner`);
      const to = known.get(communicator);
      if (communicator >= 0 && !to) throw new Error(`file ${communicator} is not defined`);
      const name = to ? basename(to.path).replace(/ \(deleted\)$|\.\d$|\[\d+\]$/, "") : "";
      return [call, bytes, tag, KINDS[to?.kind ?? 0]!, name];
    });
}
