import { expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import { inject, noiseOf, stencil, unequalWork } from "../eval/programs.ts";
import { withRun } from "../eval/run.ts";
import { simulate } from "../eval/simulate/simulate.ts";

const WORK_NS = 2e6;

test("the main loop is found, and a region is placed in it", async () => {
  const program = stencil(4, 400, 0.6 * WORK_NS, 0.4 * WORK_NS);
  const slow = inject(program, [0.3, 0.6], { ranks: [2], factor: 1.6 });
  const noise = noiseOf("normal", 0.02, 0.6 * WORK_NS);
  const simulation = simulate({ seed: 1, program, noise, injections: [slow] });
  await withRun(simulation, async (store) => {
    await analyze(store);
    expect(await store.row("SELECT value FROM analysis_meta WHERE key = 'iterations'")).toEqual({
      value: "400",
    });
    // One iteration per step and rank, but for the last, whose end no call shows.
    expect(
      await store.rows(
        "SELECT rank, count(*)::INTEGER AS n, max(iteration)::INTEGER AS last FROM iterations GROUP BY rank ORDER BY rank",
      ),
    ).toEqual([0, 1, 2, 3].map((rank) => ({ rank, n: 399, last: 399 })));
    const placed = await store.rows<{ first: number; last: number }>(
      "SELECT first_iteration::INTEGER AS first, last_iteration::INTEGER AS last FROM region_iterations",
    );
    expect(placed).toHaveLength(1);
    // Steps of rank 2 that had begun when the disturbance began and ended, from the simulation. Borders are right to a few fragments.
    const { startNs, stage } = simulation.ranks[2]!;
    const first = startNs.filter((ns, i) => stage[i] === 0 && ns <= slow.startNs).length;
    const last = startNs.filter((ns, i) => stage[i] === 0 && ns < slow.endNs).length;
    expect(Math.abs(placed[0]!.first - first)).toBeLessThanOrEqual(4);
    expect(Math.abs(placed[0]!.last - last)).toBeLessThanOrEqual(4);
  });
});

test("where ranks do not make the same calls equally often there are no iterations", async () => {
  // Rank 1 leaves out some steps.
  const program = unequalWork(4, 200, WORK_NS);
  const simulation = simulate({ seed: 2, program, noise: noiseOf("normal", 0.02, WORK_NS) });
  const rank = simulation.ranks[1]!;
  const kept = rank.state.map((_, i) => i < 20 || i > 60 || i > rank.state.length - 3);
  for (const column of Object.values(rank) as number[][]) {
    const rest = column.filter((_, i) => kept[i]);
    column.splice(0, column.length, ...rest);
  }
  await withRun(simulation, async (store) => {
    await analyze(store);
    expect(await store.rows("FROM iterations")).toEqual([]);
    expect(await store.rows("FROM region_iterations")).toEqual([]);
  });
});
