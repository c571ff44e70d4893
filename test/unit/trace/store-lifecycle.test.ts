import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { ingest, needsIngest } from "../../../src/trace/ingest.ts";
import { Store } from "../../../src/trace/store.ts";
import { writeTrace } from "../../../src/trace/write-synthetic.ts";
import { randomTrace } from "./support/random.ts";
import { scratchRun } from "./support/scratch.ts";

const TABLES = [
  "warnings",
  "ranks",
  "modules",
  "states",
  "edges",
  "communicators",
  "works",
  "executions",
  "irregular_calls",
];

async function contents(path: string): Promise<Record<string, unknown[]>> {
  const store = await Store.open(join(path, "run.duckdb"), { readOnly: true });
  const all: Record<string, unknown[]> = {};
  for (const table of TABLES) {
    all[table] = (await store.connection.runAndReadAll(`FROM ${table}`)).getRowObjectsJson();
  }
  store.close();
  return all;
}

function makeRun(): { path: string; traces: string; store: string } {
  const run = scratchRun();
  for (const rank of [0, 1]) {
    writeTrace(join(run.traces, `${rank}.vst`), {
      ...randomTrace(rank, 3000, 2),
      rank,
      worldSize: 2,
    });
  }
  return { ...run, store: join(run.path, "run.duckdb") };
}

test("a store that was deleted comes back the same", async () => {
  const { path, store } = makeRun();
  expect(await needsIngest(path)).toBe(true);
  await ingest(path);
  expect(await needsIngest(path)).toBe(false);
  const before = await contents(path);
  expect([...before["executions"]!, ...before["irregular_calls"]!]).toHaveLength(6000);
  rmSync(store);
  expect(await needsIngest(path)).toBe(true);
  await ingest(path);
  expect(await contents(path)).toEqual(before);
  expect(readdirSync(path).toSorted()).toEqual(["run.duckdb", "trace"]);
});

describe("a store is outdated", () => {
  test("when a trace changes, appears or goes", async () => {
    const { path, traces } = makeRun();
    const first = join(traces, "0.vst");
    utimesSync(first, 1000, 1000);
    await ingest(path);
    utimesSync(first, 1000, 1001);
    expect(await needsIngest(path)).toBe(true);
    utimesSync(first, 1000, 1000);
    expect(await needsIngest(path)).toBe(false);
    writeFileSync(join(traces, "2.vst"), "");
    expect(await needsIngest(path)).toBe(true);
    rmSync(join(traces, "2.vst"));
    renameSync(first, join(path, "elsewhere"));
    expect(await needsIngest(path)).toBe(true);
  });

  test("but not when all its traces were removed: it is all there is", async () => {
    const { path, traces } = makeRun();
    await ingest(path);
    rmSync(traces, { recursive: true });
    expect(await needsIngest(path)).toBe(false);
  });

  test("when it is of another version", async () => {
    const { path, store } = makeRun();
    for (const key of ["store_version", "duckdb_version"]) {
      await ingest(path);
      const opened = await Store.open(store);
      await opened.execute(`UPDATE meta SET value = 'other' WHERE key = '${key}'`);
      opened.close();
      expect(await needsIngest(path)).toBe(true);
    }
  });

  test("when it is no store, and then it is replaced", async () => {
    const { path, store } = makeRun();
    writeFileSync(store, "no database");
    expect(await needsIngest(path)).toBe(true);
    await ingest(path);
    expect(await needsIngest(path)).toBe(false);
    const opened = await Store.open(store);
    await opened.execute("DROP VIEW sites; DROP VIEW fragments; DROP TABLE meta");
    opened.close();
    expect(await needsIngest(path)).toBe(true);
  });
});

function pullThePlug(): never {
  throw new Error("pulled the plug");
}

describe("an interrupted ingest", () => {
  test("leaves no store, and its leftovers are removed by the next one", async () => {
    const { path, store } = makeRun();
    await expect(ingest(path, { onProgress: pullThePlug })).rejects.toThrow("pulled the plug");
    expect(readdirSync(path)).toEqual(["trace"]);
    // What a killed process leaves: its number is not in use any more.
    const gone = `${store}.partial-${hostname()}-4194304-0`;
    for (const suffix of ["", ".wal", ".tmp"]) writeFileSync(gone + suffix, "half");
    const living = `${store}.partial-${hostname()}-${process.ppid}-0`;
    const elsewhere = `${store}.partial-other-host-1-0`;
    for (const kept of [living, elsewhere]) writeFileSync(kept, "in use");
    await ingest(path);
    expect(existsSync(gone) || existsSync(`${gone}.wal`) || existsSync(`${gone}.tmp`)).toBe(false);
    expect(existsSync(living) && existsSync(elsewhere)).toBe(true);
  });

  test("leaves the store before it as it was", async () => {
    const { path, traces } = makeRun();
    await ingest(path);
    const before = await contents(path);
    appendFileSync(join(traces, "0.vst"), "longer");
    await expect(ingest(path, { onProgress: pullThePlug })).rejects.toThrow("pulled the plug");
    expect(await contents(path)).toEqual(before);
    expect(await needsIngest(path)).toBe(true);
  });
});

test("two at a time do not harm each other", async () => {
  const { path } = makeRun();
  await Promise.all([ingest(path), ingest(path)]);
  const both = await contents(path);
  await ingest(path);
  expect(both).toEqual(await contents(path));
  expect(readdirSync(path).toSorted()).toEqual(["run.duckdb", "trace"]);
});

test("a store that another process writes to is not replaced", async () => {
  const { path, store } = makeRun();
  await ingest(path);
  const code = `const {DuckDBInstance}=await import(${JSON.stringify(
    fileURLToPath(import.meta.resolve("@duckdb/node-api")),
  )}); globalThis.held=await (await DuckDBInstance.create(${JSON.stringify(store)})).connect();
  console.log("held"); setInterval(()=>{},1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  await expect(ingest(path)).rejects.toThrow(/cannot open the store .*lock/);
  await expect(needsIngest(path)).rejects.toThrow(/cannot open the store .*lock/);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await needsIngest(path)).toBe(false);
});
