/**
 * Looks for mistakes with random input: kills jobs at random moments and checks their traces, then lets the trace
 * reader read changed files. What is found is kept in build/fuzz/findings.
 *
 * Usage: npm run fuzz [-- --minutes N] [--kills N] [--seed N]
 * Exit status 0 if nothing was found, 1 if something was, 2 for wrong use.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findExecutable } from "../../src/launch/command.ts";
import { packageRoot } from "../../src/launch/installation.ts";
import { UserError } from "../../src/user-error.ts";
import { missingTypes } from "./block-types.ts";
import { addSeeds } from "./corpus.ts";
import { buildPattern, killOnce, type Mpi, MPIS } from "./kill.ts";
import { buildFuzzer, fuzzReader, readAll } from "./read.ts";

const CORPUS = join(packageRoot(), "build/fuzz/corpus");

interface Settings {
  minutes: number;
  kills: number;
  seed: number;
}

function say(line: string): void {
  console.log(`fuzz: ${line}`);
}

function readSettings(): Settings {
  const text = { type: "string" } as const;
  try {
    const { values } = parseArgs({ options: { minutes: text, kills: text, seed: text } });
    return {
      minutes: number("minutes", values.minutes ?? "10"),
      kills: number("kills", values.kills ?? "100"),
      seed: number("seed", values.seed ?? String(Date.now() % 1_000_000)),
    };
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError("usage: npm run fuzz [-- --minutes N] [--kills N] [--seed N]", 2);
  }
}

function number(name: string, text: string): number {
  const value = Number(text);
  const whole = name === "minutes" || Number.isInteger(value);
  if (text.trim() !== "" && whole && value >= 0 && value < 2 ** 31) return value;
  throw new UserError(`--${name} ${text}: give a number from 0 to 2147483647`, 2);
}

async function killJobs(mpis: readonly Mpi[], { kills, seed }: Settings): Promise<string[]> {
  const total = { traces: 0, finalized: 0, rows: 0 };
  const findings: string[] = [];
  for (let i = 0; i < kills; i++) {
    const mpi = mpis[i % mpis.length];
    if (!mpi) break;
    const killed = await killOnce(mpi, seed + i);
    total.traces += killed.traces;
    total.finalized += killed.finalized;
    total.rows += killed.rows;
    findings.push(...killed.findings.map((line) => `seed ${killed.seed}, ${killed.what}: ${line}`));
    if ((i + 1) % 20 === 0) say(`${i + 1} jobs killed, ${total.traces} traces`);
  }
  say(
    `${kills} jobs killed (seeds ${seed} to ${seed + kills - 1}): ${total.traces} traces, of which ` +
      `${total.finalized} had ended before, ${total.rows} rows, ${findings.length} findings`,
  );
  return findings;
}

async function readChanged(mpis: readonly Mpi[], settings: Settings): Promise<string[]> {
  buildFuzzer();
  addSeeds(CORPUS, mpis);
  const lacking = missingTypes(CORPUS).map((name) => `no seed has a block ${name}`);
  const seconds = Math.round(settings.minutes * 60);
  const findings = await fuzzReader(settings.seed, seconds, CORPUS, (line) =>
    say(`reader: ${line}`),
  );
  const { files, refused, findings: others } = readAll(CORPUS);
  say(`corpus of ${files} files read by the addon, ${refused} refused as a whole`);
  return [...lacking, ...findings, ...others];
}

async function main(): Promise<number> {
  const settings = readSettings();
  const lookup = { path: process.env["PATH"] ?? "", workingDirectory: process.cwd() };
  const mpis = MPIS.filter((mpi) => findExecutable(`mpirun.${mpi}`, lookup) !== undefined);
  for (const mpi of mpis) buildPattern(mpi);
  say(`seed ${settings.seed}; MPI: ${mpis.join(", ") || "none, so no jobs are killed"}`);
  const findings = [...(await killJobs(mpis, settings)), ...(await readChanged(mpis, settings))];
  for (const finding of findings) say(`FOUND ${finding}`);
  say(findings.length === 0 ? "nothing found" : `${findings.length} findings`);
  return findings.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(`fuzz: ${error.message}`);
  process.exitCode = error.exitCode;
}
