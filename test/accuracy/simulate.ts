import { advance, type Disturbance } from "./machine.ts";
import { type Noise, noiseFactor, Random, spike, VM_NOISE, wanderOf } from "./noise.ts";

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
export interface SimulatedRank {
  state: number[];
  startNs: number[];
  endNs: number[];
  bytes: number[];
  peer: number[];
}

/** States, in order of the loop. Init and finalize frame the run. */
export const STATES = ["MPI_Init", "MPI_Sendrecv", "MPI_Allreduce", "MPI_Finalize"];

/**
 * Runs the program on a simulated machine. Waiting is not put in: an exchange ends when the neighbours have sent, an
 * allreduce when the last rank has come. Ranks form an open chain.
 */
export function simulate({
  seed,
  program,
  noise = VM_NOISE,
  disturbances = [],
}: Scenario): SimulatedRank[] {
  const randoms = Array.from({ length: program.ranks }, (_, r) => new Random(seed * 4099 + r));
  const wanders = randoms.map((random) => wanderOf(noise, random));
  const disturbed = randoms.map((_, r) =>
    disturbances.filter((one) => one.rank === r).toSorted((a, b) => a.startNs - b.startNs),
  );
  const ranks: SimulatedRank[] = randoms.map(() => ({
    state: [],
    startNs: [],
    endNs: [],
    bytes: [],
    peer: [],
  }));
  const clock = new Float64Array(program.ranks);
  const record = (
    r: number,
    state: number,
    start: number,
    end: number,
    bytes: number,
    peer: number,
  ) => {
    const rank = ranks[r]!;
    rank.state.push(state);
    rank.startNs.push(Math.round(start));
    rank.endNs.push(Math.round(end));
    rank.bytes.push(bytes);
    rank.peer.push(peer);
  };
  const compute = (r: number, step: number, part: 0 | 1, share: number) => {
    const random = randoms[r]!;
    const factor = program.work?.(r, step, part, random) ?? 1;
    const usual = program.workNs * share * factor * wanders[r]!(step / program.steps);
    clock[r] = advance(
      clock[r]!,
      usual * noiseFactor(noise, random) + spike(noise, random),
      disturbed[r]!,
    );
  };
  for (let r = 0; r < program.ranks; r++) record(r, 0, -1e6, 0, 0, -1);
  for (let step = 0; step < program.steps; step++) {
    const transfer = program.transferNs?.(step) ?? 20_000;
    for (let r = 0; r < program.ranks; r++) compute(r, step, 0, 1 - program.secondShare);
    const sent = Float64Array.from(clock);
    for (let r = 0; r < program.ranks; r++) {
      const last = Math.max(sent[r]!, sent[r - 1] ?? 0, sent[r + 1] ?? 0);
      clock[r] = last + transfer * (0.9 + 0.2 * randoms[r]!.uniform());
      record(r, 1, sent[r]!, clock[r]!, program.bytes?.(r, step) ?? 8192, r > 0 ? r - 1 : 1);
    }
    for (let r = 0; r < program.ranks; r++) compute(r, step, 1, program.secondShare);
    const last = clock.reduce((a, b) => Math.max(a, b));
    for (let r = 0; r < program.ranks; r++) {
      const end = last + transfer * (0.9 + 0.2 * randoms[r]!.uniform());
      record(r, 2, clock[r]!, end, 8, -1);
      clock[r] = end;
    }
  }
  for (let r = 0; r < program.ranks; r++) record(r, 3, clock[r]! + 5000, clock[r]! + 1e6, 0, -1);
  return ranks;
}
