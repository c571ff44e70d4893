import { describe, expect, test } from "vitest";
import { blockMeans } from "../../../src/analyze/block-means.ts";
import { type Fit, fitClass } from "../../../src/analyze/fit.ts";
import { DEFAULT_SETTINGS } from "../../../src/analyze/settings.ts";
import { randomFrom } from "../../../src/analyze/statistics.ts";
import { cellsOf, durations } from "./cells.ts";

const MS = 1e6;

function fitOf(times: number[][][]): Fit {
  return fitClass(blockMeans(cellsOf(times), -Infinity, Infinity), DEFAULT_SETTINGS);
}

/** Sum of four uniforms around 0: standard deviation 0.577 share. */
function jitter(seed: number, share: number): () => number {
  const random = randomFrom(seed);
  return () => 1 + share * (random() + random() + random() + random() - 2);
}

describe("fitClass", () => {
  test.each([
    [5, 10],
    [30, 30],
    [100, 500],
  ])(
    "undisturbed performance is 1 whatever the number of fragments (%d blocks of %d)",
    (blocks, n) => {
      const noise = jitter(blocks, 0.06);
      const times = durations(2, blocks, n, () => MS * noise());
      const { reference, varying } = fitOf(times);
      expect(varying).toBe(false);
      times.forEach((rank, r) => {
        const all = rank.flat();
        const mean = all.reduce((a, b) => a + b, 0) / all.length;
        expect(Math.abs(reference[r]! / mean - 1)).toBeLessThan(0.01);
      });
    },
  );

  test("a third of one rank's time slowed does not move its reference", () => {
    const noise = jitter(3, 0.03);
    const { reference, common } = fitOf(
      durations(2, 60, 20, (rank, block) => (rank === 1 && block < 20 ? 2 : 1) * MS * noise()),
    );
    expect(reference[1]! / MS).toBeCloseTo(1, 2);
    expect(Math.max(...common)).toBeLessThan(0.05);
  });

  test("slowed for 80 % of the time, a rank is judged by its peers' level, which it reaches now and then", () => {
    const noise = jitter(4, 0.03);
    const { reference } = fitOf(
      durations(4, 60, 20, (rank, block) => (rank === 1 && block < 48 ? 2 : 1) * MS * noise()),
    );
    expect(reference[1]! / MS).toBeCloseTo(1, 1);
  });

  test("slow throughout, it is judged by itself", () => {
    const noise = jitter(5, 0.03);
    const { reference } = fitOf(
      durations(4, 60, 20, (rank) => (rank === 1 ? 2 : 1) * MS * noise()),
    );
    expect(reference[1]! / MS).toBeCloseTo(2, 1);
    expect(reference[0]! / MS).toBeCloseTo(1, 1);
  });

  test("one long pause does not raise the reference", () => {
    const noise = jitter(6, 0.03);
    const { reference } = fitOf(
      durations(2, 60, 20, (rank, block, i) =>
        rank === 0 && block === 30 && i === 5 ? 2000 * MS : MS * noise(),
      ),
    );
    expect(reference[0]! / MS).toBeCloseTo(1, 1);
  });

  test("a phase that all ranks share is a common factor", () => {
    const noise = jitter(7, 0.03);
    const { reference, common, varying } = fitOf(
      durations(3, 60, 20, (_, block) => (block >= 40 ? 1.6 : 1) * MS * noise()),
    );
    expect(varying).toBe(false);
    expect(reference[2]! / MS).toBeCloseTo(1, 1);
    expect(Math.exp(common[50]!)).toBeCloseTo(1.6, 1);
    expect(common[10]!).toBeLessThan(0.05);
  });

  test("work that shrinks all the time varies", () => {
    const noise = jitter(8, 0.03);
    expect(fitOf(durations(3, 60, 20, (_, block) => (1 - block / 70) * MS * noise())).varying).toBe(
      true,
    );
  });

  test("work of random size varies", () => {
    const random = randomFrom(9);
    expect(fitOf(durations(3, 60, 20, () => (0.5 + random() * 2) * MS)).varying).toBe(true);
  });

  test("ranks that go up and down on their own vary", () => {
    const random = randomFrom(10);
    const size = Array.from({ length: 4 }, () =>
      Array.from({ length: 60 }, () => 1 + 0.5 * random()),
    );
    expect(fitOf(durations(4, 60, 20, (rank, block) => size[rank]![block]! * MS)).varying).toBe(
      true,
    );
  });
});
