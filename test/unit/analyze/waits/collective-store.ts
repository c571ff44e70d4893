import { ANALYSIS_TABLES } from "../../../../src/analyze/schema.ts";
import { findCollectiveWaits } from "../../../../src/analyze/waits/collective-waits.ts";
import { BASE_TABLES, BASE_VIEWS } from "../../../../src/trace/schema.ts";
import { Store } from "../../../../src/trace/store.ts";

/** Calls by number: their place in this list is their state. */
export const CALLS = [
  "MPI_Init",
  "MPI_Finalize",
  "MPI_Barrier",
  "MPI_Bcast",
  "MPI_Reduce",
  "MPI_Allreduce",
  "MPI_Scan",
  "MPI_Ibarrier",
  "MPI_Ibcast",
  "MPI_Wait",
  "MPI_Waitall",
  "MPI_Comm_dup",
  "MPI_Alltoallv",
  "MPI_Send",
  "MPI_Gather",
] as const;
export type CallName = (typeof CALLS)[number];

export interface Call {
  rank: number;
  call: CallName;
  start: number;
  end: number;
  communicator?: number;
  peer?: number;
  bytes?: number;
  thread?: number;
  /** Calls are missing before it: its edge is not known. */
  cut?: boolean;
}

export interface Communicator {
  communicator: number;
  members: number[];
  remoteSize?: number;
}

export interface Job {
  ranks: number;
  calls: readonly Call[];
  /** Beside the world, which is 0. */
  communicators?: readonly Communicator[];
  /** Further rows, as SQL. */
  rows?: string;
}

const CATEGORIES: Readonly<Record<string, string>> = {
  MPI_Init: "lifetime",
  MPI_Finalize: "lifetime",
  MPI_Ibarrier: "icollective",
  MPI_Ibcast: "icollective",
  MPI_Wait: "wait",
  MPI_Waitall: "wait",
  MPI_Comm_dup: "communicator",
  MPI_Send: "send",
};

export const stateOf = (call: CallName): number => CALLS.indexOf(call);

/** A store in memory with these calls, after each rank's MPI_Init; the pass has run on it. The caller closes it. */
export async function collectivesOf(job: Job): Promise<Store> {
  const store = await Store.open(":memory:", { threads: 1 });
  await store.execute(BASE_TABLES + BASE_VIEWS + ANALYSIS_TABLES);
  const world = Array.from({ length: job.ranks }, (_, rank) => rank);
  const groups = [{ communicator: 0, members: world }, ...(job.communicators ?? [])];
  const inits = world.map((rank): Call => ({ rank, call: "MPI_Init", start: -10, end: 0 }));
  const first = new Set<string>();
  const rows = [...inits, ...job.calls].map((one) => {
    const { rank, thread = 0, start, end, bytes = 8, peer = -1, call } = one;
    const lifetime = CATEGORIES[call] === "lifetime" || CATEGORIES[call] === "wait";
    const communicator = lifetime ? -1 : (one.communicator ?? 0);
    const known = first.has(`${rank} ${thread}`) && !one.cut;
    first.add(`${rank} ${thread}`);
    return `(${rank}, ${thread}, ${stateOf(call)}, ${known ? 0 : -1}, 0, ${start}, ${end}, ${bytes}, 0, ${peer}, ${communicator}, -1, 0, 0, -1)`;
  });
  await store.execute(`
    INSERT INTO meta VALUES ('world_size', '${job.ranks}');
    INSERT INTO states(state, call, category, module, "offset") VALUES
      ${CALLS.map((call, state) => `(${state}, '${call}', '${CATEGORIES[call] ?? "collective"}', 0, ${state})`).join(", ")};
    INSERT INTO communicators VALUES
      ${groups.map((one) => `(${one.communicator}, ${one.members.length}, 0, [${one.members.join(", ")}], ${"remoteSize" in one ? one.remoteSize : 0})`).join(", ")};
    INSERT INTO ranks SELECT range, 'host', range, 'program', 1, 0, 1000, true, 10, 10, 0, 0, 0, 0 FROM range(${job.ranks});
    INSERT INTO irregular_calls VALUES ${rows.join(", ")};
    ${job.rows ?? ""}`);
  await findCollectiveWaits(store);
  return store;
}

export interface Wait extends Record<string, unknown> {
  kind: string;
  rank: number;
  call: string;
  cause: number;
  late: string;
  calls: number;
  ns: number;
}

/** Rows of `wait_states`, calls by name. */
export async function waitsIn(store: Store): Promise<Wait[]> {
  return store.rows<Wait>(`
    SELECT w.kind, w.rank, s.call, w.cause_rank AS cause, l.call AS late, w.calls, w.waiting_ns AS ns
      FROM wait_states w JOIN states s USING (state) JOIN states l ON l.state = w.cause_state
     ORDER BY w.rank, w.state, w.cause_rank`);
}

export interface Counts extends Record<string, unknown> {
  communicator: number;
  members: number;
  calls: number;
  executions: number;
  complete: number;
  unmatched: number;
}

export async function countsIn(store: Store): Promise<Counts[]> {
  return store.rows<Counts>("FROM collective_counts ORDER BY communicator");
}
