import { expect, test } from "vitest";
import { analyze } from "../../../src/analyze/analyze.ts";
import { randomFrom } from "../../../src/analyze/statistics.ts";
import { type Call, storeWith } from "./hand-made.ts";

const RANKS = 40;
/** So few that no size stands alone: all are pooled in one class. */
const STEPS = 10;

/** Steps of a millisecond that end in a collective call with a size that no other rank has. */
function ownSizes(rank: number): Call[] {
  const random = randomFrom(rank + 1);
  const calls: Call[] = [[0, -1000, 0, 1000 + rank]];
  let now = 0;
  for (let i = 0; i < STEPS; i++) {
    now += Math.round(1e6 * (1 + 0.02 * random()));
    calls.push([1, now, now + 5000, 1000 + rank]);
    now += 5000;
  }
  return calls;
}

test("where each rank has sizes of its own, the table of judges grows with the ranks, not with their square", async () => {
  const store = await storeWith(Array.from({ length: RANKS }, (_, rank) => ownSizes(rank)));
  try {
    await analyze(store);
    const counts = await store.row<{ judges: number; ranks: number; judged: number }>(`
      SELECT count(*)::INTEGER AS judges, count(DISTINCT rank)::INTEGER AS ranks,
             (SELECT count(*)::INTEGER FROM judged_compute) AS judged
        FROM judges WHERE kind = 'compute'`);
    // One size per rank; the edge from call to call has one execution less than there are steps.
    expect(counts).toEqual({ judges: RANKS, ranks: RANKS, judged: RANKS * (STEPS - 1) });
  } finally {
    store.close();
  }
});
