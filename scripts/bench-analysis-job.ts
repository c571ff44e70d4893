import { join } from "node:path";
import { writeTrace } from "../src/trace/write-synthetic.ts";

/** Calls of one step of a halo exchange with four neighbours, then a reduction. */
const STEP = [
  ...[0, 1, 2, 3].map((i) => ({ call: "MPI_Irecv", category: "ireceive" as const, offset: i })),
  ...[4, 5, 6, 7].map((i) => ({ call: "MPI_Isend", category: "isend" as const, offset: i })),
  { call: "MPI_Waitall", category: "wait" as const, offset: 8 },
  { call: "MPI_Allreduce", category: "collective" as const, offset: 9 },
];
const COMPUTE_NS = 1_000_000;

/** Noise that is the same in every run: a linear congruential generator, 0 to 1. */
function noise(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What the benchmark can write. */
export const JOBS = { stencil: writeStencil, irregular: writeIrregular } as const;
export type JobName = keyof typeof JOBS;

/**
 * Writes the traces of a stencil code: `events` calls on `ranks` ranks, steps of about 1 ms of computation
 * with 2 % noise; rank 1 computes at half speed in the fifth tenth of the run.
 */
export function writeStencil(folder: string, events: number, ranks: number): void {
  for (let rank = 0; rank < ranks; rank++) {
    const rows = Math.floor(events / ranks);
    const random = noise(rank + 1);
    const column = (): Int32Array => new Int32Array(rows);
    const wide = (): Float64Array => new Float64Array(rows);
    const [state, peer, communicator, tag, requests] = [
      column(),
      column(),
      column(),
      column(),
      column(),
    ];
    const [startNs, endNs, bytes] = [wide(), wide(), wide()];
    let now = 0;
    for (let i = 0; i < rows; i++) {
      const call = i % STEP.length;
      const slow = rank === 1 && Math.floor((10 * i) / rows) === 4 ? 2 : 1;
      now += call === 0 ? COMPUTE_NS * slow * (1 + 0.02 * random()) : 100 + 50 * random();
      startNs[i] = Math.round(now);
      now += call < 8 ? 300 + 200 * random() : 20_000 + 5_000 * random();
      endNs[i] = Math.round(now);
      state[i] = call;
      bytes[i] = call < 8 ? 8192 : call === 9 ? 8 : 0;
      peer[i] = call < 8 ? (rank + [1, -1, 2, -2][call % 4]! + 2 * ranks) % ranks : -1;
      communicator[i] = call === 8 ? -1 : 0;
      tag[i] = call < 4 ? (call % 4) ^ 1 : call < 8 ? call % 4 : -1; // what the partner sends that way
      requests[i] = call === 8 ? 8 : 0;
    }
    writeTrace(join(folder, `${rank}.vst`), {
      rank,
      worldSize: ranks,
      calls: STEP,
      columns: { state, startNs, endNs, bytes, peer, communicator, tag, requests },
    });
  }
}

/** Largest message of the irregular job, and what one byte of it costs to compute. */
const MOST_BYTES = 1_000_000;
const NS_PER_BYTE = 0.05;

/**
 * Writes the traces of a program in which every call has another size, drawn at random, and every computation takes a time that
 * grows with it and has 2 % noise: no work vector ever comes back. `events` calls on `ranks` ranks; rank 1
 * computes at half speed in the fifth tenth of the run.
 */
export function writeIrregular(folder: string, events: number, ranks: number): void {
  for (let rank = 0; rank < ranks; rank++) {
    const rows = Math.floor(events / ranks);
    const random = noise(rank + 1);
    const [state, communicator] = [new Int32Array(rows), new Int32Array(rows)];
    const [startNs, endNs, bytes] = [
      new Float64Array(rows),
      new Float64Array(rows),
      new Float64Array(rows),
    ];
    let now = 0;
    for (let i = 0; i < rows; i++) {
      const slow = rank === 1 && Math.floor((10 * i) / rows) === 4 ? 2 : 1;
      bytes[i] = Math.floor(MOST_BYTES * random());
      now += (2_000 + NS_PER_BYTE * bytes[i]!) * slow * (1 + 0.02 * random());
      startNs[i] = Math.round(now);
      now += 1_000 + 200 * random();
      endNs[i] = Math.round(now);
      state[i] = i % 2;
    }
    writeTrace(join(folder, `${rank}.vst`), {
      rank,
      worldSize: ranks,
      calls: [
        { call: "MPI_Alltoallv", category: "collective", offset: 0 },
        { call: "MPI_Allgatherv", category: "collective", offset: 1 },
      ],
      columns: { state, startNs, endNs, bytes, communicator },
    });
  }
}
