/**
 * Speed of reader, ingest and analysis on synthetic traces of 1 and 10 million calls, each in a process
 * of its own, with DuckDB's row appender as the baseline of ingest in the same run.
 *
 *   npx tsx scripts/bench-analysis.ts [EVENTS RANKS]...
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { analyze } from "../src/analyze/analyze.ts";
import { ingest } from "../src/trace/ingest.ts";
import { EdgeNumbers, makeCallColumns, TraceReader } from "../src/trace/reader.ts";
import { BASE_TABLES } from "../src/trace/schema.ts";
import { Store } from "../src/trace/store.ts";
import { writeStencil } from "./bench-analysis-job.ts";

const BATCH_ROWS = 65_536;
const BASELINE_ROWS = 200_000;

interface Measured {
  wallSeconds: number;
  cpuSeconds: number;
}

async function measure(work: () => unknown): Promise<Measured> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const used = process.cpuUsage(cpu);
  return {
    wallSeconds: (performance.now() - start) / 1000,
    cpuSeconds: (used.user + used.system) / 1e6,
  };
}

function* decodeAll(folder: string, columns = makeCallColumns(BATCH_ROWS)) {
  const edges = new EdgeNumbers();
  for (const name of readdirSync(folder)) {
    const reader = new TraceReader(join(folder, name));
    const identity = Int32Array.from({ length: 64 }, (_, i) => i);
    const mapping = { states: identity, communicators: identity, files: identity, zeroNs: 0n };
    for (const rows of reader.decode(mapping, edges, columns)) yield rows;
  }
}

/** The same rows through the documented way: one append call per value. */
async function appendByRow(folder: string, path: string): Promise<void> {
  const store = await Store.open(path);
  await store.execute(BASE_TABLES);
  const appender = await store.connection.createAppender("irregular_calls");
  const columns = makeCallColumns(BATCH_ROWS);
  const buffers = Object.values(columns);
  let left = BASELINE_ROWS;
  for (const rows of decodeAll(folder, columns)) {
    for (let i = 0; i < Math.min(rows, left); i++) {
      for (const buffer of buffers) {
        const value = buffer[i]!;
        if (typeof value === "bigint") appender.appendBigInt(value);
        else if (buffer instanceof Int16Array) appender.appendSmallInt(value);
        else appender.appendInteger(value);
      }
      appender.endRow();
    }
    left -= Math.min(rows, left);
    if (left === 0) break;
  }
  appender.closeSync();
  await store.execute("CHECKPOINT");
  store.close();
}

const million = (rows: number, seconds: number): string => (rows / seconds / 1e6).toFixed(2);

async function benchmark(events: number, ranks: number): Promise<void> {
  const run = mkdtempSync(join(tmpdir(), "varscope-bench-"));
  const traces = join(run, "trace");
  mkdirSync(traces);
  try {
    writeStencil(traces, events, ranks);
    const bytes = readdirSync(traces).reduce(
      (sum, name) => sum + statSync(join(traces, name)).size,
      0,
    );
    const decoding = await measure(() => {
      for (const rows of decodeAll(traces)) if (rows === 0) throw new Error("an empty batch");
    });
    const baseline = await measure(() => appendByRow(traces, join(run, "baseline.duckdb")));
    const ingesting = await measure(() => ingest(run));
    const analysing = await measure(async () => {
      const store = await Store.open(join(run, "run.duckdb"));
      await analyze(store);
      store.close();
    });
    const ours = events / ingesting.cpuSeconds;
    const theirs = Math.min(events, BASELINE_ROWS) / baseline.cpuSeconds;
    const line = (name: string, { wallSeconds, cpuSeconds }: Measured, rows: number): string =>
      `  ${name.padEnd(24)}${wallSeconds.toFixed(2).padStart(8)} s${cpuSeconds.toFixed(2).padStart(8)} s` +
      million(rows, cpuSeconds).padStart(14);
    console.log(
      [
        `${events.toLocaleString("en")} calls on ${ranks} ranks, ${(bytes / events).toFixed(2)} bytes per call`,
        `  ${"".padEnd(24)}${"wall".padStart(10)}${"CPU".padStart(10)}${"M calls/s core".padStart(16)}`,
        line("decode", decoding, events),
        line("ingest", ingesting, events),
        line(`row appender, ${BASELINE_ROWS / 1000} k`, baseline, Math.min(events, BASELINE_ROWS)),
        line("analysis", analysing, events),
        `  ingest / row appender: ${(ours / theirs).toFixed(1)} x per core`,
        `  store: ${(statSync(join(run, "run.duckdb")).size / events).toFixed(1)} bytes per call; ` +
          `peak memory of the process: ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`,
      ].join("\n"),
    );
  } finally {
    rmSync(run, { recursive: true, force: true });
  }
}

const [first, ...others] = process.argv.slice(2);
if (first === "--one") {
  await benchmark(Number(others[0]), Number(others[1]));
} else {
  const sizes = first ? [first, ...others] : ["1000000", "2", "10000000", "16"];
  for (let i = 0; i < sizes.length; i += 2) {
    const script = fileURLToPath(import.meta.url);
    const one = [...process.execArgv, script, "--one", sizes[i]!, sizes[i + 1] ?? "2"];
    const { status } = spawnSync(process.execPath, one, { stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }
}
