import { describe, expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import { inject, noiseOf, writer } from "../eval/programs.ts";
import { ourVerdict } from "../eval/rules/ours.ts";
import { withRun } from "../eval/run.ts";
import { intersectionOverUnion, type Region } from "../eval/score/region.ts";
import type { Injection, Program } from "../eval/simulate/program.ts";
import { simulate } from "../eval/simulate/simulate.ts";
import { truthOf } from "../eval/simulate/truth.ts";

const WORK_NS = 20e6;
const ALL = [0, 1, 2, 3];

/** What is found by default in a disturbed run, and what is true. */
async function found(
  seed: number,
  shape: "normal" | "heavy" | "vm",
  make: (program: Program) => Injection[],
  steps = 400,
): Promise<{ regions: Region[]; truth: Region[] }> {
  const program = writer(ALL.length, steps, WORK_NS);
  const noise = noiseOf(shape, 0.02, 0.6 * WORK_NS);
  const simulation = simulate({ seed, program, noise, injections: make(program) });
  return withRun(simulation, async (store) => {
    await analyze(store);
    return { regions: (await ourVerdict(store)).regions, truth: truthOf(simulation) };
  });
}

const slowNetwork = (factor: number) => (program: Program) => [
  inject(program, [0.4, 0.65], { ranks: ALL, kind: "communication", factor }),
];

const stop = (program: Program) => [inject(program, [0.4, 0.55], { ranks: [1], form: "pause" })];

describe("a slow network", () => {
  test.each([
    [1, "normal", 5],
    [2, "vm", 5],
    [3, "heavy", 3.5],
  ] as const)(
    "is found with its loss (seed %i, %s noise, factor %d)",
    async (seed, shape, factor) => {
      const { regions, truth } = await found(seed, shape, slowNetwork(factor));
      expect(regions).toHaveLength(1);
      expect(regions[0]!.kind).toBe("communication");
      expect(intersectionOverUnion(truth[0]!.parts, regions[0]!.parts)).toBeGreaterThan(0.95);
      expect(Math.abs(regions[0]!.lostNs / truth[0]!.lostNs - 1)).toBeLessThan(0.03);
    },
  );

  test("is not blamed for a rank that others wait for", async () => {
    const { regions } = await found(4, "normal", (program) => [
      inject(program, [0.4, 0.65], { ranks: [2], factor: 2 }),
    ]);
    expect(regions.map(({ kind }) => kind)).toEqual(["compute"]);
  });
});

test("intervals of the loss of stopped processes hold the truth, and are no wider than the noise of a few fragments", async () => {
  let held = 0;
  const seeds = [11, 12, 13, 14, 15, 16];
  for (const seed of seeds) {
    const { regions, truth } = await found(seed, "normal", stop, 200);
    expect(regions).toHaveLength(1);
    const [low, high] = regions[0]!.interval!;
    if (low <= truth[0]!.lostNs && truth[0]!.lostNs <= high) held++;
    // Three fragments of up to 12 ms with 2 % noise: 0.4 ms, one standard deviation.
    expect(high - low).toBeLessThan(3e6);
  }
  // Intervals as narrow as the mean over the time stopped held 4 of 12.
  expect(held).toBeGreaterThanOrEqual(seeds.length - 1);
});
