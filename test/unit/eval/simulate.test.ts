import { describe, expect, test } from "vitest";
import { Random } from "../../accuracy/noise.ts";
import { noiseOf, stencil, writer } from "../../eval/programs.ts";
import { withRun } from "../../eval/run.ts";
import type { Injection } from "../../eval/simulate/program.ts";
import { simulate } from "../../eval/simulate/simulate.ts";
import { ticksFor } from "../../eval/simulate/ticks.ts";
import { truthOf } from "../../eval/simulate/truth.ts";

const SILENT = noiseOf("none" as never, 0, 1e6);
const SECOND = 1e9;

function slow(more: Partial<Injection>): Injection {
  return {
    kind: "compute",
    form: "slow",
    ranks: [1],
    startNs: 1 * SECOND,
    endNs: 2 * SECOND,
    factor: 2,
    ...more,
  };
}

function sum(values: number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

describe("truth", () => {
  test("a rank at half its speed for a second loses half of what it computes in it", () => {
    // Steps of 20 ms, 24 ms of transfers in a thousand: rank 1 computes nearly all the time.
    const program = stencil(2, 200, 15e6, 5e6);
    const simulation = simulate({ seed: 1, program, noise: SILENT, injections: [slow({})] });
    const [region] = truthOf(simulation);
    expect(region!.parts).toEqual([{ rank: 1, startNs: 1 * SECOND, endNs: 2 * SECOND }]);
    expect(region!.lostNs).toBeGreaterThan(0.49 * SECOND);
    expect(region!.lostNs).toBeLessThanOrEqual(0.5 * SECOND);
  });

  test("without noise the loss is exactly what fragments take longer, fragment by fragment", () => {
    const program = stencil(3, 100, 15e6, 5e6);
    const injections = [
      slow({ startNs: 0.5e9, endNs: 0.9e9 }),
      slow({ ranks: [0, 2], factor: 1.3 }),
    ];
    const { ranks } = simulate({ seed: 2, program, noise: SILENT, injections });
    for (const rank of ranks) {
      for (let i = 1; i < rank.state.length - 1; i++) {
        const took = rank.startNs[i]! - rank.endNs[i - 1]!;
        // Times in a trace are whole nanoseconds.
        expect(Math.abs(took - rank.workNs[i]! - rank.lostBeforeNs[i]!)).toBeLessThanOrEqual(1);
      }
    }
  });

  test("kinds are kept apart: slow file access loses nothing of computation", () => {
    const program = writer(2, 100, 20e6);
    const injections = [slow({ kind: "io", startNs: 0.3e9, endNs: 0.9e9, factor: 3 })];
    const { ranks, ...rest } = simulate({ seed: 3, program, noise: SILENT, injections });
    expect(sum(ranks[1]!.lostBeforeNs)).toBeCloseTo(0, 3);
    expect(sum(ranks[0]!.lostCallNs)).toBeCloseTo(0, 3);
    const [region] = truthOf({ ranks, ...rest });
    expect(region).toMatchObject({ kind: "io", lostNs: sum(ranks[1]!.lostCallNs) });
    expect(region!.lostNs).toBeGreaterThan(0);
  });

  test("what happens after the end is no region", () => {
    const program = stencil(2, 10, 15e6, 5e6);
    const injections = [slow({ startNs: 50 * SECOND, endNs: 60 * SECOND })];
    expect(truthOf(simulate({ seed: 1, program, noise: SILENT, injections }))).toEqual([]);
  });
});

describe("noise", () => {
  test("ticks give the deviation asked for", () => {
    const ticks = ticksFor(1e6, 0.04, new Random(4));
    const times: number[] = [];
    for (let i = 0, now = 0; i < 20_000; i++, now += times.at(-1)!)
      times.push(ticks.stretch(now, 1e6));
    const mean = sum(times) / times.length;
    const deviation = Math.sqrt(sum(times.map((ns) => (ns - mean) ** 2)) / times.length);
    expect(deviation / 1e6).toBeGreaterThan(0.037);
    expect(deviation / 1e6).toBeLessThan(0.043);
  });

  test("spikes of a virtual machine are no stops, however long computations are", () => {
    for (const workNs of [2e5, 1e7, 4e8]) {
      const { spikeChance, spikeNs } = noiseOf("vm", 0.03, workNs);
      expect(spikeNs).toEqual([0.3e6, 11e6]);
      // Log-uniform length: mean (11 - 0.3) / ln(11 / 0.3) = 2.97 ms.
      expect((spikeChance * 2.97e6) / workNs).toBeLessThan(0.03);
    }
  });

  test("the same seed gives the same run, another seed another", () => {
    const [a, b, c] = [5, 5, 6].map((seed) =>
      simulate({ seed, program: stencil(3, 50, 1e6, 1e5), noise: noiseOf("vm", 0.03, 1e6) }),
    );
    expect(a!.ranks).toEqual(b!.ranks);
    expect(a!.ranks).not.toEqual(c!.ranks);
  });
});

test("a simulated run becomes traces that ingest reads back, call by call", async () => {
  const simulation = simulate({
    seed: 4,
    program: { ...writer(3, 20, 1e6), ranksPerHost: 2 },
    noise: noiseOf("heavy", 0.03, 1e6),
  });
  await withRun(simulation, async (store) => {
    const hosts = await store.rows<{ host: string }>("SELECT host FROM ranks ORDER BY rank");
    expect(hosts.map(({ host }) => host)).toEqual(["node0", "node0", "node1"]);
    for (const [r, rank] of simulation.ranks.entries()) {
      const calls = await store.rows<Record<string, number>>(
        `SELECT start_ns AS s, end_ns AS e, bytes AS b, before_ns AS n, call FROM calls JOIN states USING (state)
          WHERE rank = ${r} ORDER BY start_ns`,
      );
      expect(calls.map(({ s, e, b }) => [s, e, b])).toEqual(
        rank.state.map((_, i) => [rank.startNs[i], rank.endNs[i], rank.bytes[i]]),
      );
      expect(calls.slice(1, 5).map(({ call }) => call)).toEqual([
        "MPI_Sendrecv",
        "MPI_Allreduce",
        "write",
        "MPI_Sendrecv",
      ]);
    }
  });
});
