import { describe, expect, test } from "vitest";
import { area, intersectionOverUnion, type Region, sharedArea } from "../../eval/score/region.ts";
import { scoreRegions, sumScores } from "../../eval/score/regions.ts";

function region(
  ranks: number[],
  startNs: number,
  endNs: number,
  more: Partial<Region> = {},
): Region {
  const parts = ranks.map((rank) => ({ rank, startNs, endNs }));
  return { kind: "compute", parts, lostNs: 10, ...more };
}

describe("rank-time", () => {
  test("counts once what several parts cover", () => {
    const parts = [
      { rank: 0, startNs: 0, endNs: 10 },
      { rank: 0, startNs: 5, endNs: 15 },
      { rank: 1, startNs: 0, endNs: 4 },
    ];
    expect(area(parts)).toBe(19);
    expect(sharedArea(parts, [{ rank: 0, startNs: 8, endNs: 30 }])).toBe(7);
  });

  test("overlap over ranks and time", () => {
    // Ranks 1, 2 for 0-100 against ranks 2, 3 for 50-150: 50 shared of 350.
    const a = region([1, 2], 0, 100);
    const b = region([2, 3], 50, 150);
    expect(intersectionOverUnion(a.parts, b.parts)).toBeCloseTo(50 / 350, 12);
    expect(intersectionOverUnion([], [])).toBe(0);
  });
});

describe("found against true regions", () => {
  const truth = [
    region([1], 0, 100, { lostNs: 50 }),
    region([2], 200, 300, { lostNs: 40 }),
    region([0, 1], 0, 100, { kind: "io", lostNs: 20 }),
  ];

  test("a hit, a miss, one false alarm and one of the wrong kind", () => {
    const found = [
      region([1], 10, 110, { lostNs: 55, interval: [45, 60] }),
      region([3], 0, 50),
      region([2], 200, 300, { kind: "io" }),
    ];
    const score = scoreRegions(truth, found);
    expect(score).toMatchObject({ found: 3, true: 3, matched: 1, intervals: 1, covered: 1 });
    // 10-100 of 0-110 on rank 1.
    expect(score.overlaps).toEqual([90 / 110, 0, 0]);
    expect(score.errors[0]).toBeCloseTo(0.1, 12);
    // Computation: 150 found, 200 true, 90 both; I/O: 100 found, 200 true, none both.
    expect(score).toMatchObject({ foundNs: 250, trueNs: 400, sharedNs: 90 });
  });

  test("one found region cannot stand for two, and intervals can miss", () => {
    const two = [region([1], 0, 100, { lostNs: 100 }), region([1], 90, 200, { lostNs: 100 })];
    const found = [region([1], 0, 200, { lostNs: 200, interval: [190, 210] })];
    const score = scoreRegions(two, found);
    expect(score).toMatchObject({ found: 1, true: 2, matched: 1, intervals: 1, covered: 0 });
    expect(score.errors).toEqual([1]);
    expect(score.overlaps).toEqual([0.5, 0.55]);
  });

  test("an overlap of less than half is no match", () => {
    const score = scoreRegions([region([1], 0, 100)], [region([1], 51, 151)]);
    expect(score).toMatchObject({ matched: 0, sharedNs: 49 });
  });

  test("runs add up", () => {
    const one = scoreRegions(truth, [region([1], 0, 100, { lostNs: 50 })]);
    const none = scoreRegions(truth, []);
    const sum = sumScores([one, none]);
    expect(sum).toMatchObject({ found: 1, true: 6, matched: 1, sharedNs: 100, trueNs: 800 });
    expect(sum.overlaps).toEqual([1, 0, 0, 0, 0, 0]);
    expect(sum.errors).toEqual([0]);
  });
});
