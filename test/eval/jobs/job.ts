import { spawn } from "node:child_process";
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { packageRoot } from "../../../src/launch/installation.ts";
import { UserError } from "../../../src/user-error.ts";

/** A program to be run on real cores: what to start, and what must lie in its working folder. */
export interface Job {
  name: string;
  /** Its file, found in PATH. */
  file: string;
  words: string[];
  /** Files of the working folder, by name: their text. */
  inputs?: Record<string, string>;
}

/** Open MPI wants the first two in containers; threads beside the ranks would disturb them. */
const environment = {
  ...process.env,
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMP_NUM_THREADS: "1",
  OPENBLAS_NUM_THREADS: "1",
};

/** Path of a program, or undefined if there is none in PATH. */
export function findProgram(name: string): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** One rank on each core, each held there. */
export function pinned(cores: readonly number[], { file, words }: Job): string[] {
  const command = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"];
  for (const [rank, core] of cores.entries()) {
    if (rank > 0) command.push(":");
    command.push("-n", "1", "taskset", "-c", String(core), file, ...words);
  }
  return command;
}

/** Runs a job under `varscope run` with default options in `folder`; its run directory is `directory`. */
export async function record(
  job: Job,
  cores: readonly number[],
  folder: string,
  directory: string,
): Promise<void> {
  const varscope = join(packageRoot(), "bin/varscope.js");
  const words = [varscope, "run", "-q", "-o", directory, "--", ...pinned(cores, job)];
  await runIn(prepare(job, folder), process.execPath, words);
}

/** Seconds that a job takes without varscope, its start included. */
export async function timeAlone(
  job: Job,
  cores: readonly number[],
  folder: string,
): Promise<number> {
  const [file = "", ...words] = pinned(cores, job);
  const before = performance.now();
  await runIn(prepare(job, folder), file, words);
  return (performance.now() - before) / 1000;
}

function prepare({ inputs = {} }: Job, folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(inputs)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Runs a program. What it prints is dropped, for nothing may stand between the lines of the table; its last complaint is told if it fails. */
export async function runIn(folder: string, file: string, words: string[]): Promise<void> {
  const child = spawn(file, words, {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    env: environment,
  });
  let said = "";
  child.stderr.on("data", (bytes: Buffer) => {
    said = (said + bytes.toString()).slice(-2000);
  });
  const code = await new Promise<number>((settle, reject) => {
    child.once("error", reject);
    child.once("close", (status) => settle(status ?? 1));
  });
  if (code === 0) return;
  const last = said.trim().split("\n").at(-1) ?? "";
  throw new UserError(`${file} ${words[0] ?? ""} failed with exit status ${code}: ${last}`);
}

/** Text of a file, or undefined if it cannot be read. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
