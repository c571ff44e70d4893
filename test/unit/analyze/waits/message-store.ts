import { matchMessages } from "../../../../src/analyze/waits/match-messages.ts";
import { findMessageWaits } from "../../../../src/analyze/waits/message-waits.ts";
import { ANALYSIS_TABLES } from "../../../../src/analyze/schema.ts";
import { BASE_TABLES, BASE_VIEWS } from "../../../../src/trace/schema.ts";
import { Store } from "../../../../src/trace/store.ts";

/** States of the stores below by name; numbers are their places. */
const STATES = [
  ["Send", "send"],
  ["Bsend", "send"],
  ["Recv", "receive"],
  ["Isend", "isend"],
  ["Irecv", "ireceive"],
  ["Wait", "wait"],
  ["Waitall", "wait"],
  ["Test", "test"],
  ["Probe", "probe"],
  ["Sendrecv", "sendrecv"],
  ["Startall", "start"],
  ["Ibarrier", "icollective"],
] as const;
type Name = (typeof STATES)[number][0];

/** A call by name, entry and exit in ns; a message's partner and tag; the thread. */
export type MessageCall = readonly [
  name: Name,
  start: number,
  end: number,
  peer?: number,
  tag?: number,
  thread?: number,
];

/** A transfer: exits of the starting and the completing call; the completing call, and how long it waited; partner, tag, side. */
export interface Transfer {
  rank: number;
  start: Name;
  posted: number;
  wait: Name;
  completed: number;
  waited: number;
  peer: number;
  tag: number;
  receive: 0 | 1;
  outcome?: number;
}

export const stateOf = (name: Name): number => STATES.findIndex(([one]) => one === name);

/** A store with the calls of each rank on one communicator. */
export async function messageStore(
  ranks: readonly (readonly MessageCall[])[],
  transfers: readonly Transfer[] = [],
  more = "",
): Promise<Store> {
  const store = await Store.open(":memory:", { threads: 1 });
  await store.execute(BASE_TABLES + BASE_VIEWS + ANALYSIS_TABLES);
  const states = STATES.map(
    ([call, category], i) => `(${i}, 'MPI_${call}', '${category}', 0, ${i}, -1)`,
  );
  await store.execute(`
    INSERT INTO states VALUES ${states.join(", ")};
    INSERT INTO communicators VALUES (0, ${ranks.length}, 0, [${ranks.map((_, rank) => rank).join(", ")}], 0);`);
  for (const [rank, calls] of ranks.entries()) {
    const rows = calls.map(
      ([name, start, end, peer = -1, tag = -1, thread = 0]) =>
        `(${rank}, ${thread}, ${stateOf(name)}, -1, 0, ${start}, ${end}, 8, 0, ${peer}, 0, ${tag}, 0, 0, -1)`,
    );
    await store.execute(`
      INSERT INTO ranks VALUES (${rank}, 'host', ${rank}, 'program', 1, 0, 100000, true, 0, 0, 0, 0, 0, 0);
      INSERT INTO irregular_calls VALUES ${rows.join(", ")};`);
  }
  const rows = transfers.map(
    (one) =>
      `(${one.rank}, 0, ${stateOf(one.start)}, ${one.posted}, ${one.completed}, ${one.waited}, 8, ${one.peer}, 0, ${one.tag}, 0, ${stateOf(one.wait)}, ${one.outcome ?? 0}, ${one.receive})`,
  );
  if (rows.length > 0) await store.execute(`INSERT INTO transfers VALUES ${rows.join(", ")}`);
  if (more) await store.execute(more);
  return store;
}

/** Matches and finds waits: pairs "SENDER@START > RECEIVER@POSTED" and wait states, in order. */
export async function messagesOf(store: Store): Promise<{ pairs: string[]; waits: unknown[][] }> {
  await matchMessages(store);
  await findMessageWaits(store);
  const pairs = await store.rows<{ pair: string }>(`
    SELECT send_rank || '@' || send_start_ns || ' > ' || receive_rank || '@' || receive_posted_ns AS pair
      FROM messages ORDER BY send_rank, send_start_ns, tag`);
  const waits = await store.rows(`
    SELECT kind, rank, replace(s.call, 'MPI_', '') AS call, cause_rank, coalesce(replace(c.call, 'MPI_', ''), '') AS cause, calls, waiting_ns
      FROM wait_states w JOIN states s USING (state) LEFT JOIN states c ON c.state = cause_state
     ORDER BY kind, rank, call, cause_rank`);
  return { pairs: pairs.map(({ pair }) => pair), waits: waits.map((row) => Object.values(row)) };
}
