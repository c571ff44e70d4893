import type { Store } from "../../trace/store.ts";
import { COLLECTIVE_CALLS } from "./collective-calls.ts";

/**
 * Which calls of different ranks are one execution of a collective.
 *
 * All members call the collectives of a communicator in the same order (MPI-4.0, chapter 6), and the same function at each place;
 * so the k-th call of a function on one member goes with the k-th of that function on all others. Counting each function by itself
 * has the advantage that where calls of one were left out to save time, all others can still be counted.
 *
 * A call is numbered as long as no call of its function can be missing before it on its rank: up to the first gap of a thread that
 * left out calls of this function, and up to the first damage. What is not numbered, lies on an intercommunicator, or lacks a
 * partner on any member (killed, no trace) is `unmatched`. Threads of a rank share one count, in the order of entry.
 *
 * Reads `calls`, `states`, `communicators`, `gaps`, `sampled_out`, `ranks`. Writes `collective_counts`, and temporary
 * - `collective_states`(state, call, pattern, must, non_blocking): states of collectives, see collective-calls.ts
 * - `collective_calls`(communicator, call, k, rank, thread, state, start_ns, end_ns, peer, surely): the numbered calls; `call` as in
 *   `collective_states`, k from 1 within communicator and call; `surely`: it cannot end before those it waits for have come
 * - `collective_executions`(communicator, call, k, complete, last_ns, last): one row per execution. complete: all members are
 *   known; last_ns: entry of the last one; last: its rank * 2^32 + its state (of equal entries that of the lowest rank)
 *
 * @returns whether there are executions
 */
export async function matchCollectives(store: Store): Promise<boolean> {
  await store.execute(STATES);
  await store.execute(KNOWN_UNTIL);
  await store.execute(NUMBERED);
  await store.execute(EXECUTIONS);
  await store.execute(COUNTS);
  const row = await store.row<{ n: number }>(
    "SELECT count(*) AS n FROM collective_executions WHERE complete",
  );
  return row!.n > 0;
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

/**
 * Temporary `known_until`(rank, call, at_ns): calls of that function that a rank entered then or later have no known number. Only
 * ranks of which something is lost are searched for damage: there a call has no computation before it although its thread went on.
 */
const KNOWN_UNTIL = `
  CREATE OR REPLACE TEMP TABLE known_until AS
    WITH left_out AS (
      SELECT o.rank, o.thread, s.call FROM sampled_out o JOIN collective_states s ON s.state = o.state
      UNION
      SELECT o.rank, o.thread, s.call FROM sampled_out o, (SELECT DISTINCT call FROM collective_states) s WHERE o.state < 0),
    breaks AS (
      SELECT c.rank, c.thread, c.start_ns, any_value(s.category) AS category,
             row_number() OVER (PARTITION BY c.rank, c.thread ORDER BY c.start_ns) AS nth
        FROM calls c JOIN states s USING (state)
       WHERE c.edge < 0 AND c.rank IN (SELECT rank FROM ranks WHERE lost > 0)
       GROUP BY c.rank, c.thread, c.start_ns),
    damage AS (
      SELECT rank, start_ns FROM breaks b
       WHERE nth > 1 AND NOT EXISTS (FROM gaps g WHERE g.rank = b.rank AND g.thread = b.thread AND g.end_ns = b.start_ns)
      UNION ALL
      SELECT rank, start_ns FROM breaks WHERE nth = 1 AND thread = 0 AND category <> 'lifetime')
    SELECT rank, call, min(at_ns) AS at_ns
      FROM (SELECT g.rank, l.call, g.start_ns AS at_ns FROM gaps g JOIN left_out l USING (rank, thread)
            UNION ALL
            SELECT d.rank, s.call, d.start_ns FROM damage d, (SELECT DISTINCT call FROM collective_states) s)
     GROUP BY rank, call;`;

/** MPI_Finalize is collective over all ranks, and its record names no communicator. */
const WORLD = `(SELECT min(communicator) FROM communicators
                 WHERE ordinal = 0 AND remote_size = 0 AND size = (SELECT value::INTEGER FROM meta WHERE key = 'world_size')
                   AND members = range(size))`;

const NUMBERED = `
  CREATE OR REPLACE TEMP TABLE collective_records AS
    SELECT coalesce(nullif(c.communicator, -1), ${WORLD}) AS communicator, s.call, c.rank, c.thread, c.state, c.start_ns, c.end_ns,
           c.peer, s.must AND (s.pattern = 'barrier' OR c.bytes > 0) AS surely,
           c.start_ns < coalesce(u.at_ns, 9223372036854775807) AS known
      FROM calls c JOIN collective_states s USING (state)
      LEFT JOIN known_until u ON u.rank = c.rank AND u.call = s.call;
  CREATE OR REPLACE TEMP TABLE collective_calls AS
    SELECT r.* EXCLUDE (known),
           row_number() OVER (PARTITION BY r.communicator, r.call, r.rank ORDER BY r.start_ns, r.end_ns, r.thread)::INTEGER AS k
      FROM collective_records r JOIN communicators m USING (communicator)
     WHERE r.known AND m.size > 1 AND m.remote_size = 0;`;

const EXECUTIONS = `
  CREATE OR REPLACE TEMP TABLE collective_executions AS
    SELECT x.* EXCLUDE (members), x.members = m.size AS complete
      FROM (SELECT communicator, call, k, count(*) AS members, max(start_ns) AS last_ns,
                   arg_max(${named("c")}, ${lateness("c")}) AS last
              FROM collective_calls c GROUP BY communicator, call, k) x
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
  DROP TABLE collective_records; DROP TABLE known_until;`;
