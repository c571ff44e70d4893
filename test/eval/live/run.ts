import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RankWatch } from "../../../scripts/demo/watch.ts";
import { ingest } from "../../../src/trace/ingest.ts";
import type { Random } from "../../accuracy/noise.ts";
import { type Job, record } from "../jobs/job.ts";
import { judge, type Judgement } from "./judge.ts";
import { stolen, waitedByItself } from "./machine.ts";
import { disturb, type WayName } from "./ways.ts";

export type Way = WayName | "nothing";

export interface Plan {
  job: Job;
  way: Way;
  cores: readonly number[];
  /** How long the job takes undisturbed. */
  seconds: number;
  random: Random;
  /** Where the run's trace and store are to be kept, if anywhere. */
  keep: string | undefined;
}

/** One run, disturbed or not, and what was found. */
export interface LiveRun extends Judgement {
  program: string;
  way: Way;
  /** Seconds that the victim lost by the injector's own account. */
  accounted: number | undefined;
  /** Largest share of its time that a rank waited for its core, or that its core was stolen, undisturbed on purpose. */
  waited: number;
  stolen: number;
}

/** Runs a job, disturbs it, and has its trace analysed. */
export async function runOnce({ job, way, cores, seconds, random, keep }: Plan): Promise<LiveRun> {
  const folder = mkdtempSync(join(tmpdir(), "varscope-eval-"));
  const [directory, work] = [join(folder, "run"), join(folder, "work")];
  const truth = join(folder, "truth.json");
  // What the disk does to the writer, it does to rank 0.
  const rank = way === "files" ? 0 : Math.floor(random.uniform() * cores.length);
  const from = seconds * (0.2 + 0.2 * random.uniform());
  const to = from + seconds * (0.15 + 0.2 * random.uniform());
  const watch = new RankWatch(job.file, directory);
  try {
    const before = stolen(cores);
    watch.start();
    const ended = record(job, cores, work, directory);
    let accounted: number | undefined;
    if (way !== "nothing") {
      const pid = await Promise.race([pidOf(watch, rank), ended]);
      if (pid !== undefined) {
        const target = { core: cores[rank]!, pid, from, to, truth, folder: work };
        [accounted] = await Promise.all([disturb(way, target), ended]);
      }
    }
    await ended;
    watch.stop();
    const lost = stolen(cores).map((after, i) => after - before[i]!);
    await ingest(directory);
    const judged = await judge(directory, way, rank, { from, to, truth });
    if (keep !== undefined) cpSync(directory, keep, { recursive: true });
    return {
      ...judged,
      program: job.name,
      way,
      accounted,
      waited: waitedByItself(watch, way === "nothing" ? undefined : { rank, truth }),
      stolen: Math.max(...lost) / judged.seconds,
    };
  } finally {
    watch.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function pidOf(watch: RankWatch, rank: number): Promise<number> {
  for (;;) {
    const watched = watch.ranks.get(rank);
    if (watched) return watched.pid;
    await sleep(50);
  }
}
