import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Report } from "../../src/report/model.ts";
import { packageRoot } from "../../src/launch/installation.ts";

const root = packageRoot();
export const STENCIL = join(root, "build/workloads/stencil-openmpi");
const HOG = join(root, "build/workloads/cpu-hog");
const VARSCOPE = join(root, "bin/varscope.js");

/** The demo is run as root in containers, where Open MPI wants these two. */
const environment = {
  ...process.env,
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
};

/** The stencil on one rank per core, each held there. */
export function stencilCommand(cores: readonly number[], steps: number): string[] {
  const words = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"];
  for (const [rank, core] of cores.entries()) {
    if (rank > 0) words.push(":");
    words.push("-n", "1", "taskset", "-c", String(core), STENCIL, "--steps", String(steps));
  }
  return words;
}

/** Seconds per step of the stencil without varscope: the best of three short runs. */
export function measureStep(cores: readonly number[]): number {
  return Math.min(...[1, 2, 3].map(() => timeSteps(cores, 200) / 200));
}

/** Seconds that so many steps take. */
function timeSteps(cores: readonly number[], steps: number): number {
  const [file = "", ...words] = stencilCommand(cores, steps);
  const { stdout, stderr, status } = spawnSync(file, words, { encoding: "utf8", env: environment });
  const seconds = Number(/ seconds ([\d.]+)/.exec(stdout ?? "")?.[1]);
  if (status !== 0 || !(seconds > 0)) {
    throw new Error(`the stencil cannot be run: ${stderr ?? "mpirun.openmpi not found"}`);
  }
  return seconds;
}

/** Runs a command under `varscope run`; resolves to its exit status. */
export async function record(directory: string, command: readonly string[]): Promise<number> {
  return await finished(process.execPath, [VARSCOPE, "run", "-o", directory, "--", ...command]);
}

/** Occupies a core from `from` to `to` seconds from now; resolves when the truth is written. */
export async function occupy(
  core: number,
  from: number,
  to: number,
  truth: string,
): Promise<number> {
  const interval = `${from}:${to}`;
  return await finished(HOG, ["--core", String(core), "--interval", interval, "--truth", truth]);
}

async function finished(file: string, words: string[]): Promise<number> {
  const child = spawn(file, words, { stdio: "inherit", env: environment });
  return await new Promise((settle, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      settle(code ?? 1);
    });
  });
}

/** Shows the report as text, as a user would see it. */
export function showReport(directory: string): void {
  spawnSync(process.execPath, [VARSCOPE, "report", directory, "--text"], { stdio: "inherit" });
}

export function readReport(directory: string): Report {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [VARSCOPE, "report", directory, "--json"],
    {
      encoding: "utf8",
      maxBuffer: 2 ** 30,
    },
  );
  if (!stdout) throw new Error(`varscope report failed: ${stderr}`);
  return JSON.parse(stdout) as Report;
}
