import { describe, expect, test } from "vitest";
import { vMeasure } from "../../eval/score/v-measure.ts";

describe("V-measure, worked out by hand", () => {
  const cases: [string, number[], number[], number][] = [
    ["the same groups under other names", [0, 0, 1, 1], [7, 7, 3, 3], 1],
    // Homogeneity 1; H(cluster) = ln 4, H(cluster | label) = ln 2, so completeness 1/2.
    ["every fragment alone", [0, 0, 1, 1], [0, 1, 2, 3], 2 / 3],
    // Homogeneity 1; H(cluster) = 1.5 ln 2, H(cluster | label) = 0.5 ln 2, so completeness 2/3.
    ["one of two works cut in two", [0, 0, 1, 1], [0, 0, 1, 2], 0.8],
    // Homogeneity 0.
    ["two works merged", [0, 0, 1, 1], [5, 5, 5, 5], 0],
    // H(label | cluster) = 0.5 ln 2 of 1.5 ln 2: homogeneity 2/3, completeness 1.
    ["two of three works merged", [0, 0, 1, 2], [0, 0, 1, 1], 0.8],
    // Independent: both 0.
    ["groups that have nothing to do with it", [0, 0, 1, 1], [0, 1, 0, 1], 0],
    ["one work that stays one", [3, 3, 3], [0, 0, 0], 1],
    ["one work cut in two", [3, 3, 3, 3], [0, 0, 1, 1], 0],
    // What joins no class is one group: as two of three works merged.
    ["works left out", [0, 0, 1, 2], [0, 0, -1, -1], 0.8],
  ];
  test.each(cases)("%s", (_, labels, clusters, expected) => {
    expect(vMeasure(labels, clusters)).toBeCloseTo(expected, 12);
  });
});
