/**
 * Speed of reader, ingest and analysis on synthetic traces, each size in processes of its own, with DuckDB's row
 * appender as the baseline of ingest in the same run; and how the analysis grows from one size to the next.
 *
 *   npm run bench:analysis -- [--large] [--irregular] [EVENTS RANKS]...
 *
 * Default: 1 and 10 million calls. --large: 100 million as well (10 minutes, 4 GB of disk). --irregular: a program in
 * which no two calls have the same size.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { JOBS, type JobName } from "./bench-analysis-job.ts";
import { benchmark, type Result } from "./bench-analysis-size.ts";

const USUAL: readonly Size[] = [
  { events: 1_000_000, ranks: 2 },
  { events: 10_000_000, ranks: 16 },
];
const LARGE: Size = { events: 100_000_000, ranks: 16 };

interface Size {
  events: number;
  ranks: number;
}

interface Choice {
  job: JobName;
  sizes: readonly Size[];
}

/** @throws Error with one line if the arguments make no sense */
function choose(words: readonly string[]): Choice {
  const options = words.filter((word) => word.startsWith("-"));
  const numbers = words.filter((word) => !word.startsWith("-"));
  const unknown = options.find((word) => word !== "--large" && word !== "--irregular");
  if (unknown) throw new Error(`no option ${unknown}; there are --large and --irregular`);
  if (numbers.length % 2 === 1) {
    throw new Error(`after ${numbers.at(-1)} calls a number of ranks is missing`);
  }
  const wrong = numbers.find((word) => !/^[1-9]\d*$/.test(word));
  if (wrong) throw new Error(`${wrong} is not a whole number above 0`);
  const given = numbers.flatMap((word, i) =>
    i % 2 === 0 ? [{ events: Number(word), ranks: Number(numbers[i + 1]) }] : [],
  );
  const small = given.find(({ events, ranks }) => events < ranks);
  if (small) throw new Error(`${small.ranks} ranks cannot share ${small.events} calls`);
  const usual = given.length > 0 ? given : USUAL;
  return {
    job: options.includes("--irregular") ? "irregular" : "stencil",
    sizes: options.includes("--large") ? [...usual, LARGE] : usual,
  };
}

/** Runs this script again with other words; memory of one part is then not counted to another. */
function inProcess(...words: string[]): void {
  const script = fileURLToPath(import.meta.url);
  const { status } = spawnSync(process.execPath, [...process.execArgv, script, ...words], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`${words[0]!.slice(2)} ended with status ${status}`);
}

function measureSize(job: JobName, { events, ranks }: Size): Result {
  const run = mkdtempSync(join(tmpdir(), "varscope-bench-"));
  try {
    mkdirSync(join(run, "trace"));
    inProcess("--write", run, job, String(events), String(ranks));
    inProcess("--measure", run, String(events), String(ranks));
    return JSON.parse(readFileSync(join(run, "result.json"), "utf8")) as Result;
  } finally {
    rmSync(run, { recursive: true, force: true });
  }
}

/** Power of the number of calls by which CPU time grew between two sizes. */
function exponent(before: Result, after: Result): string {
  const growth = Math.log(after.analysisCpuSeconds / before.analysisCpuSeconds);
  return (growth / Math.log(after.events / before.events)).toFixed(2);
}

function main({ job, sizes }: Choice): void {
  let before: Result | undefined;
  for (const size of sizes) {
    const result = measureSize(job, size);
    if (before && before.events !== result.events) {
      const from = before.events.toLocaleString("en");
      console.log(
        `  CPU time of the analysis from ${from} calls on: n^${exponent(before, result)}`,
      );
    }
    before = result;
  }
}

const [first, ...others] = process.argv.slice(2);
if (first === "--write") {
  JOBS[others[1] as JobName](join(others[0]!, "trace"), Number(others[2]), Number(others[3]));
} else if (first === "--measure") {
  await benchmark(others[0]!, Number(others[1]), Number(others[2]));
} else {
  try {
    main(choose(process.argv.slice(2)));
  } catch (error) {
    console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 2;
  }
}
