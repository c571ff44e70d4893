import { VM_NOISE } from "../accuracy/noise.ts";
import type { EvalNoise } from "./simulate/simulate.ts";
import type { CallSite, Injection, Place, Program, Stage, Work } from "./simulate/program.ts";

const ALLREDUCE: CallSite = { call: "MPI_Allreduce", category: "collective" };
const EXCHANGE: CallSite = { call: "MPI_Sendrecv", category: "sendrecv" };
const BCAST: CallSite = { call: "MPI_Bcast", category: "collective" };
const WRITE: CallSite = { call: "write", category: "io_write" };

const TRANSFER_NS = 20_000;

/** Work over which VM_NOISE counts its chance of a spike, ns: the step of the accuracy tests. */
const SPIKE_WORK_NS = 1.2e6;

/**
 * Noise of one shape with a relative standard deviation. `vm` adds what an idle virtual machine has: speed that wanders, and spikes,
 * as many per second and as long for any length of computations (`workNs`). Were they to grow with it, they would be
 * stops of half a second, which are disturbances.
 */
export function noiseOf(shape: NoiseName, share: number, workNs: number): EvalNoise {
  const quiet = { share, spikeChance: 0, spikeNs: [1, 2] as [number, number], wander: 0 };
  if (shape !== "vm") return { ...quiet, shape };
  const spikeChance = Math.min(0.5, (VM_NOISE.spikeChance * workNs) / SPIKE_WORK_NS);
  return { ...VM_NOISE, share, spikeChance };
}

export const NOISES = ["normal", "lognormal", "heavy", "periodic", "vm"] as const;
export type NoiseName = (typeof NOISES)[number];

function one(label: string, factor = 1): (at: Place) => Work {
  const work = { label, factor };
  return () => work;
}

/** Computation, halo exchange, computation, allreduce. */
export function stencil(
  ranks: number,
  steps: number,
  firstNs: number,
  secondNs: number,
  more: Partial<Stage> = {},
  callNs = TRANSFER_NS,
): Program {
  return {
    ranks,
    steps,
    calls: [EXCHANGE, ALLREDUCE],
    stages: [
      {
        workNs: firstNs,
        work: one("first"),
        call: 0,
        waitsFor: "neighbours",
        callNs,
        ...more,
      },
      { workNs: secondNs, work: one("second"), call: 1, waitsFor: "all", callNs },
    ],
  };
}

/** A stencil that writes a file in each step: something to disturb for every kind. */
export function writer(ranks: number, steps: number, workNs: number): Program {
  const program = stencil(ranks, steps, 0.6 * workNs, 0.2 * workNs, {}, 0.05 * workNs);
  const write: Stage = {
    workNs: 0.2 * workNs,
    work: one("pack"),
    call: 2,
    waitsFor: "nobody",
    callNs: 0.3 * workNs,
    bytes: () => 65_536,
  };
  return { ...program, calls: [...program.calls, WRITE], stages: [...program.stages, write] };
}

/** A loop with one place where two works alternate irregularly: every rank does the longer one in the steps that `longer` picks. */
export function twoWorks(steps: number, apart: number, longer: (step: number) => boolean): Program {
  const [short, long] = [
    { label: "short", factor: 1 },
    { label: "long", factor: 1 + apart },
  ];
  return stencil(4, steps, 5e6, 1e6, { work: ({ step }) => (longer(step) ? long : short) });
}

/** Two works that end in the same call but come after different ones. */
export function afterDifferentCalls(steps: number, apart: number): Program {
  const ends = { call: 1, waitsFor: "all" as const, callNs: TRANSFER_NS };
  return {
    ranks: 4,
    steps,
    calls: [EXCHANGE, ALLREDUCE, BCAST],
    stages: [
      { workNs: 1e6, work: one("halo"), call: 0, waitsFor: "neighbours", callNs: TRANSFER_NS },
      { workNs: 5e6, work: one("short"), ...ends },
      { workNs: 1e6, work: one("root"), call: 2, waitsFor: "all", callNs: TRANSFER_NS },
      { workNs: 5e6 * (1 + apart), work: one("long"), ...ends },
    ],
  };
}

/** Two works whose calls have one site, reached over two call paths; the loop takes either as a pseudo-random step says. */
export function overDifferentPaths(steps: number, apart: number): Program {
  const stage = (call: number, workNs: number, label: string, odd: boolean): Stage => ({
    workNs,
    work: one(label),
    call,
    waitsFor: "all",
    callNs: TRANSFER_NS,
    when: (step) => scattered(step) === odd,
  });
  return {
    ranks: 4,
    steps,
    calls: [EXCHANGE, reducedFrom(0x3000), reducedFrom(0x4000)],
    stages: [
      { workNs: 1e6, work: one("halo"), call: 0, waitsFor: "neighbours", callNs: TRANSFER_NS },
      stage(1, 5e6, "short", true),
      stage(2, 5e6 * (1 + apart), "long", false),
    ],
  };
}

function reducedFrom(caller: number): CallSite {
  return { ...ALLREDUCE, path: [0x2000, caller] };
}

/** True for about half of all steps, without a pattern in time; the same on all ranks. */
export function scattered(step: number): boolean {
  return ((Math.imul(step + 1, 2_654_435_761) >>> 13) & 1) === 1;
}

/** Several different computations in each step, of unlike lengths, or one alone. */
export function chain(ranks: number, steps: number, worksNs: readonly number[]): Program {
  return {
    ranks,
    steps,
    calls: worksNs.map(() => ALLREDUCE),
    stages: worksNs.map((workNs, i) => ({
      workNs,
      call: i,
      waitsFor: "all",
      callNs: TRANSFER_NS,
    })),
  };
}

/** Ranks that own more: work and bytes grow by rank. */
export function unequalWork(ranks: number, steps: number, workNs: number): Program {
  const factor = (rank: number) => 1 + (0.5 * rank) / (ranks - 1);
  return stencil(ranks, steps, 0.8 * workNs, 0.2 * workNs, {
    work: ({ rank }) => ({ label: `rank ${rank}`, factor: factor(rank) }),
    bytes: ({ rank }) => Math.round(8192 * factor(rank)),
    trips: true,
  });
}

/**
 * Routing as in a mixture of experts: in each step every rank gets another number of tokens, some of them many; time and bytes of the
 * exchange follow the tokens. Which ranks are popular drifts over the run.
 */
export function routing(ranks: number, steps: number, workNs: number, seed: number): Program {
  const tokens = (rank: number, step: number): number => {
    const popular = 1 + 0.6 * Math.sin((2 * Math.PI * step) / (0.37 * steps) + rank * 1.7 + seed);
    const random = (Math.imul(step * 8191 + rank * 131 + seed + 1, 2_654_435_761) >>> 8) / 2 ** 24;
    return Math.round(256 * popular * (0.5 + random)) + 16;
  };
  return stencil(ranks, steps, 0.8 * workNs, 0.2 * workNs, {
    work: ({ rank, step }) => ({
      label: `tokens ${tokens(rank, step)}`,
      factor: tokens(rank, step) / 256,
    }),
    bytes: ({ rank, step }) => 4096 * tokens(rank, step),
    trips: true,
  });
}

/** Undisturbed time without communication, ns. */
export function nominalNs({ steps, stages }: Program): number {
  return steps * stages.reduce((sum, stage) => sum + stage.workNs, 0);
}

/** An injection over a share of the nominal time. */
export function inject(
  program: Program,
  [from, to]: [number, number],
  more: Partial<Injection> & Pick<Injection, "ranks">,
): Injection {
  const nominal = nominalNs(program);
  return {
    kind: "compute",
    form: "slow",
    startNs: from * nominal,
    endNs: to * nominal,
    ...more,
  };
}
