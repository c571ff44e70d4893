/**
 * What recording costs: real MPI programs with and without varscope, run by turns in pairs so that
 * slow changes of the machine meet both alike. Prints one table of ratios.
 *
 * Usage: bench-overhead.ts [--rounds N] [--steps N] [--calls N]
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, quantile } from "simple-statistics";
import { findLaunchers, type MpiLauncher } from "../src/launch/doctor/software.ts";
import { MPI_NAMES, packageRoot } from "../src/launch/installation.ts";
import { countTraces, type TraceCount } from "../src/launch/trace-count.ts";
import { runDirectory } from "../src/trace/run-directory.ts";
import { chooseCores } from "./demo/cores.ts";

const root = packageRoot();
const environment = {
  ...process.env,
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
};

interface Measurement {
  name: string;
  /** One value per round. */
  without: number[];
  with: number[];
}

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    steps: { type: "string", default: "1500" },
    calls: { type: "string", default: "2000000" },
  },
});
const rounds = Number(values.rounds);

/** Runs one program, traced or not; gives its stdout and what was recorded. */
function runOnce(command: string[], traced: boolean): { output: string; count: TraceCount } {
  const folder = mkdtempSync(join(tmpdir(), "varscope-bench-"));
  const directory = join(folder, "run");
  const varscope = [process.execPath, join(root, "bin/varscope.js"), "run", "-q", "-o", directory];
  const [file = "", ...words] = traced ? [...varscope, "--", ...command] : command;
  const { stdout, stderr, status } = spawnSync(file, words, { encoding: "utf8", env: environment });
  const count = countTraces(runDirectory(directory).traceDirectory);
  rmSync(folder, { recursive: true, force: true });
  if (status !== 0) throw new Error(`${command.join(" ")} failed: ${stderr}`);
  if (traced && count.calls === 0) throw new Error("nothing was recorded; see: varscope doctor");
  return { output: stdout, count };
}

/** Runs the program with and without by turns; which goes first changes from round to round. */
function measure(
  command: string[],
  names: readonly string[],
  read: (output: string) => number[],
): { measurements: Measurement[]; count: TraceCount } {
  const measurements = names.map((name): Measurement => ({ name, without: [], with: [] }));
  let last: TraceCount | undefined;
  for (let round = 0; round < rounds; round += 1) {
    for (const traced of round % 2 === 0 ? [false, true] : [true, false]) {
      const { output, count } = runOnce(command, traced);
      if (traced) last = count;
      for (const [index, value] of read(output).entries()) {
        measurements[index]?.[traced ? "with" : "without"].push(value);
      }
    }
  }
  if (!last) throw new Error("at least one round is needed");
  return { measurements, count: last };
}

/** mpirun with each rank held on a core of its own, in the options of each MPI. */
function onCores(launcher: MpiLauncher, cores: readonly number[], program: string[]): string[] {
  const options = launcher.abi === "openmpi" ? ["--oversubscribe", "--bind-to", "none"] : [];
  const words = [launcher.file, ...options];
  for (const [rank, core] of cores.entries()) {
    if (rank > 0) words.push(":");
    words.push("-n", "1", "taskset", "-c", String(core), ...program);
  }
  return words;
}

function numbersOf(output: string, pattern: RegExp): number[] {
  const numbers = pattern.exec(output)?.slice(1).map(Number);
  if (!numbers) throw new Error(`not understood: ${output}`);
  return numbers;
}

function printRow(cells: readonly string[]): void {
  const widths = [36, 11, 11, 11, 17];
  console.log(
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join(" "),
  );
}

function printMeasurement({ name, without, with: traced }: Measurement, digits: number): void {
  const ratios = traced.map((value, round) => value / (without[round] ?? Number.NaN));
  printRow([
    name,
    median(without).toFixed(digits),
    median(traced).toFixed(digits),
    (median(traced) / median(without)).toFixed(3),
    `${quantile(ratios, 0.25).toFixed(3)}-${quantile(ratios, 0.75).toFixed(3)}`,
  ]);
}

function benchmark(launcher: MpiLauncher, cores: readonly number[]): void {
  const { abi, version } = launcher;
  const program = (name: string): string => join(root, "build/workloads", `${name}-${abi}`);
  console.log(`\n${MPI_NAMES[abi]} ${version}`);
  printRow(["", "without", "with", "ratio", "quartiles"]);

  const stencil = onCores(launcher, cores, [program("stencil"), "--steps", values.steps]);
  const run = measure(stencil, ["stencil, run time in s"], (output) =>
    numbersOf(output, / seconds ([\d.]+)/),
  );
  for (const measurement of run.measurements) printMeasurement(measurement, 3);

  const rate = onCores(launcher, cores.slice(0, 1), [program("call-rate"), values.calls]);
  const names = ["MPI_Iprobe, ns per call", "MPI_Sendrecv to self, ns per call"];
  const calls = measure(rate, names, (output) =>
    numbersOf(output, /probe ([\d.]+) self ([\d.]+) ns/),
  );
  for (const measurement of calls.measurements) {
    printMeasurement(measurement, 1);
    const cost = measurement.with.map((value, i) => value - (measurement.without[i] ?? Number.NaN));
    const spread = `${quantile(cost, 0.25).toFixed(1)}-${quantile(cost, 0.75).toFixed(1)}`;
    printRow(["  ns per recorded call", "", median(cost).toFixed(1), "", spread]);
  }
  // A short run holds mostly what every trace holds once; the difference is what calls add.
  const short = runOnce(onCores(launcher, cores, [program("stencil"), "--steps", "1"]), true).count;
  printBytes("stencil", run.count, short);
  printBytes("call-rate", calls.count);
}

function printBytes(name: string, count: TraceCount, short?: TraceCount): void {
  const words = `${count.calls} calls`;
  printRow([`bytes per call, ${name}`, "", (count.bytes / count.calls).toFixed(2), "", words]);
  if (!short) return;
  const further = (count.bytes - short.bytes) / (count.calls - short.calls);
  printRow(["  per call after the first step", "", further.toFixed(2), "", ""]);
}

const cores = chooseCores(2);
const [processor] = cpus();
console.log(`Overhead of varscope: medians of ${rounds} rounds on cores ${cores.join(", ")}`);
console.log(`of ${cpus().length} x ${processor?.model ?? "unknown processor"}.`);
console.log("Ratio: with / without; quartiles are of the ratios of the single rounds.");
if (cores.length < 2) console.log("Only one core: both ranks share it, so expect noise.");
const lookup = { path: process.env["PATH"] ?? "", workingDirectory: process.cwd() };
for (const launcher of findLaunchers(lookup)) {
  benchmark(launcher, cores.length < 2 ? [cores[0] ?? 0, cores[0] ?? 0] : cores);
}
