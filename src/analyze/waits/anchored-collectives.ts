import type { Store } from "../../trace/store.ts";

/** Earlier than anything. */
const EVER = "-9223372036854775807";

/**
 * Counting of functions in which not everybody waits for everybody (bcast, reduce, scan, non-blocking ones, ...) begins again behind
 * left out calls at an execution of another function that is known on all members: all of them make the same collectives behind it,
 * in the same order. Behind each gap the first execution on the communicator is taken that the rank entered after the gap
 * and in which everybody waits for everybody.
 *
 * Functions of which a rank left out calls on several threads are not counted again: gaps can overlap then.
 *
 * Reads `collective_gaps`, `collective_calls`, `collective_executions`, `synchronising`; changes `epoch` and `known` in
 * `collective_records`, see countAgain. Writes temporary `anchored_functions`(communicator, call): those changed.
 *
 * @returns whether there are such functions
 */
export async function anchorCalls(store: Store): Promise<boolean> {
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE anchored_functions AS
      SELECT DISTINCT r.communicator, r.call FROM collective_records r
       WHERE r.call IN (SELECT call FROM collective_gaps)
         AND r.call NOT IN (SELECT call FROM collective_gaps GROUP BY call, rank HAVING count(DISTINCT thread) > 1)
         AND (r.communicator, r.call) NOT IN (FROM synchronising);`);
  const row = await store.row<{ n: number }>("SELECT count(*) AS n FROM anchored_functions");
  if (row!.n === 0) return false;
  await store.execute(ANCHORS);
  await store.execute(RECORDS);
  return true;
}

/** Temporary `anchors`(communicator, call, epoch, rank, at_ns): when counting of that function begins again on that rank. */
const ANCHORS = `
  CREATE OR REPLACE TEMP TABLE anchors AS
    WITH members AS (SELECT communicator, unnest(members) AS rank FROM communicators),
    fixed AS (
      SELECT c.communicator, c.call, c.k, c.rank, c.start_ns, c.end_ns, x.last_ns
        FROM collective_executions x SEMI JOIN synchronising y ON y.communicator = x.communicator AND y.call = x.call
        JOIN collective_calls c ON c.communicator = x.communicator AND c.call = x.call AND c.k = x.k
       WHERE x.complete AND x.first_end_ns >= x.last_ns),
    gap_ends AS (
      SELECT f.communicator, f.call, g.rank, g.end_ns
        FROM anchored_functions f JOIN members m ON m.communicator = f.communicator
        JOIN collective_gaps g ON g.rank = m.rank AND g.call = f.call),
    chosen AS (
      SELECT DISTINCT g.communicator, g.call, c.call AS fixed_call, c.k, c.last_ns
        FROM gap_ends g ASOF JOIN fixed c ON c.communicator = g.communicator AND c.rank = g.rank AND g.end_ns <= c.start_ns),
    numbered AS (
      SELECT *, row_number() OVER (PARTITION BY communicator, call ORDER BY last_ns, fixed_call, k) AS epoch FROM chosen)
    SELECT n.communicator, n.call, n.epoch, c.rank, c.end_ns AS at_ns
      FROM numbered n JOIN fixed c ON c.communicator = n.communicator AND c.call = n.fixed_call AND c.k = n.k;`;

const RECORDS = `
  CREATE OR REPLACE TEMP TABLE anchored_records AS
    SELECT r.* EXCLUDE (epoch, known), coalesce(a.epoch, 0) AS epoch,
           g.start_ns IS NULL OR g.start_ns < coalesce(a.at_ns, ${EVER}) AS known
      FROM (FROM collective_records SEMI JOIN anchored_functions USING (communicator, call)) r
      ASOF LEFT JOIN anchors a ON a.communicator = r.communicator AND a.call = r.call AND a.rank = r.rank AND r.start_ns >= a.at_ns
      ASOF LEFT JOIN collective_gaps g ON g.rank = r.rank AND g.call = r.call AND r.start_ns >= g.start_ns;
  DELETE FROM collective_records WHERE (communicator, call) IN (FROM anchored_functions);
  INSERT INTO collective_records BY NAME FROM anchored_records;
  DROP TABLE anchored_records; DROP TABLE anchors;`;
