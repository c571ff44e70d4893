import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { packageRoot } from "../../src/launch/installation.ts";
import { Random } from "../unit/trace/support/random.ts";
import { checkTrace, type RowCheck } from "./check-trace.ts";
import { patternCheck } from "./pattern.ts";

const ROOT = packageRoot();
const BUILD = join(ROOT, "build/test-fuzz");
/** Where traces that show a mistake are kept. */
export const FINDINGS = join(ROOT, "build/fuzz/findings");

export const MPIS = ["openmpi", "mpich"] as const;
export type Mpi = (typeof MPIS)[number];

/** What became of one job that was killed. */
export interface Killed {
  seed: number;
  /** The job and the moment, in words. */
  what: string;
  /** Trace files read; ranks killed before they made one are not among them. */
  traces: number;
  /** Ranks that reached the end of MPI_Finalize before they could be killed. */
  finalized: number;
  rows: number;
  /** What is wrong with the traces, one line each. */
  findings: string[];
}

interface Job {
  words: string[];
  /** Makes a check of a file's rows. */
  check: (() => RowCheck) | undefined;
}

const RANKS = 2;
/** More than any job here can make before it is killed. */
const ENDLESS = 1_000_000_000;
/** From the launcher's start, at the most: ranks are up in a quarter of it on an idle machine. */
const LATEST_MS = 1200;
/** From the first trace file, at the most: many a short job ends in it. */
const LATEST_AFTER_TRACE_MS = 60;
const PATIENCE_MS = 60_000;
const PATIENCE_WITHOUT_RANKS_MS = 10_000;

/** Compiles pattern.c for an MPI; does little when it is there. */
export function buildPattern(mpi: Mpi): void {
  mkdirSync(BUILD, { recursive: true });
  const source = join(ROOT, "test/fuzz/pattern.c");
  const warnings = ["-Wall", "-Wextra", "-Werror"];
  const words = ["-O2", ...warnings, "-o", join(BUILD, `pattern-${mpi}`), source, "-pthread"];
  execFileSync(`mpicc.${mpi}`, words, { stdio: ["ignore", "ignore", "inherit"] });
}

/** Command and environment of a traced pattern.c, whose every call is recorded. */
export function patternJob(mpi: Mpi, traces: string, calls: number, threads: number) {
  const words = [join(BUILD, `pattern-${mpi}`), String(calls), String(threads)];
  return { command: launch(mpi, words), env: jobEnvironment(traces) };
}

function chooseJob(mpi: Mpi, random: Random): Job {
  const workloads = join(ROOT, "build/workloads");
  switch (random.below(4)) {
    case 0:
      return {
        words: [join(workloads, `stencil-${mpi}`), "--steps", "1000000", "--size", "64"],
        check: undefined,
      };
    case 1:
      return { words: [join(workloads, `call-rate-${mpi}`), String(ENDLESS)], check: undefined };
    default: {
      const calls = random.pick([3000, 100_000, ENDLESS, ENDLESS]);
      const threads = random.below(4);
      const words = [join(BUILD, `pattern-${mpi}`), String(calls), String(threads)];
      return { words, check: () => patternCheck(calls) };
    }
  }
}

/**
 * Starts a job that `seed` chooses, kills all its ranks with SIGKILL at a moment that `seed` chooses, and checks
 * every trace that is there.
 */
export async function killOnce(mpi: Mpi, seed: number): Promise<Killed> {
  const random = new Random(seed);
  const { words, check } = chooseJob(mpi, random);
  const fromTrace = random.below(2) === 0;
  const delay = random.below((fromTrace ? LATEST_AFTER_TRACE_MS : LATEST_MS) * 10) / 10;
  const traces = mkdtempSync(join(tmpdir(), "varscope-kill-"));
  const setting = `VARSCOPE_TRACE_DIR=${traces}`;
  try {
    const [file, ...rest] = launch(mpi, words);
    const launcher = spawn(file, rest, { env: jobEnvironment(traces), stdio: "ignore" });
    const end = new Promise<void>((settle) => launcher.once("exit", () => settle()));
    let running = true;
    void end.then(() => (running = false));
    if (fromTrace) await until(() => !running || readdirSync(traces).length > 0);
    await sleep(delay);
    await killRanks(words[0]!, setting, launcher, () => running);
    await end;
    const name = words[0]!.replace(/.*\//, "");
    const what = `${[name, ...words.slice(1)].join(" ")} killed ${delay} ms after ${fromTrace ? "the first trace file" : "the start"}`;
    return inspect({ seed, what, traces: 0, finalized: 0, rows: 0, findings: [] }, traces, check);
  } finally {
    rmSync(traces, { recursive: true, force: true });
  }
}

function launch(mpi: Mpi, words: string[]): [string, ...string[]] {
  return [`mpirun.${mpi}`, "-n", String(RANKS), ...words];
}

function jobEnvironment(traces: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    LD_PRELOAD: join(ROOT, "build/interceptor/libvarscope.so"),
    VARSCOPE_TRACE_DIR: traces,
    VARSCOPE_BUDGET: "full",
    OMPI_ALLOW_RUN_AS_ROOT: "1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
    OMPI_MCA_rmaps_base_oversubscribe: "1",
  };
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await sleep(1);
}

/**
 * Kills every process of `program` with this setting. The launcher then ends by itself, but for Open MPI's, which
 * can miss the end of a rank that was killed while it started; so it is ended, too, when its ranks are long gone.
 */
async function killRanks(
  program: string,
  setting: string,
  launcher: ChildProcess,
  running: () => boolean,
): Promise<void> {
  let limit = Date.now() + PATIENCE_MS;
  while (running() && Date.now() < limit) {
    for (const pid of processesOf(program, setting)) {
      limit = Date.now() + PATIENCE_WITHOUT_RANKS_MS;
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended meanwhile.
      }
    }
    await sleep(5);
  }
  launcher.kill("SIGKILL");
}

function processesOf(program: string, setting: string): number[] {
  const found = readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return (
        readFileSync(`/proc/${name}/cmdline`, "utf8").startsWith(`${program}\0`) &&
        readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(setting)
      );
    } catch {
      return false;
    }
  });
  return found.map(Number);
}

function inspect(killed: Killed, folder: string, check: Job["check"]): Killed {
  for (const name of readdirSync(folder).toSorted()) {
    const path = join(folder, name);
    try {
      const trace = checkTrace(path, check?.());
      if (!trace) continue;
      killed.traces += 1;
      killed.rows += trace.rows;
      killed.finalized += trace.finalized ? 1 : 0;
      killed.findings.push(...trace.wrong.map((line) => `${name}: ${line}`));
    } catch (error) {
      killed.findings.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (killed.findings.length > 0) {
    mkdirSync(FINDINGS, { recursive: true });
    cpSync(folder, join(FINDINGS, `kill-${killed.seed}`), { recursive: true });
  }
  return killed;
}
