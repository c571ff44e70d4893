import { describe, expect, test } from "vitest";
import { type Heat, without } from "../../../src/analyze/heat.ts";
import { NullRuns } from "../../../src/analyze/null-runs.ts";
import { DEFAULT_SETTINGS } from "../../../src/analyze/settings.ts";
import { Random } from "../../accuracy/noise.ts";

/** Bins of 1 ms of reference time whose noise, relative, is given. */
function heatOf(ranks: number, bins: number, noise: (rank: number, bin: number) => number): Heat {
  const reference = new Float64Array(ranks * bins).fill(1e6);
  const observed = reference.map((ns, i) => ns * (1 + noise(Math.floor(i / bins), i % bins)));
  const allowed = reference.map((ns) => 1.1 * ns);
  const numbers = Array.from({ length: ranks }, (_, rank) => rank);
  return { kind: "compute", ranks: numbers, bins, binNs: 2e6, observed, reference, allowed };
}

const part = (bins: number) => [{ rank: 0, reference: bins * 1e6 }];

describe("noise of a region's loss", () => {
  test("of independent bins grows with the root of their number", () => {
    const random = new Random(5);
    const heat = heatOf(2, 4000, () => 0.02 * random.normal());
    const nulls = new NullRuns(heat, [], DEFAULT_SETTINGS);
    // A threshold that noise never reaches: nothing is overrun.
    const [low, high] = nulls.noise(part(100), 1);
    // 1.96 sigma of 100 bins of 2 %, times 1.21 for few stretches, is 0.47 bins; 400 draws are 10 % uncertain.
    for (const end of [-low, high]) {
      expect(end / 1e6).toBeGreaterThan(0.35);
      expect(end / 1e6).toBeLessThan(0.6);
    }
  });

  test("of a fragment in which a process was stopped is that of the fragment's work, not of the time it took", () => {
    const random = new Random(8);
    const heat = heatOf(2, 4000, () => 0.02 * random.normal());
    const [low, high] = new NullRuns(heat, [], DEFAULT_SETTINGS).noise(part(0.25), 1);
    // A quarter of a bin has twice a bin's relative noise: 1.96 x 4 % x 0.25 x 1.21 is 0.024 bins.
    for (const end of [-low, high]) {
      expect(end / 1e6).toBeGreaterThan(0.018);
      expect(end / 1e6).toBeLessThan(0.031);
    }
  });

  test("is centred on what undisturbed bins have above their reference", () => {
    const random = new Random(6);
    const heat = heatOf(2, 1000, (rank) => (rank === 0 ? 0.05 : 0) + 0.001 * random.normal());
    const [low, high] = new NullRuns(heat, [], DEFAULT_SETTINGS).noise(part(100), 1);
    expect(low / 1e8).toBeGreaterThan(0.045);
    expect(high / 1e8).toBeLessThan(0.055);
  });

  test("that lasts makes long stretches as uncertain as short ones", () => {
    // Speeds of 100 bins each, 3 % apart: 300 bins hold three of them, 1.96 x 3 % / sqrt(3) of 300 bins is 10 bins.
    const random = new Random(7);
    const speeds = Array.from({ length: 80 }, () => 0.03 * random.normal());
    const heat = heatOf(2, 4000, (rank, bin) => speeds[rank * 40 + Math.floor(bin / 100)]!);
    const [low, high] = new NullRuns(heat, [], DEFAULT_SETTINGS).noise(part(300), 1);
    expect(high - low).toBeGreaterThan(2 * 7e6);
  });

  test("knows that spikes next to a border are taken for part of the region", () => {
    const spikes = heatOf(2, 1000, (_, bin) => (bin % 20 === 0 ? 3 : -3 / 19));
    const nulls = new NullRuns(spikes, [], DEFAULT_SETTINGS);
    const [, strict] = nulls.noise(part(1), 50);
    const [, loose] = nulls.noise(part(1), 0.1);
    expect(loose).toBeGreaterThan(strict + 1e6);
  });
});

test("a heat map without regions is unknown there, and as it was elsewhere", () => {
  const heat = heatOf(3, 10, () => 0.5);
  const left = without(heat, [{ ranks: [1], startNs: 5e6, endNs: 9e6 }]);
  const known = Array.from(left.reference, (ns, i) => (ns > 0 ? i : -1)).filter((i) => i >= 0);
  // Bins 2 to 4 (4 to 10 ms) of rank 1.
  expect(known).toEqual(Array.from({ length: 30 }, (_, i) => i).filter((i) => i < 12 || i > 14));
  expect(left.observed[13]).toBe(0);
  expect(left.observed[15]).toBe(1.5e6);
  expect(heat.reference[13]).toBe(1e6);
});
