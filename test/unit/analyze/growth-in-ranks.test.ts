import { afterEach, expect, test, vi } from "vitest";
import { fitClass } from "../../../src/analyze/fit.ts";
import type { BlockMeans } from "../../../src/analyze/block-means.ts";
import { compareRanks } from "../../../src/analyze/imbalances.ts";
import { compareEvidence, type ProbeTimes } from "../../../src/analyze/rank-evidence.ts";
import type { Schedule } from "../../../src/analyze/schedules.ts";
import { judgeRanks } from "../../../src/analyze/rank-speeds.ts";
import { DEFAULT_SETTINGS } from "../../../src/analyze/settings.ts";
import type { SnippetTime } from "../../../src/analyze/snippet-times.ts";
import { randomFrom } from "../../../src/analyze/statistics.ts";

/** Four times the ranks may cost this much more: 4 of n, 5 of n log n, 16 of their square. */
const MOST_GROWTH = 6;
const [FEW, MANY] = [128, 512];

afterEach(() => vi.restoreAllMocks());

/** Rows whose values can be read like any others; every reading is counted. */
function counted<Row extends object>(rows: readonly Row[]): { rows: Row[]; reads: () => number } {
  let reads = 0;
  const watched = rows.map(
    (row) =>
      new Proxy(row, {
        get(of, name, receiver): unknown {
          reads++;
          return Reflect.get(of, name, receiver);
        },
      }),
  );
  return { rows: watched, reads: () => reads };
}

/** Ranks that do the same within a few percent; one in ten takes half as long again. */
function snippetTimes(ranks: number): SnippetTime[] {
  const random = randomFrom(ranks);
  return Array.from({ length: 3 * ranks }, (_, i) => {
    const rank = i % ranks;
    const factor = (rank % 10 === 3 ? 1.5 : 1) * (1 + 0.05 * random());
    return { snippet: i % 3, rank, ns: 1e9 * factor, fragments: 1000, vectors: "8 8" };
  });
}

function readsOfTimes(ranks: number): number {
  const times = counted(snippetTimes(ranks));
  compareRanks(times.rows, 0.07, 1e7);
  judgeRanks(times.rows, [], 0.08, 0.005, false);
  return times.reads();
}

test("ranks are compared with their peers without looking at every pair", () => {
  expect(readsOfTimes(MANY) / readsOfTimes(FEW)).toBeLessThan(MOST_GROWTH);
});

function readsOfEvidence(ranks: number): number {
  const random = randomFrom(ranks);
  const probes = Array.from(
    { length: ranks },
    (_, rank): ProbeTimes => ({
      rank,
      kind: "compute",
      logs: Array.from({ length: 9 }, random),
    }),
  );
  const schedules = Array.from(
    { length: ranks },
    (_, rank): Schedule => ({ rank, cpuNs: 1e9, delayNs: 1e8 * random() }),
  );
  const [watchedProbes, watchedSchedules] = [counted(probes), counted(schedules)];
  // What was made of the rows is a new object, so its arrays are watched instead.
  const sizes = watchSizes();
  compareEvidence(watchedProbes.rows, watchedSchedules.rows);
  return watchedProbes.reads() + watchedSchedules.reads() + sizes();
}

test("probes and waiting for a core are, too", () => {
  expect(readsOfEvidence(MANY) / readsOfEvidence(FEW)).toBeLessThan(MOST_GROWTH);
});

/** Counts the values that are filtered or sorted from now on. */
function watchSizes(): () => number {
  vi.restoreAllMocks();
  let values = 0;
  const watch = (prototype: object, name: string): void => {
    const original = (prototype as Record<string, (...of: unknown[]) => unknown>)[name]!;
    vi.spyOn(prototype as Record<string, () => unknown>, name).mockImplementation(function (
      this: ArrayLike<unknown>,
      ...of: unknown[]
    ) {
      values += this.length;
      return original.apply(this, of);
    });
  };
  for (const name of ["filter", "toSorted", "sort"]) {
    watch(Array.prototype, name);
    watch(Object.getPrototypeOf(Float64Array.prototype) as object, name);
  }
  return () => {
    const seen = values;
    vi.restoreAllMocks();
    return seen;
  };
}

function blockMeans(ranks: number): BlockMeans {
  const blocks = 8;
  const random = randomFrom(ranks);
  const size = ranks * blocks;
  const total = Float64Array.from({ length: size }, () => 1e7 * (1 + 0.05 * random()));
  return {
    ranks,
    blocks,
    n: new Float64Array(size).fill(10),
    total,
    raw: total,
    level: total.map((ns) => Math.log(ns / 10)),
    spread: 0.03,
  };
}

function sizesOfFit(ranks: number): number {
  const means = blockMeans(ranks);
  const seen = watchSizes();
  fitClass(means, DEFAULT_SETTINGS);
  return seen();
}

test("so are the levels of a class's ranks", () => {
  expect(sizesOfFit(MANY) / sizesOfFit(FEW)).toBeLessThan(MOST_GROWTH);
});
