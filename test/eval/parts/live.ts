import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chooseCores } from "../../../scripts/demo/cores.ts";
import { measureStep, STENCIL, stencilCommand } from "../../../scripts/demo/job.ts";
import { type Interval, readTruth, truthIntervals } from "../../../scripts/demo/truth.ts";
import { ownNoise, RankWatch } from "../../../scripts/demo/watch.ts";
import { analyze } from "../../../src/analyze/analyze.ts";
import { packageRoot } from "../../../src/launch/installation.ts";
import { ingest } from "../../../src/trace/ingest.ts";
import { Store } from "../../../src/trace/store.ts";
import { UserError } from "../../../src/user-error.ts";
import { Random } from "../../accuracy/noise.ts";
import { atLeast, atMost, mean, percentOf, type Row, type Settings, upTo } from "../row.ts";
import { ourVerdict } from "../rules/ours.ts";
import type { Region } from "../score/region.ts";
import { scoreRegions, sumScores } from "../score/regions.ts";

const MOST_RANKS = 16;
const SECONDS = 12;
const QUICK_SECONDS = 6;
const WAYS = ["nothing", "cpu-hog", "stop"] as const;
type Way = (typeof WAYS)[number];

interface LiveRun {
  way: Way;
  truth: Region[];
  found: Region[];
  /** Largest share of its time that a rank waited for its core without being disturbed. */
  noise: number | undefined;
}

/**
 * The stencil, one rank per core, while nothing, a CPU hog on the core of one rank or a stop of one rank disturbs it by
 * turns. Lost is what the hog got of the core, or how long the rank was stopped. It says as much about the machine as about the analysis: `noise` in the
 * JSON file tells how quiet it was.
 */
export async function live({ seed, runs, quick, done }: Settings): Promise<Row[]> {
  const cores = chooseCores(MOST_RANKS);
  if (cores.length < 2)
    throw new UserError("--only live: two cores are needed, one can be used here");
  const seconds = quick ? QUICK_SECONDS : SECONDS;
  const steps = Math.round(seconds / measureStep(cores));
  const all: LiveRun[] = [];
  for (let i = 0; i < runs; i++) {
    const way = WAYS[i % WAYS.length]!;
    all.push(await oneRun(way, cores, steps, seconds, new Random(seed * 7 + i)));
    done(`live: ${way}`);
  }
  return rows(all);
}

async function oneRun(
  way: Way,
  cores: readonly number[],
  steps: number,
  seconds: number,
  random: Random,
): Promise<LiveRun> {
  const folder = mkdtempSync(join(tmpdir(), "varscope-eval-"));
  const [directory, file] = [join(folder, "run"), join(folder, "truth.json")];
  const rank = Math.floor(random.uniform() * cores.length);
  const watch = new RankWatch(STENCIL, directory);
  try {
    watch.start();
    const varscope = join(packageRoot(), "bin/varscope.js");
    const command = stencilCommand(cores, steps);
    const job = finished(process.execPath, [
      varscope,
      "run",
      "-q",
      "-o",
      directory,
      "--",
      ...command,
    ]);
    const from = seconds * (0.2 + 0.2 * random.uniform());
    const when = `${from}:${from + seconds * (0.15 + 0.2 * random.uniform())}`;
    const words = ["--interval", when, "--truth", file];
    let injector: Promise<unknown> = Promise.resolve();
    if (way === "cpu-hog")
      injector = injected("cpu-hog", ["--core", String(cores[rank]), ...words]);
    if (way === "stop") {
      const pid = await Promise.race([pidOf(watch, rank), job.then(() => undefined)]);
      injector = injected("disturb", ["stop", "--pid", String(pid), ...words]);
    }
    await Promise.all([job, injector]);
    watch.stop();
    await ingest(directory);
    return {
      way,
      ...(await judge(directory, way, file, rank)),
      noise: noiseOf(watch, rank, way, file),
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

async function judge(directory: string, way: Way, file: string, rank: number) {
  const store = await Store.open(join(directory, "run.duckdb"), { threads: 2 });
  try {
    await analyze(store);
    const { startedAt, wall } = (await store.row<{ startedAt: string; wall: number }>(`
      SELECT (SELECT value FROM meta WHERE key = 'started_at') AS "startedAt", max(end_ns) AS wall FROM ranks`))!;
    const { regions } = await ourVerdict(store);
    return {
      truth: way === "nothing" ? [] : truthOf(way, file, rank, startedAt, wall),
      found: regions,
    };
  } finally {
    store.close();
  }
}

/** What a truth file says, as far as it lies in the run. */
function truthOf(
  way: Way,
  file: string,
  rank: number,
  startedAt: string,
  wallNs: number,
): Region[] {
  const truth = readTruth(file);
  return truthIntervals(truth, startedAt).flatMap(({ from, to }, i) => {
    const startNs = Math.max(0, from * 1e9);
    const endNs = Math.min(wallNs, to * 1e9);
    if (endNs <= startNs) return [];
    const inside = (endNs - startNs) / ((to - from) * 1e9);
    const lostNs = way === "stop" ? endNs - startNs : truth.intervals[i]!.cpuSeconds * 1e9 * inside;
    return [{ kind: "compute", parts: [{ rank, startNs, endNs }], lostNs }];
  });
}

function noiseOf(watch: RankWatch, rank: number, way: Way, file: string): number | undefined {
  const disturbed: Interval[] =
    way === "nothing"
      ? []
      : readTruth(file).intervals.map(({ startRealtime, endRealtime }) => ({
          from: Date.parse(startRealtime) / 1000,
          to: Date.parse(endRealtime) / 1000,
        }));
  const shares = [...watch.ranks.values()].flatMap((watched) => {
    const share = ownNoise(watched, watched.rank === rank ? disturbed : []);
    return share === undefined ? [] : [share];
  });
  return shares.length > 0 ? Math.max(...shares) : undefined;
}

function injected(program: string, words: string[]): Promise<void> {
  return finished(join(packageRoot(), "build/workloads", program), words);
}

/** Nothing may be printed between the lines of the table. */
async function finished(file: string, words: string[]): Promise<void> {
  const env = {
    ...process.env,
    OMPI_ALLOW_RUN_AS_ROOT: "1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  };
  const child = spawn(file, words, { stdio: ["ignore", "ignore", "inherit"], env });
  const code = await new Promise<number>((settle, reject) => {
    child.once("error", reject);
    child.once("exit", (status) => settle(status ?? 1));
  });
  if (code !== 0) throw new UserError(`live: ${file} failed with exit status ${code}`);
}

function rows(all: readonly LiveRun[]): Row[] {
  const quiet = all.filter(({ way }) => way === "nothing");
  const disturbed = all.filter(({ way }) => way !== "nothing");
  const score = sumScores(disturbed.map(({ truth, found }) => scoreRegions(truth, found)));
  const errors = score.errors.map(Math.abs);
  const common = { part: "live", unit: "%" as const, runs: disturbed.length };
  const noises = all.flatMap(({ noise }) => (noise === undefined ? [] : [100 * noise]));
  return [
    {
      ...common,
      what: "undisturbed runs without a region",
      bar: ">= 99 %",
      reaches: atLeast(99),
      values: ours(percentOf(quiet, ({ found }) => found.length === 0)),
      runs: quiet.length,
      details: { runs: all },
    },
    {
      ...common,
      what: "precision, by region",
      bar: "",
      values: ours((100 * score.matched) / score.found),
    },
    {
      ...common,
      what: "recall, by region",
      bar: "",
      values: ours((100 * score.matched) / score.true),
    },
    {
      ...common,
      what: "intersection over union, mean",
      bar: ">= 0.7",
      reaches: atLeast(0.7),
      unit: "",
      values: ours(mean(score.overlaps)),
    },
    {
      ...common,
      what: "lost seconds: error, 9 of 10 regions",
      bar: "<= 15 %",
      reaches: atMost(15),
      values: ours(100 * upTo(errors, 0.9)),
    },
    {
      ...common,
      what: "time a rank waited for its core by itself, worst",
      bar: "",
      values: ours(upTo(noises, 1)),
      runs: noises.length,
    },
  ];
}

function ours(value: number): Row["values"] {
  return Number.isNaN(value) ? {} : { ours: value };
}
