import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseCores } from "../../../scripts/demo/cores.ts";
import { UserError } from "../../../src/user-error.ts";
import { Random } from "../../accuracy/noise.ts";
import { type LiveProgram, PROGRAMS, stepsFor } from "../live/programs.ts";
import { liveRows } from "../live/rows.ts";
import { type LiveRun, runOnce, type Way } from "../live/run.ts";
import { canCap } from "../live/ways.ts";
import type { Row, Settings } from "../row.ts";

const SECONDS = 6;
const QUICK_SECONDS = 4;

/**
 * Real programs, one rank per core: every second run is left alone, in the others one rank is disturbed, in all ways
 * by turns. Says as much about the machine as about the analysis: the last rows tell how quiet it was.
 */
export async function live({
  seed,
  runs,
  ranks,
  minutes,
  quick,
  keep,
  done,
}: Settings): Promise<Row[]> {
  const cores = chooseCores(ranks);
  if (cores.length < 2)
    throw new UserError("--only live: two cores are needed, one can be used here");
  const seconds = quick ? QUICK_SECONDS : SECONDS;
  const programs = await timed(seconds, cores);
  const plan = order(programs);
  const all: LiveRun[] = [];
  if (keep !== undefined) mkdirSync(keep, { recursive: true });
  const until = performance.now() + minutes * 60_000;
  for (let i = 0; i < runs; i++) {
    if (i > 0 && i % 2 === 0 && performance.now() > until) break;
    // A pair is of one program, undisturbed first.
    const { program, way: disturbed, steps } = plan[Math.floor(i / 2) % plan.length]!;
    const way: Way = i % 2 === 0 ? "nothing" : disturbed;
    const job = program.make(steps);
    if ("missing" in job) throw new UserError(job.missing);
    const name = `${String(i).padStart(3, "0")}-${program.name}-${way}`;
    const random = new Random(seed * 7919 + i);
    const kept = keep === undefined ? undefined : join(keep, name);
    const one = await runOnce({ job, way, cores, seconds, random, keep: kept });
    if (kept !== undefined) writeFileSync(`${kept}.json`, `${JSON.stringify(one, null, 1)}\n`);
    all.push(one);
    done(`live: ${name}`);
  }
  return liveRows(all);
}

interface Timed {
  program: LiveProgram;
  steps: number;
}

/** The programs that can be run here, with the steps that they need. */
async function timed(seconds: number, cores: readonly number[]): Promise<Timed[]> {
  const folder = mkdtempSync(join(tmpdir(), "varscope-eval-"));
  const out: Timed[] = [];
  try {
    for (const program of PROGRAMS) {
      const job = program.make(program.trial);
      if ("missing" in job) console.error(`eval: ${job.name} is left out: ${job.missing}`);
      else out.push({ program, steps: await stepsFor(seconds, program, cores, folder) });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return out;
}

/** Programs and ways by turns, as long as the longest list of ways. */
function order(programs: readonly Timed[]): (Timed & { way: Way })[] {
  const cap = canCap();
  if (!cap) console.error("eval: cpu-cap is left out: no control group can be made here");
  const possible = (one: Timed) => one.program.ways.filter((way) => cap || way !== "cpu-cap");
  const longest = Math.max(...programs.map((one) => possible(one).length));
  return Array.from({ length: longest }, (_, turn) =>
    programs.flatMap((one) => {
      const way = possible(one)[turn];
      return way === undefined ? [] : [{ ...one, way }];
    }),
  ).flat();
}
