import { describe, expect, test } from "vitest";
import { findCandidates } from "../../../src/analyze/candidates.ts";
import type { Heat } from "../../../src/analyze/heat.ts";
import { NullRuns } from "../../../src/analyze/null-runs.ts";
import { DEFAULT_SETTINGS } from "../../../src/analyze/settings.ts";

const BINS = 600;
const BIN_NS = 50e6;
const WALL_NS = BINS * BIN_NS;

type Slowness = (rank: number, bin: number) => number;

/** Every bin holds 40 ms of reference time; `slowness` says how many times longer it took. */
function heatOf(ranks: number, slowness: Slowness): Heat {
  const size = ranks * BINS;
  const reference = new Float64Array(size).fill(40e6);
  const observed = Float64Array.from(
    { length: size },
    (_, i) => 40e6 * slowness(Math.floor(i / BINS), i % BINS),
  );
  const allowed = reference.map((ns) => 1.1 * ns);
  return {
    kind: "compute",
    ranks: Array.from({ length: ranks }, (_, rank) => rank),
    bins: BINS,
    binNs: BIN_NS,
    observed,
    reference,
    allowed,
  };
}

/** Noise of 2 %, alternating, so that no stretch is slow by chance. */
const wobble = (bin: number) => (bin % 2 === 0 ? 1.02 : 0.98);

/** Three bursts of 20 bins at half speed, so near to each other that their sum outweighs the gaps. */
const BURSTS = [100, 150, 200];
const inBurst = (bin: number) => BURSTS.some((from) => bin >= from && bin < from + 20);

describe("bursts of one rank", () => {
  const heat = heatOf(2, (rank, bin) => wobble(bin) * (rank === 1 && inBurst(bin) ? 2 : 1));
  // Slow all in all by 60 bins of 120: at 67 %; stretched gaps would take it above the bar of 75 %.
  const sparse = heatOf(2, (rank, bin) =>
    rank === 1 && inBurst(bin) ? 2 : rank === 1 && bin >= 100 && bin < 220 ? 1.09 : 1,
  );

  test.each([
    ["apart", heat],
    ["with a little slowness between them, together above the bar", sparse],
  ])("%s are candidates each", (_, one) => {
    const found = findCandidates(one, DEFAULT_SETTINGS, WALL_NS);
    expect(found.map(({ rank, from, to }) => [rank, from, to])).toEqual(
      BURSTS.map((from) => [1, from, from + 20]),
    );
  });

  test("many bursts that leave the rank above the bar as a whole are candidates each", () => {
    // Of every 50 bins 12 at half speed: reference / observed is 0.81 over all.
    const often = heatOf(2, (rank, bin) => (rank === 1 && bin % 50 < 12 ? 2 : 1));
    const found = findCandidates(often, { ...DEFAULT_SETTINGS, minLossShare: 0.005 }, WALL_NS);
    expect(found).toHaveLength(12);
    expect(new Set(found.map(({ rank }) => rank))).toEqual(new Set([1]));
  });
});

const burst: Slowness = (rank, bin) => (rank === 1 && bin >= 100 && bin < 140 ? 2 : wobble(bin));

describe("chance under the null", () => {
  test("a burst stands out", () => {
    const heat = heatOf(2, burst);
    const [one, ...others] = findCandidates(heat, DEFAULT_SETTINGS, WALL_NS);
    expect(others).toEqual([]);
    expect(new NullRuns(heat, [one!], DEFAULT_SETTINGS).chance(one!.score)).toBeLessThan(0.001);
  });

  test("also beside a rank whose usual level lies above its reference", () => {
    const heat = heatOf(3, (rank, bin) => burst(rank, bin) * (rank === 2 ? 1.2 : 1));
    const found = findCandidates(heat, DEFAULT_SETTINGS, WALL_NS);
    const one = found.find(({ rank }) => rank === 1)!;
    const nulls = new NullRuns(heat, found, DEFAULT_SETTINGS);
    expect(nulls.level(2)).toBeCloseTo(1.2, 2);
    expect(nulls.level(0)).toBeCloseTo(1, 2);
    expect(nulls.chance(one.score)).toBeLessThan(0.001);
  });

  test("the usual time of such a rank is nothing special", () => {
    const heat = heatOf(3, (rank, bin) => wobble(bin) * (rank === 2 ? 1.2 : 1));
    expect(findCandidates(heat, DEFAULT_SETTINGS, WALL_NS)).toEqual([]);
  });
});
