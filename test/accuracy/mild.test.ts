import { describe, expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import { SENSITIVE_SETTINGS } from "../../src/analyze/settings.ts";
import { storeOf } from "./fill-store.ts";
import type { Disturbance } from "./machine.ts";
import type { Noise } from "./noise.ts";
import { nominalNs, stencil } from "./programs.ts";
import { faults, intersectionOverUnion, outcomeOf, run } from "./score.ts";
import { type Scenario, simulate } from "./simulate.ts";

const CALM: Noise = { shape: "normal", share: 0.03, spikeChance: 0, spikeNs: [1, 2], wander: 0 };
/** Nearly all of a step is one computation, so that 20 steps are 20 fragments of weight. */
const ONE_WORK = { secondShare: 0.02 };
/** Time of a step that a disturbance of 5 % slows, waiting for messages included, ns. */
const SLOW_STEP_NS = 1.3e6;

/** 5 % on one rank over 20 steps from 40 % of the run on. */
function mild(steps: number, rank = 1): Disturbance {
  const startNs = 0.4 * steps * 1.24e6;
  const endNs = startNs + 20 * SLOW_STEP_NS;
  return { rank, kind: "slow", factor: 1.05, startNs, endNs };
}

describe("5 % over 20 fragments at 3 % noise", () => {
  test.each([100, 300, 1000, 10_000])("is found in 9 of 10 runs of %i steps", async (steps) => {
    const seeds = steps > 1000 ? 3 : 10;
    const hit = mild(steps);
    let found = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const program = stencil({ ...ONE_WORK, steps });
      const scenario = { seed, program, noise: CALM, disturbances: [hit] };
      const { regions } = await run(scenario, outcomeOf);
      for (const region of regions) expect(region.slow).toEqual([1]);
      if (regions.some((region) => intersectionOverUnion(region, hit) >= 0.7)) found++;
    }
    // One less: so few runs are no measurement.
    expect(found).toBeGreaterThanOrEqual(0.9 * seeds - 1);
  });

  test("on a whole host, it is the host's", async () => {
    const program = stencil({ ...ONE_WORK, ranks: 16, steps: 400 });
    const hits = [8, 9, 10, 11, 12, 13, 14, 15].map((rank) => mild(400, rank));
    const scenario = { seed: 4, program, noise: CALM, disturbances: hits };
    const [regions, scopes] = await run(scenario, async (store) => [
      (await outcomeOf(store)).regions,
      await store.rows("SELECT scope, event FROM regions"),
    ]);
    expect(regions.map(({ slow }) => slow)).toEqual([hits.map(({ rank }) => rank)]);
    expect(scopes).toEqual([{ scope: "host", event: 1 }]);
  });
});

describe("what is too weak for the bar of 0.75", () => {
  const cases: [string, Partial<Disturbance>][] = [
    ["a core shared with a process of a third of the weight", { kind: "hog", factor: 1.33 }],
    [
      "the same in long slices: one fragment of eight is hit",
      { kind: "hog", factor: 1.33, sliceNs: 9e6 },
    ],
    ["a core at 85 % of its speed", { kind: "slow", factor: 1 / 0.85 }],
  ];
  test.each(cases)("%s", async (_, more) => {
    const program = stencil();
    const hit = {
      rank: 1,
      kind: "slow",
      startNs: 0.3 * nominalNs(program),
      endNs: 0.7 * nominalNs(program),
      ...more,
    } as const;
    for (const seed of [1, 2, 3]) {
      const { regions } = await run({ seed, program, disturbances: [hit] }, outcomeOf);
      for (const { low } of regions) expect(low).toBeGreaterThan(0);
      expect({ seed, faults: faults(regions, [hit], 0.7) }).toEqual({ seed, faults: [] });
    }
  });
});

/** What a disturbance really cost, and what its region says. */
async function lossOf(scenario: Scenario) {
  const ranks = simulate(scenario);
  const store = await storeOf(ranks);
  try {
    await analyze(store, { settings: SENSITIVE_SETTINGS });
    const { regions } = await outcomeOf(store);
    return { truth: ranks[1]!.lostNs, region: regions.find(({ slow }) => slow.includes(1)) };
  } finally {
    store.close();
  }
}

test("the interval of lost time holds the truth about as often as it says", async () => {
  const program = stencil({ steps: 600, ranks: 4 });
  let inside = 0;
  const errors: number[] = [];
  for (let seed = 1; seed <= 40; seed++) {
    const hit: Disturbance = { ...mild(600), factor: 1.2, endNs: 500e6 };
    const { truth, region } = await lossOf({ seed, program, noise: CALM, disturbances: [hit] });
    errors.push(Math.abs(region!.lostNs / truth - 1));
    if (region!.low <= truth && truth <= region!.high) inside++;
  }
  // Of 40 intervals of 95 %, 38 are expected; fewer than 34 have a chance of 1 %.
  expect(inside).toBeGreaterThanOrEqual(34);
  expect(errors.toSorted((a, b) => a - b)[20]!).toBeLessThan(0.03);
});
