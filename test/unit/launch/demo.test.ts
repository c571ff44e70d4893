import { describe, expect, test } from "vitest";
import type { Region } from "../../../src/report/model.ts";
import { chooseCores, parseCoreList } from "../../../scripts/demo/cores.ts";
import {
  duringRun,
  intersectionOverUnion,
  type Truth,
  truthIntervals,
} from "../../../scripts/demo/truth.ts";
import { judge } from "../../../scripts/demo/verdict.ts";
import { ownNoise } from "../../../scripts/demo/watch.ts";

const span = (from: number, to: number) => ({ from, to });

const region = (culprits: number[], startSeconds: number, endSeconds: number) =>
  ({ culprits, startSeconds, endSeconds }) as Region;

describe("intersection over union", () => {
  test.each([
    { left: [span(0, 10)], right: [span(0, 10)], overlap: 1 },
    { left: [span(0, 10)], right: [span(5, 15)], overlap: 5 / 15 },
    { left: [span(0, 1)], right: [span(2, 3)], overlap: 0 },
    { left: [span(0, 1)], right: [span(1, 2)], overlap: 0 },
    { left: [span(2, 4), span(6, 8)], right: [span(3, 7)], overlap: 2 / 6 },
    { left: [span(6, 8), span(2, 4)], right: [span(2, 4), span(6, 8)], overlap: 1 },
    // Overlapping parts of one side count once.
    { left: [span(0, 6), span(4, 10)], right: [span(0, 10)], overlap: 1 },
    { left: [], right: [span(0, 1)], overlap: 0 },
    { left: [], right: [], overlap: 1 },
  ])("$left and $right", ({ left, right, overlap }) => {
    expect(intersectionOverUnion(left, right)).toBeCloseTo(overlap, 12);
    expect(intersectionOverUnion(right, left)).toBeCloseTo(overlap, 12);
  });

  test("agrees with counting points", () => {
    let seed = 7;
    const random = (limit: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % limit;
    };
    const randomSet = () =>
      Array.from({ length: random(4) }, () => {
        const from = random(40);
        return span(from, from + 1 + random(10));
      });
    for (let round = 0; round < 200; round += 1) {
      const [left, right] = [randomSet(), randomSet()];
      // All ends are whole, so the middles of unit cells tell which cells are covered.
      const covers = (set: typeof left, point: number) =>
        set.some(({ from, to }) => from < point && point < to);
      const points = Array.from({ length: 60 }, (_, cell) => cell + 0.5);
      const both = points.filter((point) => covers(left, point) && covers(right, point)).length;
      const either = points.filter((point) => covers(left, point) || covers(right, point)).length;
      const expected = either === 0 ? 1 : both / either;
      expect(intersectionOverUnion(left, right)).toBeCloseTo(expected, 12);
    }
  });
});

test("truth is put on the clock of the report, to the microsecond", () => {
  const truth: Truth = {
    schema: "varscope.truth/1",
    target: { host: "node", core: 1 },
    complete: true,
    intervals: [
      {
        startRealtime: "2026-01-31T23:59:59.250001000Z",
        endRealtime: "2026-02-01T00:00:01.000000000Z",
        cpuSeconds: 1,
      },
    ],
  };
  const [interval] = truthIntervals(truth, "2026-01-31T23:59:58.250Z");
  expect(interval?.from).toBeCloseTo(1.000001, 6);
  expect(interval?.to).toBeCloseTo(2.75, 6);
  expect(duringRun([span(-1, 2), span(3, 9), span(7, 8)], 5)).toEqual([span(0, 2), span(3, 5)]);
});

describe("verdict", () => {
  const hog = { rank: 1, intervals: [span(6, 12)] };

  test.each([
    { name: "the right one", regions: [region([1], 6.1, 11.8)], passed: true },
    { name: "in two parts", regions: [region([1], 6, 9), region([1], 9, 12)], passed: true },
    { name: "no region", regions: [], passed: false },
    { name: "the wrong rank", regions: [region([0], 6, 12)], passed: false },
    { name: "one rank too many", regions: [region([0, 1], 6, 12)], passed: false },
    {
      name: "another region besides",
      regions: [region([1], 6, 12), region([0], 1, 2)],
      passed: false,
    },
    { name: "much too long", regions: [region([1], 2, 12)], passed: false },
  ])("$name", ({ regions, passed }) => {
    expect(judge({ regions }, hog).passed).toBe(passed);
  });

  test("without a disturbance, any region is wrong", () => {
    expect(judge({ regions: [] }, undefined).passed).toBe(true);
    expect(judge({ regions: [region([0], 1, 2)] }, undefined).passed).toBe(false);
    expect(judge({ regions: [region([], 1, 2)] }, undefined).passed).toBe(false);
  });
});

test("noise is the share of time spent waiting for a core outside the disturbance", () => {
  const samples: [number, number][] = [
    [10, 0],
    [11, 0.1],
    [12, 0.1],
    [13, 0.9],
    [14, 0.9],
  ];
  const waits = samples.map(([time, seconds]) => ({ time, seconds }));
  const rank = { rank: 0, pid: 1, cores: [0], waits };
  expect(ownNoise(rank, [])).toBeCloseTo(0.9 / 4, 12);
  expect(ownNoise(rank, [span(12.2, 12.8)])).toBeCloseTo(0.1 / 3, 12);
  expect(ownNoise({ ...rank, waits: [] }, [])).toBeUndefined();
});

test("core lists are read as the kernel writes them", () => {
  expect(parseCoreList("0-3,8,10-11")).toEqual([0, 1, 2, 3, 8, 10, 11]);
  expect(parseCoreList("")).toEqual([]);
  // Cores that this machine may not have count as cores without siblings.
  expect(chooseCores(2, [9000, 9001, 9002])).toEqual([9000, 9001]);
  expect(chooseCores(2, [9000])).toEqual([9000]);
});
