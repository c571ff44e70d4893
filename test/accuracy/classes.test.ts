import { describe, expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import { GROWING } from "./growing-programs.ts";
import { labelledStore, scoreClasses } from "./labelled.ts";
import { LABELLED } from "./labelled-programs.ts";

describe("work classes without counters", () => {
  test.each(Object.keys(LABELLED))("%s", async (name) => {
    for (const steps of [100, 1000]) {
      const { v } = await scoreClasses({ ranks: 4, steps, ...LABELLED[name]! });
      expect(v, `${steps} steps`).toBeGreaterThan(0.95);
    }
  });
});

function slow(rank: number, share: number): number {
  return rank === 1 && share > 0.4 && share < 0.6 ? 1.6 : 1;
}

describe("work that grows with something known", () => {
  test.each(Object.keys(GROWING))("%s", async (name) => {
    const { program, amount, form } = GROWING[name]!;
    for (const steps of [150, 1000]) {
      const { v, judged } = await scoreClasses({ ranks: 4, steps, ...program });
      expect(v, `${steps} steps`).toBeGreaterThan(0.95);
      expect(judged).toBeGreaterThan(0.95);
    }
    const { store, truth } = await labelledStore({ ranks: 4, steps: 1000, ...program, slow });
    try {
      await analyze(store);
      const models = await store.rows("SELECT amount, form FROM class_models");
      expect(models).toContainEqual({ amount, form });
      const regions = await store.rows<
        Record<string, unknown> & { ranks: number[]; start: number; end: number }
      >(
        `SELECT start_ns AS start, end_ns AS "end",
                (SELECT list(rank) FROM region_ranks k WHERE k.region = r.region AND role = 'slow') AS ranks
           FROM regions r`,
      );
      expect(regions.map(({ ranks }) => ranks)).toEqual([[1]]);
      // Two computations a step: steps 401 to 599 are slow.
      const own = truth.filter(({ rank }) => rank === 1);
      const [from, to] = [own[2 * 401]!.startNs, own[2 * 600]!.startNs];
      const overlap = Math.min(to, regions[0]!.end) - Math.max(from, regions[0]!.start);
      const union = Math.max(to, regions[0]!.end) - Math.min(from, regions[0]!.start);
      expect(overlap / union).toBeGreaterThan(0.9);
    } finally {
      store.close();
    }
  });

  test("a slow-down while a tag drifts is no growth with the tag", async () => {
    const { store } = await labelledStore({
      ranks: 4,
      steps: 1000,
      noise: { shape: "lognormal", share: 0.03, spikeChance: 0, spikeNs: [1, 2], wander: 0 },
      step: (_, step) => [
        { work: "one", ns: 1e6, call: 1, tag: Math.floor(step / 50) },
        { work: "rest", ns: 5e5, call: 2 },
      ],
      slow: (rank, share) => (rank === 1 && share >= 0.6 ? 1.6 : 1),
    });
    try {
      await analyze(store);
      expect(await store.rows("FROM class_models")).toEqual([]);
      const regions = await store.rows(
        "SELECT list(rank) AS ranks FROM region_ranks WHERE role = 'slow' GROUP BY region",
      );
      expect(regions).toEqual([{ ranks: [1] }]);
    } finally {
      store.close();
    }
  });
});

const program = (seed: number, steps: number) => ({
  ranks: 2,
  steps,
  seed,
  noise: {
    shape: "normal" as const,
    share: 0.03,
    spikeChance: 0,
    spikeNs: [1, 2] as [number, number],
    wander: 0,
  },
  step: () => [
    { work: "a", ns: 1e6, call: 1 },
    { work: "b", ns: 5e5, call: 2 },
  ],
});

describe("references", () => {
  test.each([25, 250, 5000, 100_000])(
    "mean performance of a class of 2 x %i records is 1, within half a point",
    async (steps) => {
      for (let seed = 1; seed <= (steps < 5000 ? 6 : 1); seed++) {
        const { store } = await labelledStore(program(seed, steps));
        await analyze(store);
        const row = await store.row<{ mean: number }>(
          `SELECT sum(reference_ns) / sum(end_ns - start_ns) AS mean FROM judged_compute`,
        );
        store.close();
        expect(Math.abs(row!.mean - 1)).toBeLessThan(0.005);
      }
    },
  );

  test("a slow start does not set it, on one rank or on all", async () => {
    for (const slowRanks of [[1], [0, 1]]) {
      const { store } = await labelledStore({
        ...program(3, 1000),
        slow: (rank, share) => (slowRanks.includes(rank) && share < 0.5 ? 1.5 : 1),
      });
      await analyze(store);
      const references = await store.rows<{ ns: number }>(
        "SELECT max(r.reference_ns) AS ns FROM rank_references r JOIN work_classes w USING (class) WHERE w.kind = 'compute' GROUP BY r.rank",
      );
      store.close();
      for (const { ns } of references) expect(Math.abs(ns / 1e6 - 1)).toBeLessThan(0.02);
    }
  });
});
