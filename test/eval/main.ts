/**
 * Evaluates the analysis, beside published rules, on simulated runs of which everything is known.
 *
 * Usage: npm run eval [-- --seed N] [--runs N] [--only PART[,PART...]] [--ranks N] [--minutes N] [--quick] [--json FILE] [--keep FOLDER]
 * Parts: PARTS below; `real` and `live` start real jobs and are done only when asked for.
 * The table goes to stdout, progress to stderr. Exit status 0 if all went through, whatever the table says; 2 for wrong use.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { UserError } from "../../src/user-error.ts";
import { classes } from "./parts/classes.ts";
import { coverage } from "./parts/coverage.ts";
import { determinism } from "./parts/determinism.ts";
import { live } from "./parts/live.ts";
import { controls, throughout } from "./parts/imbalance.ts";
import { nulls, records } from "./parts/nulls.ts";
import { real } from "./parts/real.ts";
import { power } from "./parts/power.ts";
import { regions } from "./parts/regions.ts";
import type { Row, Settings } from "./row.ts";
import { met, table } from "./table.ts";

const PARTS: Record<string, (settings: Settings) => Promise<Row[]>> = {
  classes,
  null: nulls,
  records,
  power,
  regions,
  throughout,
  controls,
  coverage,
  determinism,
  real,
  live,
};
/** They need MPI, and `live` a quiet machine, so they are done only when asked for. */
const ASKED_FOR = new Set(["real", "live"]);

interface Options {
  seed: number;
  runs: number;
  only: string[];
  /** Of `live` and `real`, at most; each has a core of its own. */
  ranks: number;
  /** `live` starts no further pair of runs after so many. */
  minutes: number;
  quick: boolean;
  json: string | undefined;
  keep?: string | undefined;
}

export function readOptions(args: string[]): Options {
  const text = { type: "string" } as const;
  let values: Record<string, string | boolean | undefined>;
  try {
    const options = {
      seed: text,
      runs: text,
      ranks: text,
      minutes: text,
      only: text,
      json: text,
      keep: text,
      quick: { type: "boolean" as const },
    };
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(/[.\n]/)[0] : String(error);
    throw new UserError(
      `${reason}; usage: npm run eval [-- --seed N] [--runs N] [--only PART] [--ranks N] [--minutes N] [--quick] [--json FILE] [--keep FOLDER]`,
      2,
    );
  }
  const quick = values["quick"] === true;
  const usual = Object.keys(PARTS).filter((part) => !ASKED_FOR.has(part));
  const only = String(values["only"] ?? usual.join(",")).split(",");
  for (const part of only) {
    if (!(part in PARTS)) {
      throw new UserError(
        `--only ${part}: give one or more of ${Object.keys(PARTS).join(", ")}`,
        2,
      );
    }
  }
  return {
    seed: number("seed", values["seed"] ?? "1", 0),
    runs: number("runs", values["runs"] ?? (quick ? "5" : "40"), 1),
    only,
    ranks: number("ranks", values["ranks"] ?? "16", 2),
    minutes: number("minutes", values["minutes"] ?? "1000000", 1),
    quick,
    json: values["json"] as string | undefined,
    keep: values["keep"] as string | undefined,
  };
}

function number(name: string, text: string | boolean, least: number): number {
  const value = Number(text);
  if (String(text).trim() !== "" && Number.isInteger(value) && value >= least && value <= 1e6)
    return value;
  throw new UserError(`--${name} ${text}: give a whole number from ${least} to 1000000`, 2);
}

/** Says how far it is: on a terminal in one line, else a line now and then. */
function progress(): (name: string) => void {
  let n = 0;
  let last = 0;
  return (name) => {
    n++;
    const line = `eval: ${n} runs, ${name}`;
    if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`);
    else if (Date.now() - last > 10_000) {
      last = Date.now();
      process.stderr.write(`${line}\n`);
    }
  };
}

export async function evaluateAll({ only, ...settings }: Options): Promise<Row[]> {
  const done = progress();
  const rows: Row[] = [];
  for (const part of only) rows.push(...(await PARTS[part]!({ ...settings, done })));
  if (process.stderr.isTTY) process.stderr.write("\r\u001B[K");
  return rows;
}

if (process.argv[1] === import.meta.filename) {
  try {
    const options = readOptions(process.argv.slice(2));
    const rows = await evaluateAll(options);
    console.log(table(rows));
    if (options.json) {
      const out = rows.map((row) => Object.assign(row, { met: met(row) }));
      writeFileSync(options.json, `${JSON.stringify({ ...options, rows: out }, null, 1)}\n`);
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(`eval: ${error.message}`);
    process.exitCode = error.exitCode;
  }
}
