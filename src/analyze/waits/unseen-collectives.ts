import type { Store } from "../../trace/store.ts";

/**
 * Where collective calls may be missing from the record, and where counting can begin again behind them.
 *
 * Counting begins again at a moment at which no member of the communicator is inside of a call of this function, seen or unseen. Where
 * everybody waits for everybody (barrier, allreduce, ...: never where data may be empty), all members have then left, and so entered,
 * equally many; so from there on the k-th of one goes with the k-th of the others again. That needs a common clock;
 * should it be wrong by more than the time between two calls, calls end before others of their execution begin, and what was counted
 * from there on is dropped (`dropImplausible`).
 */

/** Share of the executions since counting began again in which a call may end before the last has come. */
const MOST_EARLY = 0.01;
/** Later than anything. */
const NEVER = "9223372036854775807";

/**
 * Writes temporary `collective_gaps`(rank, thread, call, start_ns, end_ns): times in which this rank may have made calls of that function that
 * are not recorded. They are the gaps of threads that left out calls of this function at any time; and from damage on all the rest of
 * the run. Only ranks of which something is lost are searched for damage: there a call has no computation before it although
 * its thread went on.
 *
 * Reads `collective_states`, `sampled_out`, `gaps`, `ranks`, `calls`.
 *
 * @returns whether there are any
 */
export async function findUnseen(store: Store): Promise<boolean> {
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE collective_gaps AS
      WITH functions AS (SELECT DISTINCT call FROM collective_states),
      left_out AS (
        SELECT o.rank, o.thread, s.call FROM sampled_out o JOIN collective_states s ON s.state = o.state WHERE o.calls > 0
        UNION
        SELECT o.rank, o.thread, f.call FROM sampled_out o, functions f WHERE o.state < 0 AND o.calls > 0),
      breaks AS (
        SELECT c.rank, c.thread, c.start_ns, any_value(s.category) AS category,
               row_number() OVER (PARTITION BY c.rank, c.thread ORDER BY c.start_ns) AS nth
          FROM calls c JOIN states s USING (state)
         WHERE c.edge < 0 AND c.rank IN (SELECT rank FROM ranks WHERE lost > 0)
         GROUP BY c.rank, c.thread, c.start_ns),
      damage AS (
        SELECT rank, thread, start_ns FROM breaks b
         WHERE nth > 1 AND NOT EXISTS (FROM gaps g WHERE g.rank = b.rank AND g.thread = b.thread
                                                     AND g.end_ns = b.start_ns AND g.start_ns < g.end_ns)
        UNION ALL
        SELECT rank, thread, start_ns FROM breaks WHERE nth = 1 AND thread = 0 AND category <> 'lifetime')
      SELECT g.rank, g.thread, l.call, g.start_ns, if(g.end_ns > g.start_ns, g.end_ns, ${NEVER}) AS end_ns
        FROM gaps g JOIN left_out l USING (rank, thread)
      UNION ALL
      SELECT d.rank, d.thread, f.call, d.start_ns, ${NEVER} FROM damage d, functions f;`);
  const row = await store.row<{ n: number }>("SELECT count(*) AS n FROM collective_gaps");
  return row!.n > 0;
}

/**
 * Adds to `collective_records`: `epoch`, from 0, the stretch of its communicator and function in which a call is counted; and sets
 * `known` to whether no call can be missing between the beginning of this stretch and the call.
 *
 * Reads and replaces `collective_records`; reads `collective_gaps`, `collective_states`, `communicators`. Writes temporary
 * `synchronising`(communicator, call): where everybody waits for everybody.
 *
 * @param again false: everything is counted from the start of the run
 */
export async function countAgain(store: Store, again: boolean): Promise<void> {
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE synchronising AS
      SELECT r.communicator, r.call FROM collective_records r JOIN collective_states s USING (state)
       GROUP BY r.communicator, r.call
      HAVING bool_and(r.surely AND NOT s.non_blocking AND s.pattern IN ('barrier', 'n-to-n'));
    CREATE OR REPLACE TEMP TABLE counted_again AS
      WITH usable AS (FROM synchronising WHERE ${again} AND call IN (SELECT call FROM collective_gaps)),
      members AS (SELECT communicator, unnest(members) AS rank FROM communicators),
      unseen AS (
        SELECT u.communicator, u.call, g.start_ns, g.end_ns
          FROM usable u JOIN members m USING (communicator) JOIN collective_gaps g ON g.rank = m.rank AND g.call = u.call),
      moments AS (
        SELECT communicator, call, start_ns AS at_ns, 1 AS step, 0 AS closed FROM collective_records SEMI JOIN usable USING (communicator, call)
        UNION ALL
        SELECT communicator, call, end_ns, -1, 0 FROM collective_records SEMI JOIN usable USING (communicator, call)
        UNION ALL SELECT communicator, call, start_ns, 1, 0 FROM unseen
        UNION ALL SELECT communicator, call, end_ns, -1, 1 FROM unseen WHERE end_ns < ${NEVER}),
      course AS (
        SELECT communicator, call, at_ns, sum(step) OVER course AS inside, sum(closed) OVER course AS closed FROM moments
        WINDOW course AS (PARTITION BY communicator, call ORDER BY at_ns, step DESC ROWS UNBOUNDED PRECEDING))
      SELECT communicator, call, at_ns, row_number() OVER (PARTITION BY communicator, call ORDER BY at_ns) AS epoch
        FROM (SELECT communicator, call, min(at_ns) AS at_ns FROM course
               WHERE inside = 0 AND closed > 0 GROUP BY communicator, call, closed);
    CREATE OR REPLACE TEMP TABLE collective_records AS
      SELECT r.* EXCLUDE (known, epoch), coalesce(a.epoch, 0) AS epoch,
             g.start_ns IS NULL OR g.start_ns < coalesce(a.at_ns, -${NEVER}) AS known
        FROM collective_records r
        ASOF LEFT JOIN counted_again a ON a.communicator = r.communicator AND a.call = r.call AND r.start_ns > a.at_ns
        ASOF LEFT JOIN collective_gaps g ON g.rank = r.rank AND g.call = r.call AND r.start_ns >= g.start_ns;
    DROP TABLE counted_again;`);
}

/** Takes back what was counted from a wrong beginning on: such executions become incomplete. */
export async function dropImplausible(store: Store): Promise<void> {
  await store.execute(`
    UPDATE collective_executions SET complete = false WHERE (communicator, call, epoch) IN (
      SELECT (communicator, call, epoch) FROM collective_executions WHERE complete AND epoch > 0
       GROUP BY communicator, call, epoch
      HAVING count(*) FILTER (first_end_ns < last_ns) > ${MOST_EARLY} * count(*));`);
}
