import { expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import { storeOf } from "./fill-store.ts";
import { UNEVEN } from "./programs.ts";
import { outcomeOf } from "./score.ts";
import { simulate } from "./simulate.ts";

/**
 * Ranks named slow of a program whose rank 0 stands still for 0.2 s at every 400th step: as every 400th step would write, or as
 * a limit on processor time would stop it.
 *
 * @param waited share of each stall that the kernel says it waited for a core; undefined if nothing was read
 */
async function named(waited: number | undefined): Promise<number[][]> {
  const program = UNEVEN["rank 0 writes long every 400th step"]!;
  const store = await storeOf(simulate({ seed: 1, program }));
  try {
    if (waited !== undefined)
      // Readings where the stalls, known as the only computations above 0.1 s, begin and end, and at the ends of the run.
      await store.execute(`
        INSERT INTO counters VALUES (0, 'run_delay', 'ns', 'scheduler', 'thread', 'read');
        INSERT INTO counter_samples
          SELECT 0, 0, at_ns, 0, (sum(waited) OVER (ORDER BY at_ns))::BIGINT FROM (
            SELECT start_ns - before_ns AS at_ns, 0 AS waited FROM calls WHERE rank = 0 AND before_ns > 1e8
            UNION ALL SELECT start_ns, ${waited} * before_ns FROM calls WHERE rank = 0 AND before_ns > 1e8
            UNION ALL SELECT 0, 0 UNION ALL SELECT max(end_ns), 0 FROM ranks);`);
    await analyze(store);
    return (await outcomeOf(store)).regions.map(({ slow }) => slow);
  } finally {
    store.close();
  }
}

test("stalls at equal distances are a disturbance where the rank waited for its core meanwhile", async () => {
  const regions = await named(1);
  expect(regions.length).toBeGreaterThan(0);
  expect(new Set(regions.flat())).toEqual(new Set([0]));
});

test.each([
  ["nothing was read", undefined],
  ["it did not wait", 0],
  ["it waited for a third of each", 0.33],
])("and else the program's own doing: %s", async (_, waited) => {
  expect(await named(waited)).toEqual([]);
});
