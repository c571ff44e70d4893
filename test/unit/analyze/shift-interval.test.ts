import { describe, expect, test } from "vitest";
import { shiftOf, type Stratum } from "../../../src/analyze/shift-interval.ts";

/** All differences are distinct, and the k-th smallest is k - 1 - (n - 1): the limit tells which one was taken. */
function staircase(m: number, n: number): Stratum {
  return {
    inside: Array.from({ length: m }, (_, i) => i * n),
    outside: Array.from({ length: n }, (_, j) => j),
  };
}

/** The rank of the difference that the lower limit is, from 1. */
function limitRank(m: number, n: number, chance: number): number {
  return shiftOf([staircase(m, n)], chance)!.low + n;
}

/** Chance that fewer than k pairs are in order, by going over all ways to pick the inside ones. */
function bruteForce(sizes: readonly [number, number][], k: number): number {
  let counts = new Map([[0, 1]]);
  for (const [m, n] of sizes) {
    const next = new Map<number, number>();
    for (let picked = 0; picked < 1 << (m + n); picked++) {
      let [inside, pairs] = [0, 0];
      for (let bit = 0; bit < m + n; bit++)
        if ((picked >> bit) & 1) {
          inside++;
          pairs += bit + 1 - inside;
        }
      if (inside !== m) continue;
      for (const [count, ways] of counts)
        next.set(count + pairs, (next.get(count + pairs) ?? 0) + ways);
    }
    counts = next;
  }
  const all = [...counts.values()].reduce((sum, ways) => sum + ways, 0);
  let below = 0;
  for (const [count, ways] of counts) if (count < k) below += ways;
  return below / all;
}

describe("limits of a shift", () => {
  test.each([
    [[[3, 5]], 0.05],
    [[[5, 6]], 0.05 / 3],
    [
      [
        [2, 4],
        [3, 3],
      ],
      0.05 / 3,
    ],
    [[[8, 8]], 0.01],
  ] as [[number, number][], number][])("are exact for %j at %f", (sizes, chance) => {
    // Strata far apart in size but with differences of their own: all of them are distinct.
    const strata = sizes.map(([m, n], s) => ({
      inside: staircase(m, n).inside as number[],
      outside: (staircase(m, n).outside as number[]).map((one) => one + s * 0.5),
    }));
    const all = strata
      .flatMap(({ inside, outside }) => inside.flatMap((a) => outside.map((b) => a - b)))
      .toSorted((a, b) => a - b);
    const k = all.indexOf(shiftOf(strata, chance)!.low) + 1;
    expect(bruteForce(sizes, k)).toBeLessThanOrEqual(chance);
    expect(bruteForce(sizes, k + 1)).toBeGreaterThan(chance);
    expect(all.at(-k)).toBe(shiftOf(strata, chance)!.high);
  });

  test("are those of the tables for 10 and 10 values: critical value 23 at 0.025", () => {
    expect(limitRank(10, 10, 0.025)).toBe(24);
  });

  test("are those of the normal distribution for many: 50 x 50 at 0.025", () => {
    // 1250 - 1.95996 sqrt(50 x 50 x 101 / 12) = 965.7
    expect(limitRank(50, 50, 0.025)).toBe(965);
  });

  test("are infinite where too few values are compared", () => {
    expect(shiftOf([staircase(1, 20)], 0.01)).toMatchObject({ low: -Infinity, high: Infinity });
    expect(shiftOf([{ inside: [], outside: [1] }], 0.05)).toBeUndefined();
  });

  test("one outlier does not move them", () => {
    const usual = { inside: [3, 3.1, 3.2, 3.3, 3.4, 3.5], outside: [1, 1.1, 1.2, 1.3, 1.4, 1.5] };
    const spoilt = { ...usual, outside: [...usual.outside.slice(1), 100] };
    expect(shiftOf([usual], 0.05)!.low).toBeGreaterThan(1.5);
    expect(shiftOf([spoilt], 0.05)!.low).toBeGreaterThan(1);
  });
});
