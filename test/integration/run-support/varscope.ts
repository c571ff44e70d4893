import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { packageRoot } from "../../../src/launch/installation.ts";

export const ROOT = packageRoot();
export const VARSCOPE = join(ROOT, "bin/varscope.js");
export const MPIS = ["openmpi", "mpich"] as const;
export type Mpi = (typeof MPIS)[number];

/** Open MPI starts as root and with more ranks than cores only when told so. */
export const MPI_ENVIRONMENT = {
  ...process.env,
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMPI_MCA_rmaps_base_oversubscribe: "1",
};

if (!existsSync(join(ROOT, "build/js/cli/main.js"))) {
  throw new Error("these tests use what is built: run `npm run build` first");
}

export interface Result {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Settings {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  input?: string;
  varscope?: string;
}

/** Runs any command to its end. */
export function run(command: readonly string[], settings: Settings = {}): Result {
  const [file = "", ...words] = command;
  const { cwd, env = MPI_ENVIRONMENT, input = "" } = settings;
  const result = spawnSync(file, words, { encoding: "utf8", cwd, env, input, timeout: 120_000 });
  if (result.error) throw result.error;
  const { status, signal, stdout, stderr } = result;
  return { status, signal, stdout, stderr };
}

/** Runs `varscope WORDS`. */
export function varscope(words: readonly string[], settings: Settings = {}): Result {
  return run([process.execPath, settings.varscope ?? VARSCOPE, ...words], settings);
}

/** Starts `varscope WORDS` and gives the process, whose output is collected, and its end. */
export function start(words: readonly string[], settings: Settings = {}) {
  const { cwd, env = MPI_ENVIRONMENT } = settings;
  const child = spawn(process.execPath, [VARSCOPE, ...words], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const collected = { stdout: "", stderr: "" };
  child.stdout.on("data", (data: Buffer) => (collected.stdout += data.toString()));
  child.stderr.on("data", (data: Buffer) => (collected.stderr += data.toString()));
  const end = new Promise<Result>((settle) => {
    child.once("close", (status, signal) => {
      settle({ status, signal, ...collected });
    });
  });
  return { child, collected, end };
}

/** Looks again and again until `look` finds something. */
export async function waitFor<T>(look: () => T | undefined, seconds = 60): Promise<T> {
  for (const limit = Date.now() + seconds * 1000; Date.now() < limit; ) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((wake) => setTimeout(wake, 50));
  }
  throw new Error(`nothing found within ${seconds} s`);
}

const folders: string[] = [];

/** A new folder that is removed after the test. */
export function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "varscope-test-"));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function stencil(mpi: Mpi, ...words: string[]): string[] {
  return [join(ROOT, `build/workloads/stencil-${mpi}`), ...words];
}

/** mpirun of that MPI with two ranks. */
export function mpirun(mpi: Mpi, ...command: string[]): string[] {
  return [`mpirun.${mpi}`, "-n", "2", ...command];
}

export function traceFiles(directory: string): string[] {
  return readdirSync(join(directory, "trace")).toSorted();
}

/** The value of `checksum` in the stencil's output. */
export function checksum(output: string): string | undefined {
  return /checksum ([0-9a-f]{16})/.exec(output)?.[1];
}

/** Process ids of programs started as `program` with this variable in their environment. */
export function processesOf(program: string, setting: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(`${program}\0`) &&
          readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(setting)
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}
