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
 * `collective_counts` and temporary `collective_call_waits`(rank, thread, start_ns, end_ns, waiting_ns, kind, cause_rank): how much
 * of each call was waiting, only waits above 0, one row per call (start_ns of a call that completes: of its part after the start).
 */
export async function findCollectiveWaits(store: Store): Promise<void> {
  await store.execute(
    "CREATE OR REPLACE TEMP TABLE collective_waits(rank INTEGER, thread SMALLINT, state INTEGER, start_ns BIGINT, end_ns BIGINT, waiting_ns BIGINT, kind VARCHAR, cause_rank INTEGER, cause_state INTEGER)",
  );
  if (await matchCollectives(store)) {
    await store.execute(AWAITED);
    await store.execute(WAITS);
  }
  await store.execute(RESULTS);
}

/**
 * Temporary `awaited`: calls that wait for another one, with that one's entry. A root is known by the peer of the call itself; a call
 * that failed has none. In a prefix operation a member waits for those before it in the communicator's order.
 */
const AWAITED = `
  CREATE OR REPLACE TEMP TABLE awaited AS
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

const WAITS = `
  INSERT INTO collective_waits
    WITH blocking AS (
      SELECT a.*, ${kindOf} AS kind FROM awaited a JOIN collective_states s USING (state)
       WHERE NOT s.non_blocking AND a.last_ns > a.start_ns),
    completed AS (
      SELECT t.rank, t.wait_thread AS thread, t.wait_state AS state, a.surely, t.completed_ns - t.waited_ns AS start_ns,
             t.completed_ns AS end_ns, a.last_ns, a.last, ${kindOf} AS kind
        FROM awaited a JOIN collective_states s ON s.state = a.state AND s.non_blocking
        JOIN transfers t ON t.rank = a.rank AND t.thread = a.thread AND t.start_state = a.state AND t.posted_ns = a.end_ns
       WHERE t.outcome = 0 AND t.waited_ns > 0 AND a.last_ns > t.completed_ns - t.waited_ns),
    longest AS (
      FROM completed WHERE surely OR end_ns >= last_ns
      QUALIFY row_number() OVER (PARTITION BY rank, thread, end_ns ORDER BY least(end_ns, last_ns) - start_ns DESC, last_ns, last, kind) = 1)
    SELECT rank, thread, state, start_ns, end_ns, least(end_ns, last_ns) - start_ns, kind, last // 4294967296, last % 4294967296
      FROM (FROM blocking WHERE surely OR end_ns >= last_ns UNION ALL FROM longest)
     WHERE end_ns > start_ns;
  DROP TABLE awaited;`;

const RESULTS = `
  INSERT INTO wait_states
    SELECT kind, rank, state, cause_rank, cause_state, count(*), sum(waiting_ns)::BIGINT
      FROM collective_waits GROUP BY kind, rank, state, cause_rank, cause_state ORDER BY ALL;
  CREATE OR REPLACE TEMP TABLE collective_call_waits AS
    SELECT rank, thread, start_ns, end_ns, waiting_ns, kind, cause_rank FROM collective_waits;
  DROP TABLE collective_waits;`;
