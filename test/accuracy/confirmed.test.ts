import { expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import { storeOf } from "./fill-store.ts";
import type { Disturbance } from "./machine.ts";
import { nominalNs, stencil } from "./programs.ts";
import { outcomeOf } from "./score.ts";
import { simulate } from "./simulate.ts";

const PROGRAM = stencil();
const HIT: Disturbance = {
  rank: 1,
  kind: "slow",
  factor: 1 / 0.85,
  startNs: 0.3 * nominalNs(PROGRAM),
  endNs: 0.7 * nominalNs(PROGRAM),
};
const READINGS = 200;

/** Ranks that the analysis, as it is by default, names slow; `waited`: share of the disturbance that rank 1 waits for its core. */
async function named(waited: number | undefined): Promise<number[][]> {
  const store = await storeOf(simulate({ seed: 1, program: PROGRAM, disturbances: [HIT] }));
  try {
    if (waited !== undefined) {
      const step = Math.floor(nominalNs(PROGRAM) / READINGS);
      await store.execute(`
        INSERT INTO counters VALUES (0, 'run_delay', 'ns', 'scheduler', 'thread', 'read');
        INSERT INTO counter_samples SELECT 1, 0, i * ${step}, 0,
            (${waited} * greatest(0, least(i * ${step}, ${HIT.endNs}) - ${HIT.startNs}))::BIGINT
          FROM range(${READINGS + 1}) t(i);`);
    }
    await analyze(store);
    return (await outcomeOf(store)).regions.map(({ slow }) => slow);
  } finally {
    store.close();
  }
}

test("a weak slow-down is reported where the kernel says that the rank waited for its core", async () => {
  expect(await named(0.15)).toEqual([[1]]);
});

test.each([
  ["nothing was read", undefined],
  ["it did not wait", 0],
  ["it waited for a fifth of the loss", 0.03],
])("and else is not: %s", async (_, waited) => {
  expect(await named(waited)).toEqual([]);
});
