import { describe, expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import { LABELLED } from "./labelled-programs.ts";
import { type LabelledProgram, labelledStore } from "./labelled.ts";
import { Random } from "./noise.ts";

/** State numbers above that are not communication. */
const CATEGORIES = { 10: "io_write", 11: "io_read", 12: "lock", 13: "phase" };

/** Rare and common works, calls of all kinds, stretches of slowness, chosen by the seed. */
function anyProgram(seed: number): LabelledProgram {
  const choice = new Random(seed);
  const states = Array.from({ length: 2 + Math.floor(4 * choice.uniform()) }, (_, i) =>
    choice.uniform() < 0.5 ? 10 + (i % 4) : 1 + i,
  );
  const rare = 0.02 * choice.uniform();
  const spread = choice.uniform() < 0.3 ? 0.6 : 0.02;
  return {
    seed,
    ranks: 1 + Math.floor(4 * choice.uniform()),
    steps: 20 + Math.floor(300 * choice.uniform()),
    categories: CATEGORIES,
    noise: { shape: "lognormal", share: spread, spikeChance: 0.01, spikeNs: [1e5, 3e6], wander: 0 },
    slow: (rank, share) => (rank === 0 && share > 0.5 ? 1.5 : 1),
    step: (_, __, random) =>
      states.map((call) => ({
        work: String(call),
        ns: random.uniform() < rare ? 2e7 : 5e5,
        call: random.uniform() < rare ? 9 : call,
        callNs: 1e5 * random.uniform(),
        tag: Math.floor(3 * random.uniform()),
        bytes: random.uniform() < rare ? Math.floor(1e5 * random.uniform()) : 8,
      })),
  };
}

/**
 * The ledger must sum to each rank's time, and kind by kind to what the calls sum up to, added up here one by one.
 * Thread 1, spans left out and the tool's own cost are put in by hand.
 */
async function faults(program: LabelledProgram, extra: Random): Promise<string[]> {
  const { store } = await labelledStore(program);
  const out: string[] = [];
  try {
    await store.execute(`
      UPDATE ranks SET end_ns = end_ns + ${Math.floor(2e7 * extra.uniform())}, tool_ns = ${Math.floor(1e6 * extra.uniform())};
      INSERT INTO irregular_calls SELECT * REPLACE (1 AS thread) FROM calls WHERE rank = 0 AND edge >= 0 LIMIT 40;`);
    const left = Math.floor(5e6 * extra.uniform());
    await store.execute(
      `INSERT INTO gaps SELECT rank, 0, end_ns - ${left}, end_ns, 17 FROM ranks WHERE end_ns > ${2 * left}`,
    );
    await analyze(store);
    const ranks = await store.rows<{ rank: number; total: number }>(
      "SELECT rank, end_ns - init_ns AS total FROM ranks",
    );
    const ledger = await store.rows<{ rank: number; kind: string; part: string; ns: number }>(
      "FROM ledger",
    );
    const calls = await store.rows<{ rank: number; kind: string; before: number; ns: number }>(
      `SELECT rank, kind, before_ns AS before, end_ns - start_ns AS ns
         FROM calls JOIN state_kinds USING (state) WHERE thread = 0 AND edge >= 0`,
    );
    for (const { rank, total } of ranks) {
      const own = ledger.filter((row) => row.rank === rank);
      const of = (keep: (row: (typeof ledger)[number]) => boolean): number =>
        own.filter(keep).reduce((sum, { ns }) => sum + ns, 0);
      const mine = calls.filter((row) => row.rank === rank);
      const called = (...kinds: string[]): number =>
        mine.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { ns }) => sum + ns, 0);
      const near = (a: number, b: number): void => {
        if (!(Math.abs(a - b) <= 0.001 * total)) out.push(`rank ${rank}: ${a} ns, not ${b} ns`);
      };
      near(
        of(() => true),
        total,
      );
      // Spans left out may lie over recorded calls here, and all is then scaled to fit.
      const gap = total > 2 * left ? left : 0;
      const computed = mine.reduce((sum, { before }) => sum + before, 0);
      const scale = Math.min(1, total / (computed + called("io", "communication", "wait") + gap));
      near(
        of(({ kind }) => kind === "io"),
        scale * called("io"),
      );
      near(
        of(({ kind }) => kind === "communication"),
        scale * called("communication", "wait"),
      );
      near(
        of(({ kind, part }) => kind === "compute" || part === "tool" || part === "sampled_out"),
        scale * (computed + gap),
      );
      for (const { part, ns } of own) if (!(ns >= 0)) out.push(`rank ${rank}: ${part} ${ns} ns`);
    }
    return out;
  } finally {
    store.close();
  }
}

describe("the ledger adds up, in all and kind by kind", () => {
  test("programs of any kind", async () => {
    for (let seed = 1; seed <= 40; seed++)
      expect(await faults(anyProgram(seed), new Random(seed + 500)), `seed ${seed}`).toEqual([]);
  });

  test.each(Object.keys(LABELLED))("%s", async (name) => {
    const program = { ranks: 3, steps: 200, ...LABELLED[name]! };
    expect(await faults(program, new Random(name.length))).toEqual([]);
  });
});
