import { expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import { SENSITIVE_SETTINGS } from "../../src/analyze/settings.ts";
import { inject, noiseOf, stencil } from "../eval/programs.ts";
import { ourVerdict } from "../eval/rules/ours.ts";
import { withRun } from "../eval/run.ts";
import { simulate } from "../eval/simulate/simulate.ts";
import { truthOf } from "../eval/simulate/truth.ts";

/** More than are looked at one by one, spread so that no host explains them. */
const SLOW = Array.from({ length: 60 }, (_, i) => 3 * i + 1);
const RANKS = 200;

test.each([
  { factor: 1.6, steps: 50, settings: {} },
  { factor: 1.1, steps: 120, settings: SENSITIVE_SETTINGS },
])("60 ranks that are slow at a time are all named, factor $factor", async (one) => {
  const { factor, steps, settings } = one;
  const program = stencil(RANKS, steps, 20e6, 5e6);
  const injections = [inject(program, [0.4, 0.65], { ranks: SLOW, factor })];
  const noise = noiseOf("normal", 0.02, 20e6);
  const simulation = simulate({ seed: 3, program, noise, injections });
  const [truth] = truthOf(simulation);
  await withRun(simulation, async (store) => {
    await analyze(store, { settings });
    const { regions } = await ourVerdict(store);
    expect(regions).toHaveLength(1);
    const named = regions[0]!.parts.map(({ rank }) => rank);
    expect(named.toSorted((a, b) => a - b)).toEqual(SLOW);
    expect(Math.abs(regions[0]!.lostNs / truth!.lostNs - 1)).toBeLessThan(0.03);
  });
});
