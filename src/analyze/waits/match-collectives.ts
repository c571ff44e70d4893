import type { Store } from "../../trace/store.ts";
import { COLLECTIVE_CALLS } from "./collective-calls.ts";
import { anchorCalls } from "./anchored-collectives.ts";
import { countAgain, dropImplausible, findUnseen } from "./unseen-collectives.ts";

/** Above so many recorded collective calls, those behind left out ones stay without a number: it would take a minute and more. */
const MOST_COUNTED_AGAIN = 20_000_000;

/**
 * Which calls of different ranks are one execution of a collective.
 *
 * All members call the collectives of a communicator in the same order (MPI-4.0, chapter 6), and the same function at each place;
 * so the k-th call of a function on one member goes with the k-th of that function on all others. Counting each function by itself
 * has the advantage that where calls of one were left out to save time, all others can still be counted.
 *
 * A call is numbered as long as no call of its function can be missing before it on its rank: up to the first gap of a thread that
 * left out calls of this function, and up to the first damage. Behind gaps counting begins again where that is safe, see
 * unseen-collectives.ts. What is not numbered, lies on an intercommunicator, or lacks a partner on any member (killed, no trace) is
 * `unmatched`. Threads of a rank share one count, in the order of entry.
 *
 * Reads `calls`, `states`, `communicators`, `gaps`, `sampled_out`, `ranks`. Writes `collective_counts`, and temporary
 * - `collective_states`(state, call, pattern, must, non_blocking): states of collectives, see collective-calls.ts
 * - `collective_calls`(communicator, call, k, rank, thread, state, start_ns, end_ns, peer, surely): the numbered calls; `call` as in
 *   `collective_states`, k grows with time within communicator and call; `surely`: it cannot end before those it waits for have come
 * - `collective_executions`(communicator, call, k, complete, first_end_ns, last_ns, last, epoch): one row per execution. complete:
 *   all members are known; first_end_ns: exit of the first one; last_ns: entry of the last one; last: its rank * 2^32 + its state
 *   (of equal entries that of the lowest rank); epoch: 0 counted from the start of the run, else since counting began again
 *
 * @param mostCountedAgain with more recorded collective calls, none is counted behind gaps
 * @returns whether there are executions
 */
export async function matchCollectives(
  store: Store,
  mostCountedAgain = MOST_COUNTED_AGAIN,
): Promise<boolean> {
  await store.execute(STATES);
  const unseen = await findUnseen(store);
  await store.execute(RECORDS);
  const again = unseen && (await recordedCalls(store)) <= mostCountedAgain;
  if (unseen) await countAgain(store, again);
  await store.execute(`CREATE OR REPLACE TEMP TABLE collective_calls AS ${numberedCalls("true")}`);
  await store.execute(
    `CREATE OR REPLACE TEMP TABLE collective_executions AS ${executionsOf("true")}`,
  );
  if (again) {
    await dropImplausible(store);
    await countBetween(store);
  }
  await store.execute(COUNTS);
  const row = await store.row<{ n: number }>(
    "SELECT count(*) AS n FROM collective_executions WHERE complete",
  );
  return row!.n > 0;
}

async function recordedCalls(store: Store): Promise<number> {
  const row = await store.row<{ n: number }>("SELECT count(*) AS n FROM collective_records");
  return row!.n;
}

/** Numbers the calls that lie between executions known by now, instead of from the start of the run. */
async function countBetween(store: Store): Promise<void> {
  if (!(await anchorCalls(store))) return;
  const theirs = "(communicator, call) IN (FROM anchored_functions)";
  await store.execute(`
    DELETE FROM collective_calls WHERE ${theirs};
    DELETE FROM collective_executions WHERE ${theirs};
    INSERT INTO collective_calls BY NAME ${numberedCalls(theirs)}
    INSERT INTO collective_executions BY NAME ${executionsOf(theirs)}
    DROP TABLE anchored_functions;`);
}

/** Grows with the entry of a call in table `of`; of equal entries the lowest rank's is the largest. */
export function lateness(of: string): string {
  return `${of}.start_ns::HUGEINT * 4294967296 + (4294967295 - ${of}.rank)`;
}

/** Rank and state of a call as one number. */
export function named(of: string): string {
  return `${of}.rank::BIGINT * 4294967296 + ${of}.state`;
}

const listed = COLLECTIVE_CALLS.map(
  ({ call, pattern, must, nonBlocking }, i) =>
    `(${i}::SMALLINT, '${call}', '${pattern}', ${must}, ${nonBlocking})`,
).join(", ");

const STATES = `
  CREATE OR REPLACE TEMP TABLE collective_states AS
    SELECT s.state, l.number AS call, l.pattern, l.must, l.non_blocking
      FROM states s JOIN (VALUES ${listed}) l(number, call, pattern, must, non_blocking) USING (call);`;

/** MPI_Finalize is collective over all ranks, and its record names no communicator. */
const WORLD = `(SELECT min(communicator) FROM communicators
                 WHERE ordinal = 0 AND remote_size = 0 AND size = (SELECT value::INTEGER FROM meta WHERE key = 'world_size')
                   AND members = range(size))`;

const RECORDS = `
  CREATE OR REPLACE TEMP TABLE collective_records AS
    SELECT coalesce(nullif(c.communicator, -1), ${WORLD}) AS communicator, s.call, c.rank, c.thread, c.state, c.start_ns, c.end_ns,
           c.peer, s.must AND (s.pattern = 'barrier' OR c.bytes > 0) AS surely, 0::BIGINT AS epoch, true AS known
      FROM calls c JOIN collective_states s USING (state);`;

/** Query of the calls in `collective_records` that have a known number. */
const numberedCalls = (where: string): string => `
    SELECT r.* EXCLUDE (known, epoch),
           r.epoch * 4294967296 + row_number() OVER (PARTITION BY r.communicator, r.call, r.epoch, r.rank
                                                     ORDER BY r.start_ns, r.end_ns, r.thread) AS k
      FROM collective_records r JOIN communicators m USING (communicator)
     WHERE r.known AND m.size > 1 AND m.remote_size = 0 AND ${where};`;

/** Query of the executions that calls in `collective_calls` make up. */
const executionsOf = (where: string): string => `
    SELECT x.* EXCLUDE (members), x.members = m.size AS complete, k // 4294967296 AS epoch
      FROM (SELECT communicator, call, k, count(*) AS members, min(end_ns) AS first_end_ns, max(start_ns) AS last_ns,
                   arg_max(${named("c")}, ${lateness("c")}) AS last
              FROM collective_calls c WHERE ${where} GROUP BY communicator, call, k) x
      JOIN communicators m USING (communicator);`;

const COUNTS = `
  INSERT INTO collective_counts
    WITH found AS (SELECT communicator, count(*) AS executions, count(*) FILTER (complete) AS complete
                     FROM collective_executions GROUP BY communicator),
    recorded AS (SELECT communicator, count(*) AS calls FROM collective_records GROUP BY communicator)
    SELECT m.communicator, m.size + m.remote_size, r.calls, coalesce(f.executions, 0), coalesce(f.complete, 0),
           r.calls - coalesce(f.complete, 0) * m.size
      FROM recorded r JOIN communicators m USING (communicator) LEFT JOIN found f USING (communicator)
     WHERE m.size + m.remote_size > 1 ORDER BY m.communicator;
  DROP TABLE collective_records; DROP TABLE collective_gaps; DROP TABLE IF EXISTS synchronising;`;
