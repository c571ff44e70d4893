import type { Random } from "../../accuracy/noise.ts";
import { inject } from "../programs.ts";
import type { Injection, Program } from "../simulate/program.ts";

/** A way to disturb a program; every run draws ranks and times anew. */
export interface Disturbed {
  name: string;
  ranks: number;
  steps: number;
  workNs: number;
  /** Too large for a quick run, and for more than one. */
  large?: boolean;
  make: (program: Program, random: Random) => Injection[];
}

const SMALL = { ranks: 8, steps: 1000, workNs: 20e6 };

/** From a random moment on, for a share of the run. */
function stretch(random: Random, share: number, from = 0.1, to = 0.9): [number, number] {
  const start = from + random.uniform() * (to - from - share);
  return [start, start + share];
}

function anyRank({ ranks }: Program, random: Random): number {
  return Math.floor(random.uniform() * ranks);
}

function hostRanks(program: Program, random: Random, size: number): number[] {
  const host = Math.floor((random.uniform() * program.ranks) / size);
  return Array.from({ length: size }, (_, i) => host * size + i);
}

function slowRank(name: string, factor: number): Disturbed {
  return {
    ...SMALL,
    name,
    make: (program, random) => [
      inject(program, stretch(random, 0.1 + 0.2 * random.uniform()), {
        ranks: [anyRank(program, random)],
        factor,
      }),
    ],
  };
}

export const INJECTED: readonly Disturbed[] = [
  slowRank("a rank at half its speed", 2),
  slowRank("a rank 30 % slower", 1.3),
  slowRank("a rank 10 % slower", 1.1),
  {
    ...SMALL,
    name: "a rank shares its core",
    make: (program, random) => [
      inject(program, stretch(random, 0.25), { ranks: [anyRank(program, random)], form: "hog" }),
    ],
  },
  {
    ...SMALL,
    name: "a rank is stopped twice",
    make: (program, random) =>
      [0.2, 0.6].map((from) =>
        inject(program, stretch(random, 0.06, from, from + 0.3), {
          ranks: [anyRank(program, random)],
          form: "pause",
        }),
      ),
  },
  {
    ...SMALL,
    name: "two bursts on one rank",
    make: (program, random) => {
      const ranks = [anyRank(program, random)];
      return [0.15, 0.55].map((from) =>
        inject(program, stretch(random, 0.1, from, from + 0.25), { ranks, factor: 1.6 }),
      );
    },
  },
  {
    name: "a host of four",
    ranks: 32,
    steps: 400,
    workNs: 40e6,
    make: (program, random) => [
      inject(program, stretch(random, 0.25), { ranks: hostRanks(program, random, 8), factor: 1.5 }),
    ],
  },
  {
    ...SMALL,
    name: "file access on half the ranks",
    make: (program, random) => [
      inject(program, stretch(random, 0.25), {
        ranks: hostRanks(program, random, 4),
        kind: "io",
        factor: 3,
      }),
    ],
  },
  {
    ...SMALL,
    name: "the network",
    make: (program, random) => [
      inject(program, stretch(random, 0.25), {
        ranks: Array.from({ length: program.ranks }, (_, rank) => rank),
        kind: "communication",
        factor: 5,
      }),
    ],
  },
  {
    ...SMALL,
    ranks: 2,
    name: "one of two ranks",
    make: (program, random) => [
      inject(program, stretch(random, 0.2), { ranks: [anyRank(program, random)], factor: 1.5 }),
    ],
  },
  {
    name: "a host of 4,096 ranks",
    ranks: 4096,
    steps: 60,
    workNs: 200e6,
    large: true,
    make: (program, random) => [
      inject(program, stretch(random, 0.3), { ranks: hostRanks(program, random, 8), factor: 1.5 }),
    ],
  },
];
