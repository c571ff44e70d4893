import { describe, expect, test } from "vitest";
import { type NoiseShape, VM_NOISE } from "./noise.ts";
import { stencil, UNEVEN } from "./programs.ts";
import { outcomeOf, run } from "./score.ts";

/** Without a disturbance there is no region, whatever the noise and however many records. */
describe("undisturbed runs", () => {
  const shapes: NoiseShape[] = ["normal", "lognormal", "heavy"];
  const sizes: [string, number, number, number][] = [
    ["2 ranks, 1,000 fragments", 2, 250, 20],
    ["2 ranks, 8,000 fragments", 2, 2000, 12],
    ["16 ranks", 16, 400, 4],
  ];
  for (const shape of shapes) {
    for (const [name, ranks, steps, seeds] of sizes) {
      test(`${name}, ${shape} noise of 3 % and spikes`, async () => {
        for (let seed = 1; seed <= seeds; seed++) {
          const noise = { ...VM_NOISE, shape, share: 0.03 };
          const outcome = await run({ seed, program: stencil({ ranks, steps }), noise }, outcomeOf);
          expect({ seed, ...outcome }).toEqual({ seed, regions: [], imbalances: [] });
        }
      });
    }
  }

  test("200,000 fragments; performance does not depend on their number", async () => {
    const means: number[] = [];
    for (const steps of [250, 2500, 50_000]) {
      const program = stencil({ steps, workNs: 3e5 });
      const noise = { ...VM_NOISE, spikeChance: 0, wander: 0 };
      const { regions, performance } = await run({ seed: 3, program, noise }, async (store) => ({
        ...(await outcomeOf(store)),
        ...(await store.row<{ performance: number }>(
          "SELECT sum(reference_ns) / sum(observed_ns) AS performance FROM bins WHERE kind = 'compute'",
        ))!,
      }));
      expect(regions).toEqual([]);
      means.push(performance);
    }
    for (const mean of means) expect(Math.abs(mean - 1)).toBeLessThan(0.01);
  });
});

describe("uneven work is no variance", () => {
  test.each(Object.keys(UNEVEN))("%s", async (name) => {
    for (let seed = 1; seed <= 2; seed++) {
      const { regions } = await run({ seed, program: UNEVEN[name]! }, outcomeOf);
      expect({ seed, regions }).toEqual({ seed, regions: [] });
    }
  });

  test("ranks with more work are listed as undecided, by time alone", async () => {
    const { imbalances } = await run({ seed: 1, program: UNEVEN["imbalanced ranks"]! }, outcomeOf);
    expect(imbalances.map((one) => [one.ranks, one.verdict])).toEqual([
      [[3], "undecided"],
      [[2], "undecided"],
    ]);
    // Works 1, 1.3, 1.6, 1.9: rank 3 against the median of the others.
    expect(imbalances[0]!.excess_percent).toBeGreaterThan(100 * (1.9 / 1.3 - 1) - 4);
    expect(imbalances[0]!.excess_percent).toBeLessThan(100 * (1.9 / 1.3 - 1) + 4);
  });

  test("and as imbalance where their sizes differ too", async () => {
    const program = stencil({
      ranks: 4,
      steps: 1000,
      work: (r) => (r === 3 ? 1.5 : 1),
      bytes: (r) => (r === 3 ? 16_384 : 8192),
    });
    const { regions, imbalances } = await run({ seed: 1, program }, outcomeOf);
    expect(regions).toEqual([]);
    expect(imbalances.map((one) => [one.ranks, one.verdict])).toEqual([[[3], "imbalance"]]);
  });
});
