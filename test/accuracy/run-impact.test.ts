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
});
