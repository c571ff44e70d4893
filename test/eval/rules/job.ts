import { readColumns } from "../../../src/analyze/columns.ts";
import type { Store } from "../../../src/trace/store.ts";

export type Kind = "compute" | "communication" | "io";

/** Fragments of one kind by rank and start, in columns; times in ns. */
export interface Fragments {
  n: number;
  rank: Float64Array;
  start: Float64Array;
  end: Float64Array;
  /** Edge of a computation, state of a call. */
  snippet: Float64Array;
  /** Of calls; 0 for computations. */
  bytes: Float64Array;
  /** Of calls: partner, -1 none. */
  peer: Float64Array;
}

/** What published rules judge: the calls of a store. Times count from MPI_Init's exit. */
export interface Job extends Record<Kind, Fragments> {
  ranks: number;
  wallNs: number;
}

/** Reads thread 0 of every rank, as the analysis does. */
export async function readJob(store: Store): Promise<Job> {
  const { ranks, wall } = (await store.row<{ ranks: number; wall: number }>(
    "SELECT count(*) AS ranks, max(end_ns) AS wall FROM ranks",
  ))!;
  return {
    ranks,
    wallNs: wall,
    compute: await read(
      store,
      "start_ns - before_ns AS first, start_ns AS last, edge, 0 AS bytes, -1 AS peer",
      "true",
    ),
    communication: await read(
      store,
      "start_ns AS first, end_ns AS last, state, bytes, peer",
      "kind = 'communication'",
    ),
    io: await read(
      store,
      "start_ns AS first, end_ns AS last, state, bytes, file AS peer",
      "kind = 'io'",
    ),
  };
}

async function read(store: Store, columns: string, condition: string): Promise<Fragments> {
  const [rank, start, end, snippet, bytes, peer] = await readColumns(
    store,
    `SELECT rank, first::DOUBLE, last::DOUBLE, snippet, bytes::DOUBLE, peer FROM (
       SELECT rank, ${columns.replace(/\b(edge|state)\b/, "$1 AS snippet")}
         FROM calls JOIN state_kinds USING (state) WHERE thread = 0 AND edge >= 0 AND ${condition})
      ORDER BY rank, first`,
  );
  return {
    n: rank!.length,
    rank: rank!,
    start: start!,
    end: end!,
    snippet: snippet!,
    bytes: bytes!,
    peer: peer!,
  };
}
