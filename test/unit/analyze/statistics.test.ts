import { describe, expect, test } from "vitest";
import {
  levels,
  lowerBulk,
  medianFilter,
  quantile,
  randomFrom,
  weightedQuantile,
} from "../../../src/analyze/statistics.ts";

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
}

describe("weightedQuantile", () => {
  test("equals the order statistic of the values written out by their weights", () => {
    const random = randomFrom(7);
    for (let round = 0; round < 100; round++) {
      const n = 1 + Math.floor(random() * 12);
      const values = Array.from({ length: n }, () => Math.floor(random() * 10));
      const weights = Array.from({ length: n }, () => Math.floor(random() * 4));
      const all = values
        .flatMap((value, i) => Array<number>(weights[i]!).fill(value))
        .toSorted((a, b) => a - b);
      const q = Math.max(0.001, random());
      const expected =
        all.length > 0 ? all[Math.max(0, Math.ceil(q * all.length - 1e-9) - 1)] : Number.NaN;
      expect(weightedQuantile(values, weights, q)).toBe(expected);
    }
  });
});

describe("quantile", () => {
  test("interpolates as type 7", () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([10, 0], 0.25)).toBe(2.5);
    expect(quantile([5], 0.9)).toBe(5);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

describe("lowerBulk", () => {
  test.each([30, 1000, 30_000])(
    "is the centre of undisturbed values, whatever their number (%d)",
    (n) => {
      const random = randomFrom(n);
      const values = Array.from({ length: n }, () => 5 + 0.02 * normal(random));
      expect(
        Math.abs(
          lowerBulk(
            values,
            values.map(() => 1),
            0.06,
          ) - 5,
        ),
      ).toBeLessThan(0.015);
    },
  );

  test("stays with the lower of two bulks", () => {
    const random = randomFrom(3);
    const values = Array.from(
      { length: 500 },
      (_, i) => (i < 200 ? 5 : 5.7) + 0.01 * normal(random),
    );
    expect(
      Math.abs(
        lowerBulk(
          values,
          values.map(() => 1),
          0.06,
        ) - 5,
      ),
    ).toBeLessThan(0.005);
  });

  test("ignores what has no weight", () => {
    expect(lowerBulk([Number.NaN, 1, 1], [0, 1, 1], 0.1)).toBe(1);
  });
});

test("levels start where the running mean is left", () => {
  expect(levels([0, 0.05, 0, 1, 1.05, 0], 0.1).map(({ from, to }) => [from, to])).toEqual([
    [0, 3],
    [3, 5],
    [5, 6],
  ]);
});

test("medianFilter drops single spikes and keeps steps", () => {
  expect([...medianFilter([0, 9, 0, 0, 1, 1, 1], 3)]).toEqual([4.5, 0, 0, 0, 1, 1, 1]);
});
