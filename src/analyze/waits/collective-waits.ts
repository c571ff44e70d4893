import type { Store } from "../../trace/store.ts";
import { WAIT_KINDS } from "./collective-calls.ts";
import { lateness, matchCollectives, named } from "./match-collectives.ts";

/**
 * Pass "collectives". Matches collectives, and names the waits in them: how long each call had to wait until the last of those ranks
 * that it waits for had come, and which one that was.
 *
 * A wait begins when the call is entered and ends when the last one comes, or when the call ends. Of a non-blocking collective it
 * lies in the call that completes the request; where one call completes several, the longest of their waits counts.
 * Where it is up to the MPI library whether ranks wait at all, a call that ended before the last one had come did not wait for it.
 *
 * Reads `calls`, `transfers`, `states`, `communicators`, `gaps`, `sampled_out`, `ranks`; adds to `wait_states`, writes
 * `collective_counts` and temporary `collective_call_waits`(rank, thread, start_ns, end_ns, waiting_ns, kind, cause_rank, state,
 * cause_state): how much of each call was waiting, only waits above 0, one row per call (start_ns of a call that completes: of its
 * part after the start).
 */
export async function findCollectiveWaits(store: Store): Promise<void> {
  await store.execute(CALL_WAITS);
  if (await matchCollectives(store)) {
    await store.execute(AWAITED);
    await store.execute(BLOCKING);
    const row = await store.row<{ any: boolean | null }>(
      'SELECT bool_or(non_blocking) AS "any" FROM collective_states',
    );
    if (row?.any === true) await store.execute(NON_BLOCKING);
    await store.execute("DROP VIEW awaited");
  }
  await store.execute(SUMS);
}

const CALL_WAITS = `
  CREATE OR REPLACE TEMP TABLE collective_call_waits(
    rank INTEGER, thread SMALLINT, start_ns BIGINT, end_ns BIGINT, waiting_ns BIGINT, kind VARCHAR, cause_rank INTEGER,
    state INTEGER, cause_state INTEGER)`;

/**
 * Temporary view `awaited`: calls that wait for another one, with that one's entry. A root is known by the peer of the call itself; a call
 * that failed has none. In a prefix operation a member waits for those before it in the communicator's order.
 */
const AWAITED = `
  CREATE OR REPLACE TEMP VIEW awaited AS
    WITH patterns AS (SELECT DISTINCT call, pattern FROM collective_states),
    positions AS (SELECT communicator, unnest(members) AS rank, generate_subscripts(members, 1) AS position FROM communicators),
    prefixes AS (
      SELECT c.*, max(c.start_ns) OVER before AS last_ns, arg_max(${named("c")}, ${lateness("c")}) OVER before AS last
        FROM collective_calls c JOIN patterns p ON p.call = c.call AND p.pattern = 'prefix'
        JOIN collective_executions x ON x.communicator = c.communicator AND x.call = c.call AND x.k = c.k AND x.complete
        JOIN positions o ON o.communicator = c.communicator AND o.rank = c.rank
      WINDOW before AS (PARTITION BY c.communicator, c.call, c.k ORDER BY o.position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
    SELECT c.rank, c.thread, c.state, c.surely, c.start_ns, c.end_ns, x.last_ns, x.last
      FROM collective_calls c JOIN patterns p ON p.call = c.call
      JOIN collective_executions x ON x.communicator = c.communicator AND x.call = c.call AND x.k = c.k AND x.complete
     WHERE p.pattern IN ('barrier', 'n-to-n') OR (p.pattern = 'n-to-1' AND c.peer = c.rank)
    UNION ALL
    SELECT c.rank, c.thread, c.state, c.surely, c.start_ns, c.end_ns, r.start_ns, ${named("r")}
      FROM collective_calls c JOIN patterns p ON p.call = c.call AND p.pattern = '1-to-n'
      JOIN collective_executions x ON x.communicator = c.communicator AND x.call = c.call AND x.k = c.k AND x.complete
      JOIN collective_calls r ON r.communicator = c.communicator AND r.call = c.call AND r.k = c.k AND r.rank = c.peer
     WHERE c.peer <> c.rank
    UNION ALL
    SELECT rank, thread, state, surely, start_ns, end_ns, last_ns, last FROM prefixes WHERE last IS NOT NULL;`;

const kindOf = `CASE s.pattern ${Object.entries(WAIT_KINDS)
  .map(([pattern, kind]) => `WHEN '${pattern}' THEN '${kind}'`)
  .join(" ")} END`;

/** Rows of collective_call_waits from calls with entry, exit, and what they wait for. */
const insert = (from: string): string => `
  INSERT INTO collective_call_waits
    SELECT rank, thread, start_ns, end_ns, least(end_ns, last_ns) - start_ns, kind, last // 4294967296, state, last % 4294967296
      FROM (${from}) WHERE last_ns > start_ns AND end_ns > start_ns;`;

const BLOCKING = insert(`
  SELECT a.*, ${kindOf} AS kind FROM awaited a JOIN collective_states s USING (state)
   WHERE NOT s.non_blocking AND (a.surely OR a.end_ns >= a.last_ns)`);

const NON_BLOCKING = insert(`
  SELECT t.rank, t.wait_thread AS thread, t.wait_state AS state, t.completed_ns - t.waited_ns AS start_ns, t.completed_ns AS end_ns,
         a.last_ns, a.last, ${kindOf} AS kind
    FROM awaited a JOIN collective_states s ON s.state = a.state AND s.non_blocking
    JOIN transfers t ON t.rank = a.rank AND t.thread = a.thread AND t.start_state = a.state AND t.posted_ns = a.end_ns
   WHERE t.outcome = 0 AND t.waited_ns > 0 AND (a.surely OR t.completed_ns >= a.last_ns)
 QUALIFY row_number() OVER (PARTITION BY t.rank, t.wait_thread, t.completed_ns
                            ORDER BY least(t.completed_ns, a.last_ns) - t.completed_ns + t.waited_ns DESC, a.last_ns, a.last, kind) = 1`);

const SUMS = `
  INSERT INTO wait_states
    SELECT kind, rank, state, cause_rank, cause_state, count(*), sum(waiting_ns)::BIGINT
      FROM collective_call_waits GROUP BY kind, rank, state, cause_rank, cause_state ORDER BY ALL;`;
