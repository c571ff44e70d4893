import type { Program as GeneralProgram, Injection } from "../eval/simulate/program.ts";
import { simulate as simulateAny } from "../eval/simulate/simulate.ts";
import type { Disturbance } from "./machine.ts";
import { type Noise, type Random, VM_NOISE } from "./noise.ts";

/** A step of the simulated stencil: computation A, halo exchange, computation B, allreduce. */
export interface Program {
  ranks: number;
  steps: number;
  /** Undisturbed time of A and B together, ns. */
  workNs: number;
  /** Share of B. */
  secondShare: number;
  /** Factor on the work of A (0) or B (1); default 1. Random work takes its numbers from `random`. */
  work?: (rank: number, step: number, part: 0 | 1, random: Random) => number;
  /** Bytes of the halo exchange; default 8192. */
  bytes?: (rank: number, step: number) => number;
  /** Time a message and an allreduce take on a quiet network, ns; `step` allows a slow network. */
  transferNs?: (step: number) => number;
}

export interface Scenario {
  seed: number;
  program: Program;
  noise?: Noise;
  disturbances?: Disturbance[];
}

/** Calls of all ranks in columns; one array per rank. */
export interface RankCalls {
  state: number[];
  startNs: number[];
  endNs: number[];
  bytes: number[];
  peer: number[];
}

export interface SimulatedRank extends RankCalls {
  /** What disturbances added to its computations. */
  lostNs: number;
}

/** States, in order of the loop. Init and finalize frame the run. */
export const STATES = ["MPI_Init", "MPI_Sendrecv", "MPI_Allreduce", "MPI_Finalize"];

/** Runs the stencil on the simulated machine of test/eval. */
export function simulate({
  seed,
  program,
  noise = VM_NOISE,
  disturbances = [],
}: Scenario): SimulatedRank[] {
  const { ranks } = simulateAny({
    seed,
    program: generalProgram(program),
    noise,
    injections: disturbances.map(injectionOf),
  });
  // The general simulator counts the program's calls first, then MPI_Init and MPI_Finalize.
  const number = [1, 2, 0, 3];
  return ranks.map(({ state, startNs, endNs, bytes, peer, lostBeforeNs }) => ({
    state: state.map((one) => number[one]!),
    startNs,
    endNs,
    bytes,
    peer,
    lostNs: lostBeforeNs.reduce((sum, ns) => sum + ns, 0),
  }));
}

function generalProgram(program: Program): GeneralProgram {
  const stage = (part: 0 | 1, share: number) => ({
    workNs: program.workNs * share,
    work: ({ rank, step, random }: { rank: number; step: number; random: Random }) => ({
      label: "",
      factor: program.work?.(rank, step, part, random) ?? 1,
    }),
    call: part,
    callNs: program.transferNs ?? 20_000,
  });
  return {
    ranks: program.ranks,
    steps: program.steps,
    calls: [
      { call: "MPI_Sendrecv", category: "sendrecv" },
      { call: "MPI_Allreduce", category: "collective" },
    ],
    stages: [
      {
        ...stage(0, 1 - program.secondShare),
        waitsFor: "neighbours",
        bytes: ({ rank, step }) => program.bytes?.(rank, step) ?? 8192,
      },
      { ...stage(1, program.secondShare), waitsFor: "all", bytes: () => 8 },
    ],
  };
}

function injectionOf({ rank, kind, startNs, endNs, factor, sliceNs }: Disturbance): Injection {
  return {
    kind: "compute",
    ranks: [rank],
    startNs,
    endNs,
    form: kind,
    ...(factor === undefined ? {} : { factor }),
    ...(sliceNs === undefined ? {} : { sliceNs }),
  };
}
