import { describe, expect, test } from "vitest";
import { peersOf, poolReferences, type QuietBlocks } from "../../../src/analyze/pool-references.ts";
import { randomFrom } from "../../../src/analyze/statistics.ts";

/** Blocks of `n` fragments with relative noise `share`, per rank around its true time. */
function observe(truth: readonly number[], blocks: number, n: number, share: number, seed: number) {
  const random = randomFrom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const quiet: QuietBlocks[] = truth.map((ns) => ({
    means: Array.from({ length: blocks }, () => ns * (1 + (share * normal()) / Math.sqrt(n))),
    weights: Array.from({ length: blocks }, () => n),
  }));
  const own = Float64Array.from(quiet, ({ means }) => means.reduce((a, b) => a + b, 0) / blocks);
  return { own, quiet };
}

describe("poolReferences", () => {
  test("intervals hold the truth in about 95 % of cases", () => {
    for (const truth of [[1e6], [1e6, 1e6, 1e6, 1e6], [1e6, 1.2e6, 1e6, 1.3e6]]) {
      let inside = 0;
      let all = 0;
      for (let seed = 1; seed <= 1500; seed++) {
        const { own, quiet } = observe(truth, 8, 5, 0.05, seed);
        const { low, high } = poolReferences(own, quiet);
        for (const [r, ns] of truth.entries()) {
          all++;
          if (low[r]! <= ns && ns <= high[r]!) inside++;
        }
      }
      expect(inside / all).toBeGreaterThan(0.93);
      expect(inside / all).toBeLessThan(0.975);
    }
  });

  test("equal ranks are nearer to the truth together than each alone", () => {
    let [alone, together] = [0, 0];
    for (let seed = 1; seed <= 200; seed++) {
      const { own, quiet } = observe(
        Array.from({ length: 16 }, () => 1e6),
        4,
        2,
        0.05,
        seed,
      );
      const { reference } = poolReferences(own, quiet);
      own.forEach((ns) => (alone += (ns - 1e6) ** 2));
      reference.forEach((ns) => (together += (ns - 1e6) ** 2));
    }
    expect(together).toBeLessThan(0.4 * alone);
  });

  test("a rank that differs keeps its own", () => {
    const { own, quiet } = observe([1e6, 1e6, 1e6, 1.3e6], 20, 20, 0.03, 3);
    const { reference } = poolReferences(own, quiet);
    expect(Math.abs(reference[3]! / own[3]! - 1)).toBeLessThan(0.002);
  });
});

describe("peersOf", () => {
  test("by hand", () => {
    expect([...peersOf(Float64Array.of(5, 1, 3, 3))]).toEqual([3, 3, 3, 3]);
    expect([...peersOf(Float64Array.of(1, 9))]).toEqual([9, 1]);
    expect([...peersOf(Float64Array.of(10, 1, 2, 4, 7))]).toEqual([3, 5.5, 5.5, 4.5, 3]);
    expect([...peersOf(Float64Array.of(1))]).toEqual([Number.NaN]);
  });
});

test("a rank without fragments leaves the others alone", () => {
  const { own, quiet } = observe([1000, 1000, 2000], 8, 50, 0.02, 3);
  const alone = poolReferences(own, quiet);
  const withGap = poolReferences(Float64Array.of(own[0]!, Number.NaN, own[1]!, own[2]!), [
    quiet[0]!,
    { means: [], weights: [] },
    quiet[1]!,
    quiet[2]!,
  ]);
  for (const part of ["reference", "low", "high"] as const) {
    const [a, gap, b, c] = withGap[part];
    expect([a, b, c]).toEqual([...alone[part]]);
    expect(gap).toBeNaN();
  }
  expect(withGap.mean).toEqual(alone.mean);
});

test("peers of a rank are those with fragments", () => {
  expect([...peersOf(Float64Array.of(5, Number.NaN, 1, 3))]).toEqual([2, Number.NaN, 4, 3]);
});
