import type { Store } from "../../trace/store.ts";
import { WAIT_KINDS } from "./collective-calls.ts";
import { matchCollectives } from "./match-collectives.ts";

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
    await store.execute(LAST);
    await store.execute(AWAITED);
    await store.execute(WAITS);
  }
  await store.execute(RESULTS);
}

/** Grows with the entry of call `x`; of equal entries the lowest rank's is the largest. */
const LATENESS = "x.start_ns::HUGEINT * 4294967296 + (4294967295 - x.rank)";
/** Rank and state of call `x` as one number. */
const WHO = "x.rank::BIGINT * 4294967296 + x.state";

/** Temporary `collective_last`: who came last to each execution. */
const LAST = `
  CREATE OR REPLACE TEMP TABLE collective_last AS
    SELECT x.communicator, x.call, x.k, max(x.start_ns) AS last_ns, arg_max(${WHO}, ${LATENESS}) AS who
      FROM collective_executions x JOIN (SELECT DISTINCT call, pattern FROM collective_states) p ON p.call = x.call
     WHERE p.pattern IN ('barrier', 'n-to-n', 'n-to-1')
     GROUP BY x.communicator, x.call, x.k;`;

/**
 * Temporary `awaited`: calls that wait for another one, with that one's entry. A root is known by the peer of the call itself; a call
 * that failed has none. In a prefix operation a member waits for those before it in the communicator's order.
 */
const AWAITED = `
  CREATE OR REPLACE TEMP TABLE awaited AS
    WITH patterns AS (SELECT DISTINCT call, pattern FROM collective_states),
    positions AS (SELECT communicator, unnest(members) AS rank, generate_subscripts(members, 1) AS position FROM communicators),
    prefixes AS (
      SELECT x.*, max(x.start_ns) OVER before AS last_ns, arg_max(${WHO}, ${LATENESS}) OVER before AS who
        FROM collective_executions x JOIN patterns p ON p.call = x.call AND p.pattern = 'prefix'
        JOIN positions o ON o.communicator = x.communicator AND o.rank = x.rank
      WINDOW before AS (PARTITION BY x.communicator, x.call, x.k ORDER BY o.position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
    SELECT x.rank, x.thread, x.state, x.bytes, x.start_ns, x.end_ns, l.last_ns, l.who
      FROM collective_executions x JOIN patterns p ON p.call = x.call
      JOIN collective_last l ON l.communicator = x.communicator AND l.call = x.call AND l.k = x.k
     WHERE p.pattern IN ('barrier', 'n-to-n') OR (p.pattern = 'n-to-1' AND x.peer = x.rank)
    UNION ALL
    SELECT x.rank, x.thread, x.state, x.bytes, x.start_ns, x.end_ns, r.start_ns, r.rank::BIGINT * 4294967296 + r.state
      FROM collective_executions x JOIN patterns p ON p.call = x.call AND p.pattern = '1-to-n'
      JOIN collective_executions r ON r.communicator = x.communicator AND r.call = x.call AND r.k = x.k AND r.rank = x.peer
     WHERE x.peer <> x.rank
    UNION ALL
    SELECT rank, thread, state, bytes, start_ns, end_ns, last_ns, who FROM prefixes WHERE who IS NOT NULL;
  DROP TABLE collective_last;`;

const kindOf = `CASE s.pattern ${Object.entries(WAIT_KINDS)
  .map(([pattern, kind]) => `WHEN '${pattern}' THEN '${kind}'`)
  .join(" ")} END`;

/** Whether a call waits by what it does, not only if the library wants it. */
const surely = "s.must AND (s.pattern = 'barrier' OR a.bytes > 0)";

const WAITS = `
  INSERT INTO collective_waits
    WITH blocking AS (
      SELECT a.rank, a.thread, a.state, a.start_ns, a.end_ns, a.last_ns, a.who, ${kindOf} AS kind, ${surely} AS surely
        FROM awaited a JOIN collective_states s USING (state) WHERE NOT s.non_blocking AND a.last_ns > a.start_ns),
    completed AS (
      SELECT t.rank, t.wait_thread AS thread, t.wait_state AS state, t.completed_ns - t.waited_ns AS start_ns, t.completed_ns AS end_ns,
             a.last_ns, a.who, ${kindOf} AS kind, ${surely} AS surely
        FROM awaited a JOIN collective_states s ON s.state = a.state AND s.non_blocking
        JOIN transfers t ON t.rank = a.rank AND t.thread = a.thread AND t.start_state = a.state AND t.posted_ns = a.end_ns
       WHERE t.outcome = 0 AND t.waited_ns > 0 AND a.last_ns > t.completed_ns - t.waited_ns),
    longest AS (
      FROM completed WHERE surely OR end_ns >= last_ns
      QUALIFY row_number() OVER (PARTITION BY rank, thread, end_ns ORDER BY least(end_ns, last_ns) - start_ns DESC, last_ns, who, kind) = 1)
    SELECT rank, thread, state, start_ns, end_ns, least(end_ns, last_ns) - start_ns, kind, who // 4294967296, who % 4294967296
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
