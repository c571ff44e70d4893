import { describe, expect, test } from "vitest";
import { exactClusters, seedClusters, windowClusters } from "../../eval/rules/clusters.ts";
import type { Fragments, Job } from "../../eval/rules/job.ts";
import { vapro, vaproClient } from "../../eval/rules/vapro.ts";
import { vSensor } from "../../eval/rules/vsensor.ts";

/** How often each cluster occurs, largest first; the last is what is in none. */
function sizes(clusters: Int32Array): number[] {
  const counts = new Map<number, number>();
  for (const one of clusters) if (one >= 0) counts.set(one, (counts.get(one) ?? 0) + 1);
  const none = clusters.filter((one) => one < 0).length;
  return [...[...counts.values()].toSorted((a, b) => b - a), none];
}

describe("clustering as published", () => {
  test("5 % seeds: from the smallest upwards", () => {
    // 100 takes up to 105, 106 up to 111.3; 200 has four members and is dropped.
    const work = [103, 100, 105, 101, 102, 106, 111, 108, 109, 110, 200, 200, 200, 200];
    const clusters = seedClusters(work, 0);
    expect(sizes(clusters)).toEqual([5, 5, 4]);
    expect(new Set(clusters.slice(0, 5)).size).toBe(1);
    expect(new Set(clusters.slice(5, 10)).size).toBe(1);
  });

  test("5 % seeds cut one work with a spread of 4 % into several", () => {
    // Quantiles of a normal distribution of mean 1000 and deviation 40, by hand from tables: -2 to 2 deviations.
    const work = [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2].flatMap((z) =>
      Array(10).fill(1000 + 40 * z),
    );
    expect(sizes(seedClusters(work, 0)).length - 1).toBeGreaterThan(2);
  });

  test("+-2 % windows: the larger stays, what lies between is lost", () => {
    // Round 100 five records; 103 is in its own window with 102 (of the larger one) only.
    const work = [99, 100, 100, 101, 102, 103.5, 200, 200, 200, 200, 200];
    const clusters = windowClusters(work, 0);
    expect(sizes(clusters)).toEqual([5, 5, 1]);
    expect(clusters[5]).toBe(-1);
  });

  test("+-2 % windows: less than five records are no cluster", () => {
    expect(sizes(windowClusters([100, 100, 100, 100], 0))).toEqual([4]);
  });

  test("equal keys, five or more", () => {
    expect(sizes(exactClusters("aaaaabbbb".split("")))).toEqual([5, 4]);
  });
});

const NONE: Fragments = {
  n: 0,
  rank: new Float64Array(),
  start: new Float64Array(),
  end: new Float64Array(),
  snippet: new Float64Array(),
  bytes: new Float64Array(),
  peer: new Float64Array(),
};

/** Ranks that compute one snippet without a pause; times in ms. */
function job(times: number[][]): Job {
  const rows = times.flatMap((row, rank) => {
    let now = 0;
    return row.map((ms) => {
      const start = now;
      now += ms * 1e6;
      return { rank, start, end: now };
    });
  });
  const column = (of: (row: (typeof rows)[number]) => number) => Float64Array.from(rows, of);
  const compute: Fragments = {
    n: rows.length,
    rank: column(({ rank }) => rank),
    start: column(({ start }) => start),
    end: column(({ end }) => end),
    snippet: column(() => 4),
    bytes: column(() => 0),
    peer: column(() => -1),
  };
  const wallNs = Math.max(...rows.map(({ end }) => end));
  return { ranks: times.length, wallNs, compute, communication: NONE, io: NONE };
}

/** 100 ms each; rank 1 takes 200 ms for fragments 20 to 39. */
const SLOW = job([
  Array<number>(120).fill(100),
  Array.from({ length: 100 }, (_, i) => (i >= 20 && i < 40 ? 200 : 100)),
]);
const SAME_WORK = Array<number>(220).fill(1);

describe("rules on a run that can be worked out by hand", () => {
  const source = { label: SAME_WORK, workNs: SAME_WORK, trips: Array<boolean>(220).fill(false) };
  test.each([
    // Bins: a twentieth of 12 s is less than the published second; vSensor's are 200 ms.
    ["Vapro", () => vapro(SLOW, SAME_WORK), 600e6],
    ["VAPRO client", () => vaproClient(SLOW, SAME_WORK), 600e6],
    ["vSensor", () => vSensor(SLOW, source), 200e6],
  ])("%s: half the speed on rank 1 from 2 s to 6 s", (_, rule, binNs) => {
    const { regions, performance, coverage, flagged } = rule();
    expect(regions).toHaveLength(1);
    const [{ kind, parts, lostNs }] = regions as [(typeof regions)[number]];
    expect(kind).toBe("compute");
    expect(new Set(parts.map(({ rank }) => rank))).toEqual(new Set([1]));
    const start = Math.min(...parts.map(({ startNs }) => startNs));
    const end = Math.max(...parts.map(({ endNs }) => endNs));
    expect(Math.abs(start - 2e9)).toBeLessThanOrEqual(binNs);
    expect(Math.abs(end - 6e9)).toBeLessThanOrEqual(binNs);
    // 20 fragments of 200 ms instead of 100 ms.
    expect(lostNs).toBeCloseTo(2e9, -3);
    // 220 fragments of 100 ms in 24 s of rank-time, all of it judged.
    expect(performance).toBeCloseTo(22 / 24, 9);
    expect(coverage).toBeCloseTo(1, 9);
    expect(flagged).toBeGreaterThan(0.15);
    expect(flagged).toBeLessThan(0.2);
  });

  test("Vapro by time: slow fragments are a cluster of their own, and nothing is slow", () => {
    const times = SLOW.compute.end.map((end, i) => end - SLOW.compute.start[i]!);
    expect(vapro(SLOW, times)).toMatchObject({ regions: [], performance: 1 });
  });

  test("the shortest fragment sets the standard of all: one of half the time halves performance", () => {
    const { performance } = vapro(
      job([[50, ...Array<number>(99).fill(100)]]),
      SAME_WORK.slice(0, 100),
    );
    expect(performance).toBeCloseTo((50 + 99 * 50) / 9950, 9);
  });

  test("vSensor: changing work is no sensor, a counted loop is one per trip", () => {
    const two = job([[100, 200, 100, 200, 100, 200]]);
    const changing = { label: [0, 1, 0, 1, 0, 1], workNs: [1, 2, 1, 2, 1, 2] };
    const uncounted = Array<boolean>(6).fill(false);
    expect(vSensor(two, { ...changing, trips: uncounted }).coverage).toBe(0);
    const counted = vSensor(two, { ...changing, trips: uncounted.map(() => true) });
    expect(counted).toMatchObject({ coverage: 1, performance: 1, regions: [] });
  });

  test("vSensor: ranks with other work are judged by themselves", () => {
    const unequal = job([Array<number>(20).fill(100), Array<number>(20).fill(300)]);
    const label = unequal.compute.rank;
    const one = { label, workNs: label, trips: Array<boolean>(40).fill(false) };
    expect(vSensor(unequal, one)).toMatchObject({ performance: 1, regions: [] });
    expect(vSensor(unequal, { ...one, label: label.map(() => 0) }).performance).toBeLessThan(0.6);
  });
});
