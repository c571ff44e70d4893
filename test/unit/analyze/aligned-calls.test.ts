import { expect, test } from "vitest";
import { alignCalls } from "../../../src/analyze/aligned-calls.ts";
import { defineSizes } from "../../../src/analyze/coarse-sizes.ts";
import { DEFAULT_SETTINGS } from "../../../src/analyze/settings.ts";
import { groupWork } from "../../../src/analyze/work-keys.ts";
import { type Call, storeWith } from "./hand-made.ts";

const REDUCE = 1;
const BCAST = 2;
const SOMETIMES = 3;
const STEPS = 50;

function late(rank: number, step: number): number {
  return ((rank + 1) * (step + 3) * 37) % 100;
}

/** Rank r comes late by another amount in each step; the reduction takes 20 + step ns from when the last has come. */
function callsOf(rank: number): Call[] {
  const calls: Call[] = [[0, -10, 0]];
  for (let step = 0; step < STEPS; step++) {
    const t = 1000 * (step + 1);
    const last = t + Math.max(...[0, 1, 2].map((r) => late(r, step)));
    calls.push([REDUCE, t + late(rank, step), last + 20 + step, 8]);
    // The root leaves before the others have come.
    calls.push([BCAST, t + 300 + 100 * rank, t + 310 + 100 * rank, 8]);
    if (rank > 0 || step > 0) calls.push([SOMETIMES, t + 700, t + 750, 8]);
  }
  return calls;
}

test("waiting is taken out where all wait for the last, and nothing is said of other calls", async () => {
  const store = await storeWith([0, 1, 2].map(callsOf));
  await defineSizes(store);
  await groupWork(store, DEFAULT_SETTINGS);
  expect(await alignCalls(store)).toBe(STEPS);
  const rows = await store.rows<{ k: number; ranks: number; least: number; most: number }>(`
    SELECT k::INTEGER AS k, count(*)::INTEGER AS ranks, min(transfer_ns)::INTEGER AS least,
           max(transfer_ns)::INTEGER AS most FROM aligned GROUP BY k ORDER BY k`);
  store.close();
  expect(rows).toEqual(
    Array.from({ length: STEPS }, (_, step) => ({
      k: step + 1,
      ranks: 3,
      least: 20 + step,
      most: 20 + step,
    })),
  );
});
