import { describe, expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import { inject, noiseOf } from "../eval/programs.ts";
import { withRun } from "../eval/run.ts";
import type { Injection, Program } from "../eval/simulate/program.ts";
import { simulate, type Simulation } from "../eval/simulate/simulate.ts";

const WORK_NS = 1e6;

/** All wait for all after every computation; rank r's takes `shares[r]` of the longest. */
function together(shares: readonly number[], steps = 1500): Program {
  return {
    ranks: shares.length,
    steps,
    calls: [{ call: "MPI_Allreduce", category: "collective" }],
    stages: [
      {
        workNs: WORK_NS,
        work: ({ rank }) => ({ label: `share ${shares[rank]!}`, factor: shares[rank]! }),
        call: 0,
        waitsFor: "all",
        callNs: 20_000,
      },
    ],
  };
}

const endOf = ({ ranks }: Simulation) => Math.max(...ranks.map(({ endNs }) => endNs.at(-1)!));

interface Said {
  /** Share of the undisturbed run's length: by which the disturbed one is longer, and what is said of it. */
  truth: number;
  impact: number;
  low: number;
  high: number;
  regions: number;
}

/** The same program, seed and noise with and without the disturbance. */
async function priced(program: Program, seed: number, injections: Injection[]): Promise<Said> {
  const noise = noiseOf("normal", 0.02, WORK_NS);
  const without = endOf(simulate({ seed, program, noise }));
  const simulation = simulate({ seed, program, noise, injections });
  return withRun(simulation, async (store) => {
    await analyze(store);
    const row = await store.row<{ impact: number; low: number; high: number }>(
      `SELECT impact_ns AS impact, low_ns AS low, high_ns AS high FROM run_impacts WHERE what = 'all regions'`,
    );
    const { n } = (await store.row<{ n: number }>("SELECT count(*)::INTEGER AS n FROM regions"))!;
    const replayed = (await store.row<{ ns: number }>(
      "SELECT value::DOUBLE AS ns FROM analysis_meta WHERE key = 'replayed_ns'",
    ))!;
    // Replayed as it was, the run is as long as it was.
    expect(replayed.ns / endOf(simulation)).toBeCloseTo(1, 4);
    const { impact, low, high } = row!;
    const truth = endOf(simulation) - without;
    return {
      truth: truth / without,
      impact: impact / without,
      low: low / without,
      high: high / without,
      regions: n,
    };
  });
}

describe("what a disturbance cost the job", () => {
  test.each([1, 2, 3])(
    "all of it where everybody waits for the slow rank (seed %i)",
    async (seed) => {
      const program = together([1, 1, 1, 1, 1, 1]);
      const slow = inject(program, [0.3, 0.6], { ranks: [2], factor: 1.5 });
      const { truth, impact, low, high } = await priced(program, seed, [slow]);
      expect(truth).toBeGreaterThan(0.08);
      expect(Math.abs(impact - truth)).toBeLessThan(0.01);
      expect(low).toBeLessThanOrEqual(impact);
      expect(high).toBeGreaterThanOrEqual(impact);
    },
  );

  test("nothing where the rank would have waited as long anyway", async () => {
    // Rank 3 has 60 % of the others' work: at half more it is still the first to come.
    const program = together([1, 1, 1, 0.6, 1, 1]);
    const slow = inject(program, [0.3, 0.6], { ranks: [3], factor: 1.5 });
    const { truth, impact, regions } = await priced(program, 4, [slow]);
    expect(regions).toBe(1);
    expect(truth).toBeLessThan(0.002);
    expect(impact).toBeLessThan(0.002);
  });

  test("two at once cost as much as the longer one, not both", async () => {
    const program = together([1, 1, 1, 1, 1, 1]);
    const slow = (ranks: number[], factor: number) =>
      inject(program, [0.3, 0.6], { ranks, factor });
    const { truth, impact } = await priced(program, 5, [slow([1], 1.5), slow([4], 1.4)]);
    expect(Math.abs(impact - truth)).toBeLessThan(0.01);
    expect(truth).toBeLessThan(0.2);
  });

  test("all of it where one rank holds up all others inside of a call", async () => {
    const STOP_NS = 0.5e9;
    const program = together([1, 1, 1, 1]);
    const [stage] = program.stages;
    const stopped = {
      ...program,
      stages: [{ ...stage!, callNs: (step: number) => (step === 700 ? STOP_NS : 20_000) }],
    };
    const noise = noiseOf("normal", 0.02, WORK_NS);
    const simulation = simulate({ seed: 6, program: stopped, noise });
    const truth = endOf(simulation) - endOf(simulate({ seed: 6, program, noise }));
    const calls = simulation.ranks.map(({ startNs, endNs }) => {
      const at = endNs.findIndex((end, i) => end - startNs[i]! > STOP_NS / 2);
      return { from: startNs[at]!, to: endNs[at]! };
    });
    await withRun(simulation, async (store) => {
      await store.execute(
        "DELETE FROM counters; INSERT INTO counters VALUES (0, 'cpu_time', 'ns', 'scheduler', 'thread', 'read')",
      );
      for (const [rank, { from, to }] of calls.entries()) {
        // Rank 2 did not run inside of its call, the others were on their cores.
        const off = rank === 2 ? `greatest(0, least(t, ${to}) - ${from})` : "0";
        await store.execute(`INSERT INTO counter_samples
          SELECT ${rank}, 0, t, 0, (t - ${off})::BIGINT FROM (SELECT (i * 5e6)::BIGINT AS t FROM range(1000) r(i))`);
      }
      await analyze(store);
      expect(await store.rows("SELECT rank FROM region_ranks WHERE role = 'slow'")).toEqual([
        { rank: 2 },
      ]);
      const row = await store.row<{ ns: number }>(
        "SELECT impact_ns AS ns FROM run_impacts WHERE what = 'region'",
      );
      // Each rank's call is up to a tenth shorter or longer; the standstill ends with the first, the truth with the last.
      expect(Math.abs(row!.ns / truth - 1)).toBeLessThan(0.2);
    });
  });
});
