/**
 * Runs a real MPI job of two ranks, occupies the core of one of them for a while, and holds the
 * report of varscope against what was really done.
 *
 * Usage: demo.ts [--no-hog] [--seconds N] [--rank N] [--tries N]
 * Exit status 0 if the report is right.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { defaultRunName } from "../src/launch/prepare.ts";
import { chooseCores } from "./demo/cores.ts";
import {
  measureStep,
  occupy,
  readReport,
  record,
  showReport,
  STENCIL,
  stencilCommand,
} from "./demo/job.ts";
import { duringRun, type Interval, readTruth, type Truth, truthIntervals } from "./demo/truth.ts";
import { judge, type Verdict } from "./demo/verdict.ts";
import { ownNoise, RankWatch } from "./demo/watch.ts";

const RANKS = 2;
/** A rank that waits longer than this for its core, by itself, is no fair test. */
const NOISE_LIMIT = 0.02;

interface Settings {
  hog: boolean;
  seconds: number;
  rank: number;
  tries: number;
}

interface Outcome {
  directory: string;
  verdict: Verdict;
  /** Largest share of time that the machine itself kept a rank waiting for its core. */
  noise: number | undefined;
}

function readSettings(): Settings {
  const { values } = parseArgs({
    options: {
      "no-hog": { type: "boolean", default: false },
      seconds: { type: "string", default: "16" },
      rank: { type: "string", default: "1" },
      tries: { type: "string", default: "3" },
    },
  });
  return {
    hog: !values["no-hog"],
    seconds: Number(values.seconds),
    rank: Number(values.rank),
    tries: Number(values.tries),
  };
}

async function attempt(settings: Settings, cores: readonly number[]): Promise<Outcome> {
  const steps = Math.round(settings.seconds / measureStep(cores));
  const command = stencilCommand(cores, steps);
  const directory = defaultRunName("demo", new Date());
  const truthFile = join(directory, "truth.json");
  const [from, to] = [settings.seconds * 0.4, settings.seconds * 0.75];
  const core = cores[settings.rank] ?? 0;

  console.log(`\n$ varscope run -o ${directory} -- ${command.join(" ")}`);
  if (settings.hog) {
    console.log(`  (core ${core} is occupied from about ${from.toFixed(1)} to ${to.toFixed(1)} s)`);
  }
  const watch = new RankWatch(STENCIL, directory);
  watch.start();
  const job = record(directory, command);
  // The hog writes into the run directory at its end, when that is there.
  const hog = settings.hog ? occupy(core, from, to, truthFile) : Promise.resolve(0);
  const [jobStatus, hogStatus] = await Promise.all([job, hog]);
  watch.stop();
  if (jobStatus !== 0) throw new Error(`the job failed with exit status ${jobStatus}`);
  if (hogStatus !== 0) throw new Error(`the hog failed with exit status ${hogStatus}`);
  verifyPlaces(watch, cores);

  const truth = settings.hog ? readTruth(truthFile) : undefined;
  console.log(`\n$ varscope report ${directory}`);
  showReport(directory);
  const report = readReport(directory);
  const { startedAt, wallSeconds } = report.run;
  const intervals = truth ? duringRun(truthIntervals(truth, startedAt), wallSeconds) : [];
  const verdict = judge(report, truth && { rank: settings.rank, intervals });
  compare(verdict, settings, intervals, truth);
  return { directory, verdict, noise: worstNoise(watch, settings.rank, truth) };
}

/** The truth names a core; that it is the rank's core has been seen from outside. */
function verifyPlaces(watch: RankWatch, cores: readonly number[]): void {
  for (const [rank, core] of cores.entries()) {
    const seen = watch.ranks.get(rank)?.cores.join(",");
    if (seen !== String(core)) {
      throw new Error(`rank ${rank} was seen on core ${seen ?? "none"}, not on ${core}`);
    }
  }
}

function worstNoise(watch: RankWatch, disturbed: number, truth?: Truth): number | undefined {
  const times = (truth?.intervals ?? []).map(({ startRealtime, endRealtime }) => ({
    from: Date.parse(startRealtime) / 1000,
    to: Date.parse(endRealtime) / 1000,
  }));
  const shares = [...watch.ranks.values()].map((rank) =>
    ownNoise(rank, rank.rank === disturbed ? times : []),
  );
  const known = shares.filter((share) => share !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}

function compare(
  verdict: Verdict,
  { hog, rank }: Settings,
  truth: readonly Interval[],
  { intervals }: Pick<Truth, "intervals"> = { intervals: [] },
): void {
  const cpu = intervals.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  const rows = [
    ["", "done (truth file)", "reported"],
    ["slow ranks", hog ? String(rank) : "none", verdict.slowRanks.join(", ") || "none"],
    ["when", inWords(truth), inWords(verdict.reported)],
    ...(hog
      ? [["overlap (IoU)", `hog got ${cpu.toFixed(1)} s CPU`, verdict.overlap.toFixed(3)]]
      : []),
  ];
  console.log("\nTruth and report, side by side:\n");
  for (const [name = "", done = "", reported = ""] of rows) {
    console.log(`  ${name.padEnd(14)} ${done.padEnd(28)} ${reported}`);
  }
}

function inWords(intervals: readonly Interval[]): string {
  const words = intervals.map(({ from, to }) => `${from.toFixed(2)} to ${to.toFixed(2)} s`);
  return words.join(", ") || "never";
}

async function main(): Promise<number> {
  const settings = readSettings();
  const cores = chooseCores(RANKS);
  if (cores.length < RANKS) {
    console.error(`demo: it needs ${RANKS} cores, and only ${cores.length} can be used here`);
    return 1;
  }
  for (let number = 1; ; number += 1) {
    const { directory, verdict, noise } = await attempt(settings, cores);
    console.log(`\n${verdict.passed ? "PASSED" : "FAILED"}: ${verdict.words}.`);
    const seen = noise === undefined ? "unknown" : `${(100 * noise).toFixed(1)} %`;
    console.log(`Time a rank waited for its core apart from the hog: ${seen}.`);
    if (verdict.passed) {
      console.log(`\nNext: npx varscope report ${directory}`);
      console.log("      npx varscope run -- mpirun -n 2 ./your-program && npx varscope report");
      return 0;
    }
    if (noise === undefined || noise <= NOISE_LIMIT || number >= settings.tries) return 1;
    console.log(`The machine was busy with other work: try ${number + 1} of ${settings.tries}.`);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`demo: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
