/**
 * What recording costs: real MPI programs untraced and traced, run by turns so that slow changes of the
 * machine meet all alike. Prints tables of ratios.
 *
 * Usage: bench-overhead.ts [--ranks N] [--rounds N] [--only PART,...] [--seconds S]
 *   --ranks   ranks of all but the patterns of single calls, default 2; each has a core of its own
 *   PART      stencil, rates, patterns or hpcc; default all
 *   S         length of a run of the sweep of call rates
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, quantile } from "simple-statistics";
import { findLaunchers, type MpiLauncher } from "../src/launch/doctor/software.ts";
import { MPI_NAMES } from "../src/launch/installation.ts";
import { chooseCores } from "./demo/cores.ts";
import { interleave, type Rounds, runOnce } from "./overhead/pairs.ts";
import {
  calibrate,
  hpcc,
  hpccInput,
  numberIn,
  onCores,
  PATTERNS,
  RATES,
  workload,
} from "./overhead/programs.ts";

const { values } = parseArgs({
  options: {
    ranks: { type: "string", default: "2" },
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "stencil,rates,patterns,hpcc" },
    seconds: { type: "string", default: "2" },
  },
});
const rounds = Number(values.rounds);
const parts = new Set(values.only.split(","));
/** Percent of run time that `run` keeps by default, and what is allowed beyond it. */
const BUDGET = 1;
const ALLOWED = 0.5;
/** What starting to record takes of the tool's own account, about: no part of the cost of a call. */
const START_SECONDS = 0.005;
/** Problem size of hpcc: some seconds. */
const HPCC_SIZE = 2000;

function row(...cells: (string | number)[]): void {
  const widths = [27, 11, 11, 8, 15, 9, 9, 9];
  console.log(
    cells
      .map((cell, i) => (i === 0 ? String(cell).padEnd(27) : String(cell).padStart(widths[i]!)))
      .join(" "),
  );
}

/** Percent by which variant `at` takes longer than the first one, round by round. */
function excess({ values: all }: Rounds, at: number): number[] {
  return all[at]!.map((value, i) => 100 * (value / all[0]![i]! - 1));
}

function quartiles(numbers: number[], digits: number): string {
  return [0.25, 0.75].map((q) => quantile(numbers, q).toFixed(digits)).join(" to ");
}

/** Untraced and default run beside each other, with the tool's own account as share of the untraced time. */
function printRun(name: string, result: Rounds, at = 1): void {
  const more = excess(result, at);
  const base = median(result.values[0]!);
  const own = (100 * median(result.own[at]!)) / base;
  const { intercepted, recorded } = result.accounts[at]!;
  row(
    name,
    base.toFixed(3),
    median(result.values[at]!).toFixed(3),
    (1 + median(more) / 100).toFixed(4),
    quartiles(more, 1),
    own.toFixed(2),
    `${((100 * recorded) / intercepted).toFixed(1)} %`,
    median(more) <= BUDGET + ALLOWED ? "yes" : "NO",
  );
}

function benchStencil(launcher: MpiLauncher, cores: readonly number[]): void {
  const command = (steps: number) =>
    onCores(launcher, cores, [workload(launcher, "stencil"), "--steps", String(steps)]);
  const result = interleave(command(1500), ["untraced", []], rounds, ({ output }) =>
    numberIn(output, / seconds ([\d.]+)/),
  );
  printRun("stencil, s", result);
  // A short run holds mostly what every trace holds once; the difference is what calls add.
  const short = runOnce(command(1), ["--full"]).account!;
  const long = runOnce(command(1500), ["--full"]).account!;
  const further = (long.bytes - short.bytes) / (long.recorded - short.recorded);
  console.log(
    `  trace with --full: ${(long.bytes / long.recorded).toFixed(2)} bytes a call, ${further.toFixed(2)} for each further one`,
  );
}

function benchRates(launcher: MpiLauncher, cores: readonly number[]): void {
  const { iteration, call } = calibrate(launcher, cores[0]!);
  for (const rate of RATES) {
    const calls = Math.max(50, Math.round(rate * Number(values.seconds)));
    const work = Math.max(0, Math.round((1e9 / rate - call) / iteration));
    const program = [workload(launcher, "call-rate"), "--work", String(work), String(calls)];
    const result = interleave(onCores(launcher, cores, program), ["untraced", []], rounds, (run) =>
      numberIn(run.output, /seconds ([\d.]+)/),
    );
    const real = calls / median(result.values[0]!);
    printRun(`${Math.round(real).toLocaleString("en-US")} calls/s`, result);
  }
}

function benchPatterns(launcher: MpiLauncher, cores: readonly number[]): void {
  for (const pattern of PATTERNS) {
    const program = [workload(launcher, "call-rate"), "--pattern", pattern, "1000000"];
    const held = onCores(launcher, cores.slice(0, pattern === "self" ? 1 : 2), program);
    const variants = ["untraced", ["--full"], ["--full", "--call-paths"], []] as const;
    const result = interleave(held, variants, rounds, (run) =>
      numberIn(run.output, /pattern ([\d.]+) ns/),
    );
    const [base, ...costs] = result.values.map((all, at) =>
      at === 0 ? median(all) : median(all.map((value, i) => value - result.values[0]![i]!)),
    );
    const full = result.accounts[1]!;
    const own = (1e9 * (median(result.own[1]!) - START_SECONDS)) / full.calls;
    row(
      pattern,
      base!.toFixed(1),
      ...costs.map((cost) => `+${cost.toFixed(1)}`),
      own.toFixed(1),
      (full.bytes / full.recorded).toFixed(2),
    );
  }
}

function benchHpcc(launcher: MpiLauncher, cores: readonly number[]): void {
  const program = hpcc(launcher);
  if (program === undefined) return;
  // The input stands in the working directory, which is a fresh one for every run.
  const folder = mkdtempSync(join(tmpdir(), "varscope-hpcc-"));
  const file = join(folder, "hpccinf.txt");
  writeFileSync(file, hpccInput(cores.length, HPCC_SIZE));
  // Its own time: the start of varscope itself, a third of a second, is none of the job's.
  const script =
    'cp "$1" hpccinf.txt && shift && s=$(date +%s%N) && "$@" && echo "ran $(($(date +%s%N) - s)) ns"';
  const command = ["sh", "-c", script, "sh", file, ...onCores(launcher, cores, [program])];
  const result = interleave(
    command,
    ["untraced", []],
    rounds,
    ({ output }) => numberIn(output, /^ran (\d+) ns$/m) / 1e9,
  );
  rmSync(folder, { recursive: true });
  printRun("hpcc, s", result);
}

function benchmark(launcher: MpiLauncher, cores: readonly number[]): void {
  console.log(`\n${MPI_NAMES[launcher.abi]} ${launcher.version}`);
  if (parts.has("stencil") || parts.has("rates") || parts.has("hpcc")) {
    row("", "untraced", "default", "ratio", "more, %", "own, %", "recorded", "<= 1.5 %");
  }
  if (parts.has("stencil")) benchStencil(launcher, cores);
  if (parts.has("hpcc")) benchHpcc(launcher, cores);
  if (parts.has("rates")) benchRates(launcher, cores);
  if (!parts.has("patterns")) return;
  row("ns per call", "untraced", "--full", "+paths", "default", "own, --full", "bytes");
  benchPatterns(launcher, cores);
}

const cores = chooseCores(Number(values.ranks));
const [processor] = cpus();
console.log(`Overhead of varscope: medians of ${rounds} rounds on cores ${cores.join(", ")}`);
console.log(`of ${cpus().length} x ${processor?.model ?? "unknown processor"}.`);
console.log(
  "more: percent longer than untraced, quartiles over rounds; own: the tool's own account",
);
console.log("of its cost on rank 0; recorded: share of the calls that the budget of 1 % kept.");
if (cores.length < 2) console.log("Only one core: both ranks share it, so expect noise.");
const lookup = { path: process.env["PATH"] ?? "", workingDirectory: process.cwd() };
for (const launcher of findLaunchers(lookup)) {
  benchmark(launcher, cores.length < 2 ? [cores[0] ?? 0, cores[0] ?? 0] : cores);
}
