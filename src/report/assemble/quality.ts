import type { Store } from "../../trace/store.ts";
import type { Quality } from "../model.ts";
import { buildMatching } from "./waits.ts";

const METHOD =
  "measured in this run: a sample of the calls, and all packing, writing and reading of counters";
/** Share of rank-time by which the ledger may miss it: rounding, never a lost part. */
const LEDGER_TOLERANCE = 1e-6;

type Parts = Quality["coverage"]["parts"];

const PART_NAMES: Record<string, keyof Parts> = {
  vsensor: "vsensor",
  too_few_repeats: "tooFewRepeats",
  varying_work: "varyingWork",
  waiting: "waiting",
  sampled_out: "sampledOut",
  tool: "tool",
  untraced: "untraced",
};

interface Totals extends Record<string, unknown> {
  intercepted: number;
  recorded: number;
  sampled_out: number;
  lost: number;
  rank_ns: number;
  tool_ns: number;
  trace_bytes: number;
}

/** How far the report can be trusted: events, coverage ledger, own cost, warnings. */
export async function buildQuality(store: Store): Promise<Quality> {
  const totals = await store.row<Totals>(`
    SELECT coalesce(sum(intercepted), 0)::BIGINT AS intercepted,
           coalesce(sum(recorded), 0)::BIGINT AS recorded,
           coalesce(sum(sampled_out), 0)::BIGINT AS sampled_out,
           coalesce(sum(lost), 0)::BIGINT AS lost,
           coalesce(sum(end_ns - init_ns), 0)::DOUBLE AS rank_ns,
           coalesce(sum(tool_ns), 0)::DOUBLE AS tool_ns,
           coalesce(sum(trace_bytes), 0)::BIGINT AS trace_bytes
      FROM ranks`);
  if (!totals) throw new Error("a sum over ranks gave no row");
  const parts = await readLedger(store);
  const totalRankSeconds = totals.rank_ns / 1e9;
  const events = {
    intercepted: totals.intercepted,
    recorded: totals.recorded,
    sampledOut: totals.sampled_out,
    lost: totals.lost,
  };
  const warnings = await store.rows<{ text: string }>("SELECT text FROM warnings ORDER BY rowid");
  return {
    events,
    coverage: {
      totalRankSeconds,
      parts,
      percent: totalRankSeconds > 0 ? (100 * parts.vsensor) / totalRankSeconds : 0,
    },
    matching: await buildMatching(store),
    overhead: {
      percent: totals.rank_ns > 0 ? (100 * totals.tool_ns) / totals.rank_ns : 0,
      method: METHOD,
    },
    traceBytes: totals.trace_bytes,
    warnings: [
      ...warnings.map(({ text }) => text),
      ...checkEvents(events),
      ...checkLedger(parts, totalRankSeconds),
    ],
  };
}

async function readLedger(store: Store): Promise<Parts> {
  const parts: Parts = {
    vsensor: 0,
    tooFewRepeats: 0,
    varyingWork: 0,
    waiting: 0,
    sampledOut: 0,
    tool: 0,
    untraced: 0,
  };
  const rows = await store.rows<{ part: string; ns: number }>(
    "SELECT part, sum(ns) AS ns FROM ledger GROUP BY part",
  );
  for (const { part, ns } of rows) {
    const name = PART_NAMES[part];
    if (!name) throw new Error(`the ledger has an unknown part ${part}`);
    parts[name] = ns / 1e9;
  }
  return parts;
}

/** Nothing may be lost silently: says so when the counts of calls do not add up. */
export function checkEvents(events: Quality["events"]): string[] {
  const sum = events.recorded + events.sampledOut + events.lost;
  return sum === events.intercepted
    ? []
    : [
        `calls do not add up: ${events.intercepted} intercepted, but ${sum} recorded, sampled out or lost; the counts of this run cannot be trusted`,
      ];
}

/** Says so when the parts of the ledger are not all of rank-time. */
export function checkLedger(parts: Parts, totalRankSeconds: number): string[] {
  const sum = Object.values(parts).reduce((total, part) => total + part, 0);
  return Math.abs(sum - totalRankSeconds) <= LEDGER_TOLERANCE * Math.max(totalRankSeconds, 1e-3)
    ? []
    : [
        `the coverage ledger does not add up: its parts make ${sum.toFixed(6)} s of ${totalRankSeconds.toFixed(6)} s of rank-time`,
      ];
}
