import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { allowedCores } from "../../../scripts/demo/cores.ts";
import type { Report } from "../../../src/report/model.ts";
import {
  checksum,
  type Mpi,
  MPIS,
  ROOT,
  run,
  temporary,
  varscope,
} from "../run-support/varscope.ts";

const HOG = join(ROOT, "build/workloads/cpu-hog");
const [CORE = 0, OTHER = 0] = allowedCores("self");
/** On a crowded core, and on one of its own: either way some seconds, which take 8 rounds of probes and more. */
const CROWDED_STEPS = 100;
const STEPS = 450;
/** More than whatever else runs here: the system moves other processes away from a crowded core. */
const HOGS = 24;
/** Other work on this machine can hide a difference, but not each time. */
const ATTEMPTS = 3;

function compiled(mpi: Mpi): string {
  const folder = join(ROOT, "build/test/slowness");
  mkdirSync(folder, { recursive: true });
  const program = join(folder, `unequal-${mpi}`);
  execFileSync(`mpicc.${mpi}`, ["-O1", "-o", program, join(import.meta.dirname, "unequal.c")]);
  return program;
}

/** Hogs on the first core, each in a session of its own: the system may share a core among sessions, not processes. */
function crowd(): ChildProcess[] {
  const words = ["--core", String(CORE), "--interval", "0:300"];
  return Array.from({ length: HOGS }, () => spawn(HOG, words, { stdio: "ignore", detached: true }));
}

/** A rank on each of two cores. */
function pinned(mpi: Mpi, program: string, steps: number, percent: number): string[] {
  const on = (core: number) => {
    const words = ["taskset", "-c", String(core), program, String(steps), String(percent)];
    return ["-n", "1", ...words];
  };
  return [`mpirun.${mpi}`, ...on(CORE), ":", ...on(OTHER)];
}

interface Speed {
  rank: number;
  excess: number;
  error: number;
  probes: number | null;
  run_delay: number | null;
  verdict: string;
  evidence: string;
}

interface Outcome {
  report: Report;
  speeds: Speed[];
  output: string;
}

function traced(
  command: string[],
  hogs: readonly ChildProcess[] = [],
  options: readonly string[] = [],
): Outcome {
  const directory = join(temporary(), "run");
  const job = varscope(["run", ...options, "-o", directory, "--", ...command]);
  for (const hog of hogs) hog.kill("SIGKILL");
  expect(job.status).toBe(0);
  const report = JSON.parse(varscope(["report", directory, "--json"]).stdout) as Report;
  const query = "FROM rank_speeds ORDER BY rank";
  const speeds = JSON.parse(varscope(["sql", directory, query, "--json"]).stdout) as Speed[];
  return { report, speeds, output: job.stdout };
}

function needsTwoCores(context: TestContext): void {
  if (CORE === OTHER) context.skip("one core: all ranks share it");
}

describe.each(MPIS)("%s", (mpi) => {
  const program = compiled(mpi);

  test("a rank whose core others use from before start to after end is named slow", (context) => {
    needsTwoCores(context);
    const command = pinned(mpi, program, CROWDED_STEPS, 100);
    let seen: Outcome | undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      seen = traced(command, crowd());
      if (isNamed(seen.report)) break;
    }
    const { report, speeds, output } = seen!;
    // Where the system gives the rank its core all the same, there is nothing to be named.
    if (!isNamed(report) && (speeds[0]?.run_delay ?? 0) < 0.3)
      context.skip("the core was not crowded");
    expect({ regions: report.regions, speeds }).toSatisfy(() => isNamed(report));
    expect(speeds[0]).toMatchObject({ rank: 0, verdict: "slow" });
    expect(speeds[0]!.evidence).toContain("run_delay");
    expect(report.imbalances.filter(({ ranks }) => ranks.includes(0))).toEqual([]);
    expect(checksum(output)).toBe(checksum(run(command).stdout));
  });

  test("a rank with more work is not, and listed as imbalance", (context) => {
    needsTwoCores(context);
    let seen: Outcome | undefined;
    let steps = STEPS;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // Probes have their share of the budget: a larger one has more of them in as short a run.
      seen = traced(pinned(mpi, program, steps, 160), [], ["--budget", "5"]);
      if (!isBusy(seen) && isListed(seen.report)) break;
      // On a fast machine the run was too short for 8 rounds of probes, without which nothing tells.
      if (seen.speeds[1]?.probes === null) steps *= 2;
    }
    const { report, speeds } = seen!;
    if (isBusy(seen!)) context.skip("the machine was too busy");
    expect({ speeds, imbalances: report.imbalances }).toSatisfy(() => isListed(report));
    expect(report.regions.filter(({ throughout }) => throughout.length > 0)).toEqual([]);
  });
});

/** Other work on this rank's core really makes it slow, and any makes times vary. */
function isBusy({ speeds }: Outcome): boolean {
  return (speeds[1]?.run_delay ?? 0) >= 0.05 || (speeds[1]?.error ?? 0) >= 0.03;
}

/** One region over nearly all of the run, of rank 0 alone. */
function isNamed({ regions, run: { wallSeconds } }: Report): boolean {
  const throughout = regions.filter((region) => region.throughout.length > 0);
  return (
    throughout.length === 1 &&
    throughout[0]!.ranks.join() === "0" &&
    throughout[0]!.endSeconds - throughout[0]!.startSeconds > 0.8 * wallSeconds &&
    throughout[0]!.performance < 0.8
  );
}

function isListed({ imbalances }: Report): boolean {
  const [first] = imbalances;
  return imbalances.length === 1 && first!.ranks.join() === "1" && first!.verdict === "imbalance";
}
