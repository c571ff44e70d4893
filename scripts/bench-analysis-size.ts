import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { analyze } from "../src/analyze/analyze.ts";
import { ingest } from "../src/trace/ingest.ts";
import { EdgeNumbers, makeCallColumns, TraceReader } from "../src/trace/reader.ts";
import { BASE_TABLES } from "../src/trace/schema.ts";
import { Store } from "../src/trace/store.ts";

const BATCH_ROWS = 65_536;
const BASELINE_ROWS = 200_000;

/** What is compared between sizes. */
export interface Result {
  events: number;
  analysisCpuSeconds: number;
}

interface Measured {
  name: string;
  wallSeconds: number;
  cpuSeconds: number;
  /** Largest resident memory of the process so far. */
  peakMiB: number;
}

const peakMiB = (): number => Math.round(process.resourceUsage().maxRSS / 1024);

/** Starts a clock; calling the result stops it. */
function stopwatch(name: string): () => Measured {
  const cpu = process.cpuUsage();
  const start = performance.now();
  return () => {
    const used = process.cpuUsage(cpu);
    return {
      name,
      wallSeconds: (performance.now() - start) / 1000,
      cpuSeconds: (used.user + used.system) / 1e6,
      peakMiB: peakMiB(),
    };
  };
}

async function measure(name: string, work: () => unknown): Promise<Measured> {
  const stop = stopwatch(name);
  await work();
  return stop();
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

/** The analysis as a whole, and each of its passes. */
async function analyseByPass(path: string): Promise<{ whole: Measured; passes: Measured[] }> {
  const passes: Measured[] = [];
  let stop: (() => Measured) | undefined;
  const whole = await measure("analysis", async () => {
    const store = await Store.open(path);
    await analyze(store, {
      progress: (pass) => {
        if (stop) passes.push(stop());
        stop = stopwatch(`  ${pass}`);
      },
    });
    if (stop) passes.push(stop());
    store.close();
  });
  return { whole, passes };
}

function line({ name, wallSeconds, cpuSeconds, peakMiB: peak }: Measured, rows?: number): string {
  const rate = rows === undefined ? "" : (rows / cpuSeconds / 1e6).toFixed(2);
  return (
    `  ${name.padEnd(24)}${wallSeconds.toFixed(2).padStart(8)} s${cpuSeconds.toFixed(2).padStart(8)} s` +
    `${peak.toLocaleString("en").padStart(8)} MiB${rate.padStart(14)}`
  );
}

/** Measures one run directory, prints what it took, and leaves a Result in result.json. */
export async function benchmark(run: string, events: number, ranks: number): Promise<void> {
  const traces = join(run, "trace");
  const bytes = readdirSync(traces).reduce(
    (sum, name) => sum + statSync(join(traces, name)).size,
    0,
  );
  const decoding = await measure("decode", () => {
    for (const rows of decodeAll(traces)) if (rows === 0) throw new Error("an empty batch");
  });
  const baselineRows = Math.min(events, BASELINE_ROWS);
  const baseline = await measure(`row appender, ${Math.ceil(baselineRows / 1000)} k`, () =>
    appendByRow(traces, join(run, "baseline.duckdb")),
  );
  const ingesting = await measure("ingest", () => ingest(run));
  const { whole, passes } = await analyseByPass(join(run, "run.duckdb"));
  const ratio = events / ingesting.cpuSeconds / (baselineRows / baseline.cpuSeconds);
  const storeBytes = statSync(join(run, "run.duckdb")).size;
  const heads = [
    "wall".padStart(10),
    "CPU".padStart(10),
    "peak".padStart(12),
    "M calls/s core".padStart(16),
  ];
  console.log(
    [
      `${events.toLocaleString("en")} calls on ${ranks} ranks, ${(bytes / events).toFixed(2)} bytes per call`,
      `  ${"".padEnd(24)}${heads.join("")}`,
      line(decoding, events),
      line(ingesting, events),
      line(baseline, baselineRows),
      line(whole, events),
      ...passes.map((pass) => line(pass)),
      `  ingest / row appender: ${ratio.toFixed(1)} x per core; store: ${(storeBytes / events).toFixed(1)} bytes per call`,
    ].join("\n"),
  );
  const result: Result = { events, analysisCpuSeconds: whole.cpuSeconds };
  writeFileSync(join(run, "result.json"), JSON.stringify(result));
}
