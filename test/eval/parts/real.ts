import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseCores } from "../../../scripts/demo/cores.ts";
import { analyze } from "../../../src/analyze/analyze.ts";
import { ingest } from "../../../src/trace/ingest.ts";
import { Store } from "../../../src/trace/store.ts";
import { UserError } from "../../../src/user-error.ts";
import { type Found, hpcc, lammps, quantumEspresso } from "../jobs/distribution.ts";
import { type Job, record } from "../jobs/job.ts";
import { callRate, stencil, writer } from "../jobs/workloads.ts";
import { atMost, mean, type Row, type Settings } from "../row.ts";
import type { Rule } from "../run.ts";
import { elapsed, vapro, vaproClient } from "../rules/vapro.ts";
import { readJob } from "../rules/job.ts";
import { ledgerError, ourVerdict } from "../rules/ours.ts";
import type { Verdict } from "../rules/verdict.ts";

/** Rules that need neither counts nor source. */
type Applicable = Extract<Rule, "ours" | "vapro-time" | "windows">;

interface Judged {
  program: string;
  verdicts: Record<Applicable, Verdict>;
  ledgerError: number;
  /** Rank-time of calls that were left out to keep the budget, percent. */
  sampledOut: number;
  calls: number;
  seconds: number;
}

/**
 * How much of real programs each rule judges: those of the distribution that are found on this machine, and the workloads. Undisturbed as far as the machine is.
 * Rules that need a count of instructions get the time instead; vSensor needs the source and says nothing.
 */
export async function real({ quick, ranks, done }: Settings): Promise<Row[]> {
  const cores = chooseCores(ranks);
  if (cores.length < 2)
    throw new UserError("--only real: two cores are needed, one can be used here");
  const all: Judged[] = [];
  for (const program of programs(cores.length, quick)) {
    if ("missing" in program) {
      console.error(`eval: ${program.name} is left out: ${program.missing}`);
      continue;
    }
    all.push(await judge(program, cores));
    done(`real: ${program.name}`);
  }
  return rows(all);
}

function programs(ranks: number, quick: boolean): Found[] {
  const scale = quick ? 1 : 5;
  return [
    hpcc(quick ? 600 : 2000, ranks),
    lammps(quick ? 10 : 16, 150 * scale),
    quantumEspresso(quick ? 20 : 30, quick ? 4 : 6),
    stencil(400 * scale),
    writer(100 * scale),
    callRate(40_000, 4_000 * scale),
  ];
}

async function judge(program: Job, cores: readonly number[]): Promise<Judged> {
  const folder = mkdtempSync(join(tmpdir(), "varscope-eval-"));
  const directory = join(folder, "run");
  try {
    await record(program, cores, join(folder, "work"), directory);
    await ingest(directory);
    const store = await Store.open(join(directory, "run.duckdb"), { threads: 2 });
    try {
      await analyze(store);
      const job = await readJob(store);
      const times = elapsed(job.compute);
      const { calls, sampledOut } = (await store.row<{ calls: number; sampledOut: number }>(`
        SELECT (SELECT sum(intercepted) FROM ranks)::DOUBLE AS calls,
               (SELECT 100 * coalesce(sum(ns) FILTER (part = 'sampled_out'), 0) / sum(ns) FROM ledger) AS "sampledOut"`))!;
      return {
        program: program.name,
        verdicts: {
          ours: await ourVerdict(store),
          "vapro-time": vapro(job, times),
          windows: vaproClient(job, times),
        },
        ledgerError: await ledgerError(store),
        sampledOut,
        calls,
        seconds: job.wallNs / 1e9,
      };
    } finally {
      store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rows(all: readonly Judged[]): Row[] {
  const each = (of: (verdict: Verdict) => number, some = all): Row["values"] =>
    Object.fromEntries(
      (["ours", "vapro-time", "windows"] as const).map((rule) => [
        rule,
        mean(some.map(({ verdicts }) => of(verdicts[rule]))),
      ]),
    );
  const common = { part: "real", bar: "", unit: "%" as const };
  return [
    ...all.map(
      (one): Row => ({
        ...common,
        what: `${one.program}: rank-time judged`,
        values: each(({ coverage }) => 100 * coverage, [one]),
        runs: 1,
        details: {
          calls: one.calls,
          seconds: one.seconds,
          sampledOut: one.sampledOut,
          regions: one.verdicts.ours.regions,
        },
      }),
    ),
    ...all.map(
      (one): Row => ({
        ...common,
        what: `${one.program}: regions, undisturbed`,
        unit: "count",
        values: each(({ regions }) => regions.length, [one]),
        runs: 1,
      }),
    ),
    {
      ...common,
      what: "rank-time judged, mean",
      values: each(({ coverage }) => 100 * coverage),
      runs: all.length,
    },
    {
      ...common,
      what: "ledger: parts against rank-time, worst",
      bar: "<= 0.1 %",
      reaches: atMost(0.1),
      values: { ours: 100 * Math.max(...all.map((one) => one.ledgerError)) },
      runs: all.length,
    },
  ];
}
