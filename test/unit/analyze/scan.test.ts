import { describe, expect, test } from "vitest";
import {
  chanceOf,
  type Deviations,
  noiseOfScales,
  scanForSlow,
} from "../../../src/analyze/scan.ts";
import { Random } from "../../accuracy/noise.ts";

/** Bins of 16 fragments with a spread of 3 %; `shift` is the mean log slow-down of a bin's fragments. */
function bins(
  rows: number,
  count: number,
  seed: number,
  shift: (row: number, bin: number) => number = () => 0,
): Deviations {
  const random = new Random(seed);
  const weight = 16 / 0.03 ** 2;
  const deviation = Float64Array.from(
    { length: rows * count },
    (_, i) =>
      weight * shift(Math.floor(i / count), i % count) + Math.sqrt(weight) * random.normal(),
  );
  const data = { rows, bins: count, deviation, octaves: 4 };
  return { ...data, weight: new Float64Array(rows * count).fill(weight) };
}

/** One stretch slower, another as much faster. */
function wave(_: number, bin: number): number {
  if (bin >= 100 && bin < 130) return 0.012;
  return bin >= 300 && bin < 330 ? -0.012 : 0;
}

/** The slower one alone. */
function dip(row: number, bin: number): number {
  return Math.max(0, wave(row, bin));
}

describe("without a disturbance", () => {
  test.each([
    [2, 64],
    [16, 128],
    [1, 2048],
  ])("%i rows of %i bins: windows of a chance of 0.01 come in no more runs", (rows, count) => {
    let alarms = 0;
    for (let seed = 1; seed <= 300; seed++) {
      alarms += scanForSlow(bins(rows, count, seed), 0.01, 1).slice(0, 1).length;
    }
    // Of 300 runs, 3 are expected; 10 or more have a chance of 0.1 %.
    expect(alarms).toBeLessThan(10);
  });

  test("noise that lasts counts for as much as it adds to long sums", () => {
    // A rank's speed changes every 64 bins at random by 1.5 %: twice a bin's own standard error.
    const random = new Random(7);
    const speeds = Array.from({ length: 32 }, () => 0.015 * random.normal());
    const slow = bins(1, 2048, 8, (_, bin) => speeds[bin >> 6]!);
    const noise = noiseOfScales(slow);
    // 1 at single fragments; 1 + 4 for bins and 1 + 16 for blocks of four; quartiles of 32 speeds are uncertain.
    expect(noise[0]).toBeGreaterThan(2.5);
    expect(noise[2]! / noise[0]!).toBeGreaterThan(2);
    expect(scanForSlow(slow, 0.001, 5)).toEqual([]);
  });

  test("a stretch that is as much faster as another is slower tells of noise", () => {
    expect(scanForSlow(bins(2, 512, 3, wave), 0.001, 5)).toEqual([]);
    expect(scanForSlow(bins(2, 512, 3, dip), 0.001, 5)).not.toEqual([]);
  });

  test("the chance falls with the score, and grows with noise that is not independent", () => {
    expect(chanceOf(-9, 1)).toBe(1);
    expect(chanceOf(4, 1)).toBeLessThan(chanceOf(3, 1));
    expect(chanceOf(4, 2)).toBeGreaterThan(chanceOf(4, 1));
  });
});

describe("slow stretches", () => {
  test("two of different length and strength are found, each with its bins", () => {
    const truth = [
      { row: 1, from: 100, to: 104, shift: 0.06 },
      { row: 0, from: 300, to: 428, shift: 0.01 },
    ];
    const data = bins(2, 1024, 11, (row, bin) =>
      truth.reduce(
        (sum, one) => sum + (row === one.row && bin >= one.from && bin < one.to ? one.shift : 0),
        0,
      ),
    );
    const found = scanForSlow(data, 0.0001, 10);
    expect(found).toHaveLength(2);
    for (const one of truth) {
      const match = found.find(({ row }) => row === one.row)!;
      const shared = Math.min(match.to, one.to) - Math.max(match.from, one.from);
      const union = Math.max(match.to, one.to) - Math.min(match.from, one.from);
      expect(shared / union).toBeGreaterThan(0.7);
      expect(Math.abs(match.shift - one.shift)).toBeLessThan(0.35 * one.shift);
    }
  });

  test("nothing is found where nothing was measured", () => {
    const data = bins(1, 64, 5);
    data.deviation.fill(0);
    data.weight.fill(0);
    expect(scanForSlow(data, 0.01, 5)).toEqual([]);
    const one = { rows: 1, bins: 1, octaves: 0 };
    const empty = { ...one, deviation: new Float64Array(1), weight: new Float64Array(1) };
    expect(scanForSlow(empty, 0.01, 5)).toEqual([]);
  });

  test("no more than asked for", () => {
    const often = bins(1, 1024, 2, (_, bin) => (bin % 100 < 8 ? 0.05 : 0));
    expect(scanForSlow(often, 0.001, 3)).toHaveLength(3);
    expect(scanForSlow(often, 0.001, 50).length).toBeGreaterThanOrEqual(9);
  });
});
