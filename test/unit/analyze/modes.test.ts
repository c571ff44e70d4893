import { describe, expect, test } from "vitest";
import { findCuts } from "../../../src/analyze/modes.ts";
import { BINS_PER_E } from "../../../src/analyze/settings.ts";
import { randomFrom } from "../../../src/analyze/statistics.ts";
import { cellsOf, durations } from "./cells.ts";

const MS = 1e6;

function jitter(seed: number, share: number): () => number {
  const random = randomFrom(seed);
  return () => 1 + share * (random() + random() + random() + random() - 2);
}

/** Rank 1 takes twice as long for a third of the time. */
function slow(rank: number, block: number): number {
  return rank === 1 && block >= 10 && block < 23 ? 2 : 1;
}

/** Seven steps in a row on a tenth of the ranks. */
function isSlow(rank: number, block: number): boolean {
  return rank % 10 === 3 && block >= 20 && block < 27;
}

/** Durations at which the distribution is cut. */
function cutsOf(times: number[][][]): number[] {
  return findCuts(cellsOf(times)).map((bin) => Math.exp(bin / BINS_PER_E));
}

describe("findCuts", () => {
  test("one work with 5 % noise stays one", () => {
    const noise = jitter(1, 0.08);
    expect(cutsOf(durations(2, 40, 50, () => MS * noise()))).toEqual([]);
  });

  test("every tenth execution takes three times as long: two works, cut between them", () => {
    const noise = jitter(2, 0.03);
    const cuts = cutsOf(durations(2, 40, 50, (_, __, i) => (i % 10 === 0 ? 3 : 1) * MS * noise()));
    expect(cuts).toHaveLength(1);
    expect(cuts[0]).toBeGreaterThan(1.2 * MS);
    expect(cuts[0]).toBeLessThan(2.8 * MS);
  });

  test("two works in random order, 30 % apart", () => {
    const noise = jitter(3, 0.02);
    const random = randomFrom(9);
    expect(
      cutsOf(durations(2, 40, 50, () => (random() < 0.4 ? 1.3 : 1) * MS * noise())),
    ).toHaveLength(1);
  });

  test("10 % apart at 1.5 % noise, one in five, from 400 executions on", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = randomFrom(seed);
      // Sum of 12 uniform numbers: standard deviation 1.
      const normal = () => Array.from({ length: 12 }, random).reduce((a, b) => a + b, -6);
      const work = () => (random() < 0.2 ? 1.1 : 1) * MS * (1 + 0.015 * normal());
      expect(cutsOf(durations(4, 10, 10, work)), `seed ${seed}`).toHaveLength(1);
    }
  });

  test("one work stays one at any noise and any number of executions", () => {
    for (let seed = 1; seed <= 60; seed++) {
      for (const [perBlock, share] of [
        [2, 0.03],
        [10, 0.05],
        [10, 0.1],
        [60, 0.05],
      ] as const) {
        const random = randomFrom(1000 + seed);
        const normal = () => Array.from({ length: 12 }, random).reduce((a, b) => a + b, -6);
        const times = durations(4, 12, perBlock, () => MS * Math.exp(share * normal()));
        expect(cutsOf(times), `seed ${seed}, ${perBlock} per block`).toEqual([]);
      }
    }
  });

  test("times of a few nanoseconds are not cut where no bin can be", () => {
    const random = randomFrom(3);
    expect(cutsOf(durations(2, 40, 50, () => 20 + 30 * random()))).toEqual([]);
  });

  test("interruptions of one length make no work behind which stalls hide", () => {
    const noise = jitter(6, 0.02);
    const random = randomFrom(11);
    const times = durations(2, 40, 100, (rank, block, i) => {
      if (rank === 0 && block >= 10 && block < 18 && i % 60 === 7) return 48 * MS;
      return (random() < 0.006 ? 2.1 : 1) * MS * noise();
    });
    expect(cutsOf(times)).toEqual([]);
  });

  test("a few slow executions in a row on a tenth of many ranks are not a work of their own", () => {
    const noise = jitter(7, 0.02);
    const times = durations(
      200,
      50,
      1,
      (rank, block) => (isSlow(rank, block) ? 1.6 : 1) * MS * noise(),
    );
    expect(cutsOf(times)).toEqual([]);
  });

  test("a rank slowed for a third of the time is not a work of its own", () => {
    const noise = jitter(4, 0.02);
    expect(cutsOf(durations(2, 40, 50, (rank, block) => slow(rank, block) * MS * noise()))).toEqual(
      [],
    );
  });

  test("nor is a rank slow throughout", () => {
    const noise = jitter(5, 0.02);
    expect(cutsOf(durations(4, 40, 50, (rank) => (rank === 2 ? 1.5 : 1) * MS * noise()))).toEqual(
      [],
    );
  });

  test("rare spikes of all lengths are no work", () => {
    const noise = jitter(6, 0.02);
    const random = randomFrom(10);
    const spike = () => (random() < 0.02 ? (3 + 8 * random()) * MS : 0);
    expect(cutsOf(durations(2, 40, 50, () => MS * noise() + spike()))).toEqual([]);
  });
});
