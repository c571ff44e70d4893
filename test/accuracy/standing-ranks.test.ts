import { expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import { storeOf } from "./fill-store.ts";
import { stencil } from "./programs.ts";
import { outcomeOf } from "./score.ts";
import { type RankCalls, simulate } from "./simulate.ts";

const RANKS = 4;
const STOP_NS = 0.8e9;
/** In step 1000 all calls take 0.8 s, once: somebody stands still in them. */
const PROGRAM = stencil({ ranks: RANKS, transferNs: (step) => (step === 1000 ? STOP_NS : 4e5) });
const NOISE = {
  shape: "normal",
  share: 0.01,
  spikeChance: 0,
  spikeNs: [1, 2] as [number, number],
  wander: 0,
} as const;
const STEP_NS = 10e6;

/** The longest allreduce of rank 0, as simulated. */
function standstill({ startNs, endNs, state }: RankCalls): { startNs: number; endNs: number } {
  const at = startNs.reduce(
    (most, ns, i) => (state[i] === 2 && endNs[i]! - ns > endNs[most]! - startNs[most]! ? i : most),
    state.indexOf(2),
  );
  return { startNs: startNs[at]!, endNs: endNs[at]! };
}

/** Regions that are found if, while all calls last 0.8 s, rank r is on its core for a share of `shares[r]`, and else always. */
async function found(shares: (number | undefined)[], noise = NOISE) {
  const ranks = simulate({ seed: 1, program: PROGRAM, noise });
  const { startNs, endNs } = standstill(ranks[0]!);
  const store = await storeOf(ranks);
  try {
    await store.execute(
      "INSERT INTO counters VALUES (0, 'cpu_time', 'ns', 'scheduler', 'thread', 'read')",
    );
    const wall = Math.max(...ranks.map((one) => one.endNs.at(-1)!));
    for (const [rank, share] of shares.entries()) {
      if (share === undefined) continue;
      await store.execute(`
        INSERT INTO counter_samples SELECT ${rank}, 0, moment, 0,
            moment - ((1 - ${share}) * greatest(0, least(moment, ${endNs}) - ${startNs}))::BIGINT
          FROM (SELECT (i * ${STEP_NS})::BIGINT AS moment FROM range(${Math.ceil(wall / STEP_NS) + 1}) t(i))`);
    }
    await analyze(store);
    const { regions } = await outcomeOf(store);
    return { startNs, endNs, regions };
  } finally {
    store.close();
  }
}

test("one long call of all ranks is laid to the rank that did not run meanwhile", async () => {
  const { startNs, endNs, regions } = await found([1, 1, 0.02, 1]);
  expect(regions.map(({ kind, slow }) => [kind, slow])).toEqual([["communication", [2]]]);
  const [region] = regions;
  // Others enter their calls some time after rank 0: transfers before vary by a tenth.
  expect(Math.abs(region!.startNs - startNs)).toBeLessThan(0.1 * STOP_NS);
  expect(Math.abs(region!.endNs - endNs)).toBeLessThan(0.2 * STOP_NS);
  expect(region!.lostNs / (endNs - startNs)).toBeGreaterThan(0.8);
});

test.each([
  ["all run", [1, 1, 1, 1]],
  ["nobody runs: they sleep while they wait", [0, 0, 0, 0]],
  ["another one waits for its core half of the time", [1, 0.6, 0.02, 1]],
  ["of one rank nothing is known", [1, undefined, 0.02, 1]],
])("and else to nobody: %s", async (_, shares) => {
  const { regions } = await found(shares);
  expect(regions.filter(({ slow }) => slow.length < RANKS)).toEqual([]);
});
