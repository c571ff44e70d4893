import { describe, expect, test } from "vitest";
import { analyze } from "../../../src/analyze/analyze.ts";
import { randomFrom } from "../../../src/analyze/statistics.ts";
import type { Store } from "../../../src/trace/store.ts";
import { type Call, storeWith } from "./hand-made.ts";

const MS = 1e6;

/**
 * Two ranks whose computations (2 ms and more, 3 % noise) execute `count` instructions, 1 per ns but for rank 1, which is
 * half as fast from step 200 to 299. Readings lie 2 us inside of each computation's ends.
 */
async function counted(count: (step: number, random: () => number) => number): Promise<Store> {
  const ranks: Call[][] = [];
  const readings: string[] = [];
  for (const rank of [0, 1]) {
    const random = randomFrom(rank + 1);
    const calls: Call[] = [[0, -1000, 0]];
    let [now, total] = [0, 0];
    for (let step = 0; step < 500; step++) {
      const instructions = Math.round(count(step, random));
      const slow = rank === 1 && step >= 200 && step < 300 ? 2 : 1;
      const start = now + Math.round(instructions * slow * (0.97 + 0.06 * random()));
      readings.push(`(${rank}, 0, ${now + 2000}, 0, ${total})`);
      total += instructions;
      readings.push(`(${rank}, 0, ${start - 2000}, 0, ${total})`);
      now = start + 10_000;
      calls.push([1, start, now, 8]);
    }
    ranks.push(calls);
  }
  const store = await storeWith(ranks);
  await store.execute(`
    INSERT INTO counters VALUES (0, 'instructions', 'count', 'hardware', 'thread', 'read');
    INSERT INTO counter_samples VALUES ${readings.join(", ")};`);
  return store;
}

const CLASSES =
  "SELECT basis, evidence, status FROM work_classes WHERE kind = 'compute' AND snippet = 101";
const SLOW = "SELECT rank FROM regions JOIN region_ranks USING (region) WHERE role = 'slow'";

describe("instructions, where they were counted", () => {
  test("equal counts: the work is measured", async () => {
    const store = await counted(() => 2 * MS);
    await analyze(store);
    expect(await store.rows(CLASSES)).toEqual([
      { basis: "arguments", evidence: "measured", status: "vsensor" },
    ]);
    expect(await store.rows(SLOW)).toEqual([{ rank: 1 }]);
    store.close();
  });

  // Without a constant part a straight line and a power of 1 are the same.
  test("unequal counts: time grows with them, and the slow rank is still found", async () => {
    const store = await counted((_, random) => (2 + 3 * random()) * MS);
    await analyze(store);
    expect(await store.rows(CLASSES)).toEqual([
      {
        basis: expect.stringMatching(/^(linear|power) in instructions$/),
        evidence: "measured",
        status: "vsensor",
      },
    ]);
    expect(await store.rows(SLOW)).toEqual([{ rank: 1 }]);
    store.close();
  });

  test("a counter that could not be read is no evidence", async () => {
    const store = await counted(() => 2 * MS);
    await store.execute("UPDATE counters SET status = 'not permitted'");
    await analyze(store);
    expect(await store.rows(CLASSES)).toEqual([
      { basis: "arguments", evidence: "inferred", status: "vsensor" },
    ]);
    store.close();
  });
});
