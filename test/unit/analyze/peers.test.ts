import { describe, expect, test } from "vitest";
import { groupRows, othersQuantile } from "../../../src/analyze/peers.ts";
import { quantile, randomFrom } from "../../../src/analyze/statistics.ts";

describe("othersQuantile", () => {
  test("three values, by hand: the median of two others is their mean", () => {
    expect([...othersQuantile([10, 1, 4], 0.5)]).toEqual([2.5, 7, 5.5]);
  });

  test("is what quantile says of the others, one value at a time", () => {
    const random = randomFrom(4);
    for (let n = 0; n < 40; n++) {
      // Few different values, so that many are equal; some unknown.
      const values = Array.from({ length: n }, () => {
        const value = Math.floor(8 * random()) - 2;
        return value === 5 ? Number.NaN : value;
      });
      for (const q of [0, 0.25, 0.5, 0.9, 1]) {
        const others = values.map((_, i) =>
          quantile(
            values.filter((_value, k) => k !== i),
            q,
          ),
        );
        expect([...othersQuantile(values, q)]).toEqual(others);
      }
    }
  });
});

test("groupRows keeps the order of rows and of first rows", () => {
  const groups = groupRows([5, 2, 7, 4, 9], (n) => n % 2);
  expect([...groups]).toEqual([
    [1, [5, 7, 9]],
    [0, [2, 4]],
  ]);
});
