import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sanitizer } from "./sanitizer.ts";
import { readTraceFile, type TraceFile } from "./trace-file.ts";

export type Mpi = "openmpi" | "mpich";
export const MPIS: readonly Mpi[] = ["openmpi", "mpich"];

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const PROGRAMS = ["../programs/", "../../conformance/programs/"].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url)),
);
const BUILD = join(ROOT, "build/test-mpi");
export const INTERCEPTOR = join(ROOT, "build/interceptor");
export const GENERATED = join(ROOT, "build/generated");

/** Builds the interceptor; does little when it is up to date. */
export function buildInterceptor(): void {
  execFileSync("make", ["-C", join(ROOT, "interceptor")], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Path of a program, script or plugin among the programs of test/integration/mpi and /conformance. */
export function source(name: string): string {
  const found = PROGRAMS.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (!found) throw new Error(`no program ${name}`);
  return found;
}

function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * Compiles a program with the wrapper of an MPI, unless it is newer than its source and our libraries in it.
 * @returns path of the executable
 */
export function compile(mpi: Mpi, file: string, flags: string[] = [], name?: string): string {
  const output = join(BUILD, mpi, name ?? file.replace(/\..*/, ""));
  const from = source(file);
  const newest = Math.max(
    modified(from),
    modified(source("check.h")),
    modified(source("forms.inc")),
    ...flags
      .filter((flag) => flag.startsWith("-l:"))
      .map((flag) => modified(join(INTERCEPTOR, flag.slice("-l:".length)))),
  );
  if (modified(output) > newest) return output;
  mkdirSync(join(BUILD, mpi), { recursive: true });
  const compiler = file.endsWith(".F90") ? "mpif90" : file.endsWith(".cpp") ? "mpicxx" : "mpicc";
  const headers = PROGRAMS.map((folder) => `-I${folder}`);
  const common = ["-O2", "-g", "-w", "-pthread", ...headers, "-o", output, from];
  if (compiler === "mpif90") common.push("-ffree-line-length-none", "-J", join(BUILD, mpi));
  execFileSync(`${compiler}.${mpi}`, [...common, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  return output;
}

/** Compiles a C file that knows no MPI. */
export function compilePlain(file: string, flags: string[], name: string): string {
  mkdirSync(BUILD, { recursive: true });
  const output = join(BUILD, name);
  execFileSync("cc", ["-O2", "-g", "-o", output, file, ...flags, "-ldl"]);
  return output;
}

export interface Outcome {
  stdout: string;
  stderr: string;
  status: number | null;
}

export interface Traced extends Outcome {
  files: TraceFile[];
}

/** Both implementations in containers, as root, and on machines with few cores. */
const ENVIRONMENT = {
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMPI_MCA_rmaps_base_oversubscribe: "1",
  OMPI_MCA_hwloc_base_binding_policy: "none",
  OMPI_MCA_mpi_yield_when_idle: "1",
};

export interface RunOptions {
  ranks?: number;
  env?: Record<string, string>;
  /** Working directory. */
  cwd?: string;
  /** Folder of another build of the interceptor. */
  interceptor?: string;
}

/** Runs a command without varscope. */
export function run(command: string[], options: RunOptions = {}): Outcome {
  const { status, stdout, stderr } = spawnSync(command[0]!, command.slice(1), {
    env: { ...process.env, ...ENVIRONMENT, ...options.env },
    encoding: "utf8",
    timeout: 150_000,
    stdio: ["ignore", "pipe", "pipe"],
    ...(options.cwd ? { cwd: options.cwd } : {}),
  });
  return { status, stdout, stderr };
}

/** Command line that starts a program on `ranks` ranks, two unless said. */
export function launch(mpi: Mpi, program: string[], options: RunOptions = {}): string[] {
  return [`mpirun.${mpi}`, "-n", String(options.ranks ?? 2), ...program];
}

/** Runs a command under the interceptor and reads what it left. */
export function runTraced(command: string[], options: RunOptions = {}): Traced {
  const directory = temporary("trace-");
  const checked = sanitizer();
  const interceptor = options.interceptor ?? checked?.interceptor ?? INTERCEPTOR;
  const library = join(interceptor, "libvarscope.so");
  const preload = [...(checked?.first ?? []), options.env?.["LD_PRELOAD"], library];
  const outcome = run(command, {
    ...options,
    env: {
      VARSCOPE_TRACE_DIR: directory,
      // These tests count MPI calls; those of threads have tests of their own.
      VARSCOPE_THREADS: "off",
      VARSCOPE_IO: "off", // the tests of I/O give "on"
      VARSCOPE_BUDGET: "full",
      ...checked?.env,
      ...options.env,
      LD_PRELOAD: preload.filter((path) => path !== undefined).join(":"),
    },
  });
  checked?.check(outcome.stderr);
  const files = readdirSync(directory)
    .filter((name) => name.endsWith(".vst"))
    .toSorted()
    .map((name) => readTraceFile(join(directory, name)));
  rmSync(directory, { recursive: true });
  return { ...outcome, files };
}

/** A new folder under build/. */
export function temporary(prefix: string): string {
  mkdirSync(BUILD, { recursive: true });
  return mkdtempSync(join(BUILD, prefix));
}
