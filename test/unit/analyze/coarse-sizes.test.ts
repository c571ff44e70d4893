import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeIrregular, writeStencil } from "../../../scripts/bench-analysis-job.ts";
import { analyze } from "../../../src/analyze/analyze.ts";
import { findCoarseStates, sizeMacros } from "../../../src/analyze/coarse-sizes.ts";
import { ingest } from "../../../src/trace/ingest.ts";
import { Store } from "../../../src/trace/store.ts";

type Write = (folder: string, events: number, ranks: number) => void;

async function withJob<T>(
  write: Write,
  events: number,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const run = mkdtempSync(join(tmpdir(), "varscope-coarse-"));
  try {
    mkdirSync(join(run, "trace"));
    write(join(run, "trace"), events, 2);
    await ingest(run);
    const store = await Store.open(join(run, "run.duckdb"));
    try {
      return await work(store);
    } finally {
      store.close();
    }
  } finally {
    rmSync(run, { recursive: true, force: true });
  }
}

/** Sizes, and what one of the macros makes of them where state 3 and edges 7 and 8 are coarse. */
async function sizes(macro: string, of: number): Promise<[number, number][]> {
  const store = await Store.open(":memory:");
  try {
    await store.execute(sizeMacros({ states: [3], from: [7, 8], edges: [7, 8, 9] }));
    const rows = await store.rows<{ b: number; s: number }>(
      `SELECT b::DOUBLE AS b, ${macro}(${of}, b::BIGINT)::DOUBLE AS s
         FROM (SELECT unnest(range(0, 5000)) AS b UNION ALL SELECT unnest([2^20, 2^40 - 1, 2^40, 2^62])) ORDER BY b`,
    );
    return rows.map(({ b, s }) => [b, s]);
  } finally {
    store.close();
  }
}

describe("size_of and size_before", () => {
  test("states and edges that are not coarse keep their sizes", async () => {
    for (const [size, given] of [
      ...(await sizes("size_of", 4)),
      ...(await sizes("size_before", 6)),
    ]) {
      expect(given).toBe(size);
    }
  });

  test("coarse sizes: exact below 64, then within a 64th, never falling, 32 in an octave", async () => {
    for (const found of [await sizes("size_of", 3), await sizes("size_before", 8)]) {
      let before = 0;
      for (const [size, given] of found) {
        expect(Math.abs(given - size)).toBeLessThanOrEqual(size < 64 ? 0 : size / 64);
        expect(given).toBeGreaterThanOrEqual(before);
        before = given;
      }
      const octave = found.filter(([size]) => size >= 1024 && size < 2048);
      expect(new Set(octave.map(([, given]) => given)).size).toBe(32);
    }
  });
});

describe("findCoarseStates", () => {
  test("both states of a program in which no two calls have the same size", async () => {
    const states = await withJob(writeIrregular, 160_000, findCoarseStates);
    expect(states).toHaveLength(2);
  });

  test("none while there are too few calls for too many vectors, or they repeat", async () => {
    expect(await withJob(writeIrregular, 60_000, findCoarseStates)).toEqual([]);
    expect(await withJob(writeStencil, 700_000, findCoarseStates)).toEqual([]);
  });
});

test("sizes that never come back: far fewer vectors than calls are kept, and the slow rank is found", async () => {
  const events = 240_000;
  const { works, alone, regions } = await withJob(writeIrregular, events, async (store) => {
    await analyze(store);
    const counts = await store.row<{ works: number; alone: number }>(
      `SELECT (SELECT count(*) FROM class_works) AS works,
              (SELECT count(*) FROM work_classes WHERE bytes >= 0 AND status = 'vsensor') AS alone`,
    );
    const found = await store.rows<{ rank: number; from: number; to: number }>(
      `SELECT rank, start_ns / wall AS "from", r.end_ns / wall AS "to"
         FROM regions r JOIN region_ranks k USING (region), (SELECT max(end_ns) AS wall FROM ranks) WHERE role = 'slow'`,
    );
    return { ...counts!, regions: found };
  });
  // Every call brings a computation with a vector of its own, and is one itself.
  expect(works).toBeLessThan(events / 3);
  expect(alone).toBe(0);
  expect(regions.map(({ rank }) => rank)).toEqual([1]);
  // The fifth tenth of its calls; computing twice as long, it takes two elevenths of its time, the run, from the fourth on.
  expect(Math.abs(regions[0]!.from - 4 / 11)).toBeLessThan(0.02);
  expect(Math.abs(regions[0]!.to - 6 / 11)).toBeLessThan(0.02);
}, 60_000);
