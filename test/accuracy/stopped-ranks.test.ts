import { expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import { storeOf } from "./fill-store.ts";
import { stencil } from "./programs.ts";
import { outcomeOf } from "./score.ts";
import { simulate } from "./simulate.ts";

/** Calls of all ranks take longer from 1.6 s to 3.36 s, as if the network were slow or somebody in them stood still. */
const PROGRAM = stencil({
  ranks: 4,
  transferNs: (step) => (step >= 800 && step < 1200 ? 1.6e6 : 4e5),
});
const NOISE = { shape: "normal", share: 0.01, spikeChance: 0, spikeNs: [1, 2], wander: 0 } as const;
const SLOW = { startNs: 1.6e9, endNs: 3.36e9 };
const END_NS = 5e9;
const STEP_NS = 10e6;

/** Ranks of the regions that are found if, while calls are slow, rank r is on its core for a share of `shares[r]`, and else always. */
async function named(shares: (number | undefined)[]): Promise<[string, number[]][]> {
  const noise = { ...NOISE, spikeNs: [1, 2] as [number, number] };
  const store = await storeOf(simulate({ seed: 1, program: PROGRAM, noise }));
  try {
    await store.execute(
      "INSERT INTO counters VALUES (0, 'cpu_time', 'ns', 'scheduler', 'thread', 'read')",
    );
    for (const [rank, share] of shares.entries()) {
      if (share === undefined) continue;
      await store.execute(`
        INSERT INTO counter_samples SELECT ${rank}, 0, moment, 0,
            moment - ((1 - ${share}) * greatest(0, least(moment, ${SLOW.endNs}) - ${SLOW.startNs}))::BIGINT
          FROM (SELECT i * ${STEP_NS} AS moment FROM range(${END_NS / STEP_NS + 1}) t(i))`);
    }
    await analyze(store);
    const { regions } = await outcomeOf(store);
    return regions.map(({ kind, slow }) => [kind, slow]);
  } finally {
    store.close();
  }
}

test("slow calls are laid to the rank that did not run while all others waited on their cores", async () => {
  expect(await named([1, 1, 0.05, 1])).toEqual([["communication", [2]]]);
});

test.each([
  ["all run", [1, 1, 1, 1]],
  ["nobody runs: they do not wait actively", [0.1, 0.1, 0.1, 0.1]],
  ["another one waits for its core half of the time", [1, 0.6, 0.05, 1]],
  ["of one rank nothing is known", [1, undefined, 0.05, 1]],
])("and else to all: %s", async (_, shares) => {
  expect(await named(shares)).toEqual([["communication", [0, 1, 2, 3]]]);
});
