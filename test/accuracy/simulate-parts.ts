import { storeOf } from "./fill-store.ts";
import { Random, noiseFactor, spike, VM_NOISE, wanderOf } from "./noise.ts";
import type { RankCalls } from "./simulate.ts";
import type { Store } from "../../src/trace/store.ts";

/**
 * A step of several computations, each ended by a collective call of its own. What each machine does to it is known:
 * the truth of tests about slowness from start to end.
 */
export interface PartsProgram {
  ranks: number;
  steps: number;
  /** Undisturbed time of each computation of a step, ns. */
  partsNs: number[];
  /** Factor on the work of a part: more of it, or less. */
  work?: (rank: number, step: number, part: number, random: Random) => number;
  /** Bytes of the collective that ends a part; default 8. */
  bytes?: (rank: number, step: number, part: number, random: Random) => number;
  /** How much longer anything takes on the rank's core: 1.1 is 10 % longer. Default 1. */
  machine?: (rank: number) => number;
  /** Time that a rank waits for its core, per CPU time; computation takes 1 + this. Default 0. */
  waits?: (rank: number) => number;
}

/** Spikes as against other simulations: two long ones close together are a region of their own in so short a run. */
const SPIKES = 0.2;
/** Rounds of probes during the run, and how long each kind takes on an undisturbed core, ns. */
const ROUNDS = 40;
const PROBES: Readonly<Record<string, number>> = { compute: 13_350, cache: 16_560, memory: 18_000 };
const PROBE_NOISE: Readonly<Record<string, number>> = { compute: 0.01, cache: 0.01, memory: 0.2 };

function simulateParts(seed: number, program: PartsProgram): RankCalls[] {
  const { ranks, steps, partsNs } = program;
  const randoms = Array.from({ length: ranks }, (_, r) => new Random(seed * 7919 + r));
  const wanders = randoms.map((random) => wanderOf(VM_NOISE, random));
  const out: RankCalls[] = randoms.map(() => ({
    state: [0],
    startNs: [-1e6],
    endNs: [0],
    bytes: [0],
    peer: [-1],
  }));
  const clock = new Float64Array(ranks);
  const record = (r: number, state: number, start: number, end: number, bytes: number) => {
    const one = out[r]!;
    one.state.push(state);
    one.startNs.push(Math.round(start));
    one.endNs.push(Math.round(end));
    one.bytes.push(bytes);
    one.peer.push(-1);
  };
  for (let step = 0; step < steps; step++) {
    for (const [part, ns] of partsNs.entries()) {
      for (let r = 0; r < ranks; r++) {
        const random = randoms[r]!;
        const work = (program.work?.(r, step, part, random) ?? 1) * wanders[r]!(step / steps);
        const pace = (program.machine?.(r) ?? 1) * (1 + (program.waits?.(r) ?? 0));
        const stray = random.uniform() < SPIKES ? spike(VM_NOISE, random) : 0;
        clock[r] = clock[r]! + ns * work * pace * noiseFactor(VM_NOISE, random) + stray;
      }
      const last = clock.reduce((a, b) => Math.max(a, b)) + 20_000;
      for (let r = 0; r < ranks; r++) {
        const end = last + 2000 * randoms[r]!.uniform();
        record(r, part + 1, clock[r]!, end, program.bytes?.(r, step, part, randoms[r]!) ?? 8);
        clock[r] = end;
      }
    }
  }
  for (let r = 0; r < ranks; r++)
    record(r, partsNs.length + 1, clock[r]! + 5000, clock[r]! + 1e6, 0);
  return out;
}

/**
 * The store of such a run. With `probes`, ranks were probed now and then and the kernel told what they waited for their
 * cores. Ranks are on hosts of `perHost`.
 */
export async function storeOfParts(
  seed: number,
  program: PartsProgram,
  { probes, perHost = 8 }: { probes: boolean; perHost?: number },
): Promise<Store> {
  const store = await storeOf(simulateParts(seed, program), {
    states: ["MPI_Init", ...program.partsNs.map((_, i) => `MPI_Allreduce_${i}`), "MPI_Finalize"],
    perHost,
  });
  if (probes) await store.execute(probeRows(seed, program, await endOf(store)));
  return store;
}

async function endOf(store: Store): Promise<number> {
  return (await store.row<{ ns: number }>("SELECT max(end_ns)::DOUBLE AS ns FROM ranks"))!.ns;
}

function probeRows(seed: number, program: PartsProgram, endNs: number): string {
  const rows: string[] = [];
  for (let rank = 0; rank < program.ranks; rank++) {
    const random = new Random(seed * 104_729 + rank);
    const waits = program.waits?.(rank) ?? 0;
    for (let round = 0; round < ROUNDS; round++) {
      const at = Math.round((endNs * round) / (ROUNDS - 1));
      const cpu = Math.round(at / (1 + waits));
      for (const [kind, usual] of Object.entries(PROBES)) {
        const noise = Math.exp(PROBE_NOISE[kind]! * random.normal());
        const ns = usual * (program.machine?.(rank) ?? 1) * noise;
        rows.push(
          `(${rank}, 0, '${kind}', ${at}, ${ns.toFixed(1)}, ${Math.round(ns)}, ${cpu}, ${at - cpu}, ${rank})`,
        );
      }
    }
  }
  return `INSERT INTO probes VALUES ${rows.join(", ")}`;
}
