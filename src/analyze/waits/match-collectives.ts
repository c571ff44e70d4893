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
 * - `collective_executions`(communicator, call, k, rank, thread, state, start_ns, end_ns, peer, bytes): members of executions
 *   of which all members are known; `call` as in `collective_states`, k from 1 within communicator and call
 * - `collective_states`(state, call, pattern, must, non_blocking): states of collectives, see collective-calls.ts
 *
 * @returns whether there are executions
 */
export async function matchCollectives(store: Store): Promise<boolean> {
  await store.execute(STATES);
  await store.execute(KNOWN_UNTIL);
  await store.execute(NUMBERED);
  await store.execute(COUNTS);
  const row = await store.row<{ n: number }>("SELECT count(*) AS n FROM collective_executions");
  return row!.n > 0;
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
           c.peer, c.bytes, c.start_ns < coalesce(u.at_ns, 9223372036854775807) AS known
      FROM calls c JOIN collective_states s USING (state)
      LEFT JOIN known_until u ON u.rank = c.rank AND u.call = s.call;
  CREATE OR REPLACE TEMP TABLE collective_numbers AS
    SELECT r.* EXCLUDE (known), m.size,
           row_number() OVER (PARTITION BY r.communicator, r.call, r.rank ORDER BY r.start_ns, r.end_ns, r.thread)::INTEGER AS k
      FROM collective_records r JOIN communicators m USING (communicator)
     WHERE r.known AND m.size > 1 AND m.remote_size = 0;
  CREATE OR REPLACE TEMP TABLE collective_sizes AS
    SELECT communicator, call, k, count(*) = any_value(size) AS complete FROM collective_numbers GROUP BY communicator, call, k;
  CREATE OR REPLACE TEMP TABLE collective_executions AS
    SELECT n.* EXCLUDE (size) FROM collective_numbers n JOIN collective_sizes e USING (communicator, call, k) WHERE e.complete;
  DROP TABLE collective_numbers;`;

const COUNTS = `
  INSERT INTO collective_counts
    WITH found AS (SELECT communicator, count(*) AS executions, count(*) FILTER (complete) AS complete
                     FROM collective_sizes GROUP BY communicator),
    recorded AS (SELECT communicator, count(*) AS calls FROM collective_records GROUP BY communicator)
    SELECT m.communicator, m.size + m.remote_size, r.calls, coalesce(f.executions, 0), coalesce(f.complete, 0),
           r.calls - coalesce(f.complete, 0) * m.size
      FROM recorded r JOIN communicators m USING (communicator) LEFT JOIN found f USING (communicator)
     WHERE m.size + m.remote_size > 1 ORDER BY m.communicator;
  DROP TABLE collective_sizes; DROP TABLE collective_records; DROP TABLE known_until;`;
