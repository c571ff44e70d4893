import { describe, expect, test } from "vitest";
import type { Disturbance } from "./machine.ts";
import { nominalNs, stencil } from "./programs.ts";
import { faults, intersectionOverUnion, outcomeOf, run } from "./score.ts";
import type { Program } from "./simulate.ts";

const SEEDS = [1, 2, 3];

/** A disturbance from and to a share of the program's nominal time. */
function from(
  program: Program,
  share: number,
  to: number,
  more: Partial<Disturbance> = {},
): Disturbance {
  const nominal = nominalNs(program);
  return { rank: 1, kind: "hog", startNs: share * nominal, endNs: to * nominal, ...more };
}

/** What is not found exactly (right rank, intersection over union of 0.7 or more, nothing else), over all seeds. */
async function mistakes(program: Program, disturbances: Disturbance[]): Promise<string[]> {
  const out: string[] = [];
  for (const seed of SEEDS) {
    const { regions } = await run({ seed, program, disturbances }, outcomeOf);
    out.push(...faults(regions, disturbances, 0.7).map((fault) => `seed ${seed}: ${fault}`));
  }
  return out;
}

describe("a core shared for a third of the run", () => {
  const cases: [string, Partial<Program>][] = [
    ["8,000 fragments", {}],
    ["1,000 fragments", { steps: 250, workNs: 3e6 }],
    ["200,000 fragments", { steps: 50_000, workNs: 2e5 }],
    ["16 ranks", { ranks: 16, steps: 800, workNs: 2e6 }],
    ["few long steps", { steps: 60, workNs: 6e7 }],
    [
      "slightly random work",
      { work: (_, __, part, random) => (part === 0 ? Math.exp(0.15 * random.normal()) : 1) },
    ],
    [
      "every 10th step five times the work",
      { work: (_, s, part) => (part === 0 && s % 10 === 0 ? 5 : 1) },
    ],
    [
      "every 7th step twice the work",
      { work: (_, s, part) => (part === 0 && s % 7 === 0 ? 2 : 1) },
    ],
    ["two phases", { work: (_, s, part) => (part === 0 && s > 1200 ? 1.8 : 1) }],
    ["imbalanced ranks", { ranks: 4, work: (r) => 1 + 0.3 * r }],
  ];
  test.each(cases)("%s", async (_, more) => {
    const program = stencil(more);
    expect(await mistakes(program, [from(program, 0.3, 0.6)])).toEqual([]);
  });
});

describe("where and when", () => {
  const program = stencil();
  const cases: [string, Disturbance[]][] = [
    ["from the start", [from(program, 0, 0.3)]],
    ["in the second half", [from(program, 0.6, 0.9, { rank: 0 })]],
    ["nearly all the time", [from(program, 0.05, 1.5)]],
    ["two bursts", [from(program, 0.2, 0.4), from(program, 0.8, 1)]],
    ["two bursts with a short gap", [from(program, 0.2, 0.4), from(program, 0.5, 0.7)]],
    [
      "two ranks, one after the other",
      [from(program, 0.2, 0.4), from(program, 0.8, 1.1, { rank: 0 })],
    ],
    ["half as fast again", [from(program, 0.3, 0.7, { kind: "slow", factor: 1.5 })]],
  ];
  test.each(cases)("%s", async (_, disturbances) => {
    expect(await mistakes(program, disturbances)).toEqual([]);
  });

  test("three pauses of a process", async () => {
    const long = stencil({ steps: 6000 });
    const pauses = [0.2, 0.4, 0.7].map((at) => from(long, at, at + 0.1, { kind: "pause" }));
    expect(await mistakes(long, pauses)).toEqual([]);
  });

  test("one node of a larger job is one region with its ranks", async () => {
    const large = stencil({ ranks: 16, steps: 600, workNs: 2e6 });
    const node = [4, 5, 6, 7].map((rank) => from(large, 0.4, 0.7, { rank }));
    const { regions } = await run({ seed: 1, program: large, disturbances: node }, outcomeOf);
    expect(regions.map(({ slow }) => slow)).toEqual([[4, 5, 6, 7]]);
    expect(faults(regions, node, 0.7)).toEqual([]);
  });

  test("all ranks and all snippets slow alike: the machine", async () => {
    const both = stencil({ ranks: 4, secondShare: 0.4 });
    const everyone = [0, 1, 2, 3].map((rank) => from(both, 0.3, 0.6, { rank, kind: "slow" }));
    expect(await mistakes(both, everyone)).toEqual([]);
  });
});

describe("what a region says", () => {
  test("lost time, its interval, and who waited", async () => {
    const program = stencil({ ranks: 4 });
    const hit = from(program, 0.3, 0.7, { rank: 2, kind: "slow", factor: 2 });
    const quiet = {
      shape: "lognormal",
      share: 0.02,
      spikeChance: 0.002,
      spikeNs: [0.3e6, 3e6],
      wander: 0.01,
    } as const;
    const { regions } = await run(
      { seed: 5, program, noise: { ...quiet, spikeNs: [0.3e6, 3e6] }, disturbances: [hit] },
      outcomeOf,
    );
    expect(regions).toHaveLength(1);
    const [region] = regions;
    expect(region!.slow).toEqual([2]);
    expect(region!.waiting).toEqual([0, 1, 3]);
    // A step of 1.2 ms takes 2.4 ms and two transfers of 20 us: 2.4 / 2.44 of the interval is work, half of it lost.
    const truth = ((hit.endNs - hit.startNs) * (2.4 / 2.44)) / 2;
    expect(Math.abs(region!.lostNs / truth - 1)).toBeLessThan(0.05);
    expect(region!.low).toBeLessThanOrEqual(region!.lostNs);
    expect(region!.high).toBeGreaterThanOrEqual(region!.lostNs);
    expect(region!.significance).toBeLessThan(0.005);
  });

  test.each(["slow", "hog"] as const)(
    "a rank %s from start to end is undecided, no region",
    async (kind) => {
      const program = stencil({ ranks: 4 });
      const whole = from(program, -1, 9, { rank: 3, kind, factor: 1.5 });
      const { regions, imbalances } = await run(
        { seed: 2, program, disturbances: [whole] },
        outcomeOf,
      );
      expect(regions).toEqual([]);
      expect(imbalances.map((one) => [one.ranks, one.verdict])).toEqual([[[3], "undecided"]]);
    },
  );

  test("a slow network is communication, and nobody's computation", async () => {
    const slowNet = stencil({
      ranks: 4,
      transferNs: (step) => (step >= 800 && step < 1200 ? 1.6e6 : 4e5),
    });
    const noise = {
      shape: "normal",
      share: 0.01,
      spikeChance: 0,
      spikeNs: [1, 2] as [number, number],
      wander: 0,
    } as const;
    const { regions } = await run({ seed: 1, program: slowNet, noise }, outcomeOf);
    expect(regions.map(({ kind, slow }) => [kind, slow])).toEqual([
      ["communication", [0, 1, 2, 3]],
    ]);
    // A fast step takes 1.2 + 2 x 0.4 ms, a slow one 1.2 + 2 x 1.6 ms.
    const truth = { startNs: 800 * 2e6, endNs: 800 * 2e6 + 400 * 4.4e6 };
    expect(intersectionOverUnion(regions[0]!, truth)).toBeGreaterThan(0.85);
  });
});
