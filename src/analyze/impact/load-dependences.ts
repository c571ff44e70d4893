import type { Store } from "../../trace/store.ts";
import { readColumns } from "../columns.ts";
import { type Dependences, listsOf } from "./dependences.ts";

/**
 * What waits for what in an ingested run: messages bind their receivers, and senders that were seen to wait for them; collectives bind their
 * members as docs/wait-states.md says. Calls left out are time of the thread between those before and after them.
 *
 * Reads `calls`, `ranks`, `transfers`, `messages`, and temporary `collective_calls`, `collective_executions`, `collective_states`.
 * Writes temporary `numbered_calls`(call, rank, thread, start_ns, end_ns): which of the result's calls is which.
 */
export async function loadDependences(store: Store): Promise<Dependences> {
  await store.execute(NUMBERED + MEMBERS + LATE_RECEIVERS + MESSAGES);
  const [enter, exit] = await readColumns(
    store,
    "SELECT start_ns::DOUBLE, end_ns::DOUBLE FROM numbered_calls ORDER BY call",
  );
  const [counts, begins, ends] = await readColumns(store, LANES);
  const laneStarts = new Int32Array(counts!.length + 1);
  for (const [lane, count] of counts!.entries()) laneStarts[lane + 1] = laneStarts[lane]! + count;
  const sources = await readColumns(store, `${SOURCES} ORDER BY ALL`);
  const waits = await readColumns(store, `${WAITS} ORDER BY ALL`);
  const groups = sources[1]!.reduce((most, group) => Math.max(most, group + 1), 0);
  await store.execute("DROP TABLE members; DROP TABLE message_groups; DROP VIEW late_receivers");
  return {
    laneStarts,
    laneBegins: begins!,
    laneEnds: ends!,
    enter: enter!,
    exit: exit!,
    sourceOf: listsOf(enter!.length, sources[0]!, sources[1]!),
    waitsFor: listsOf(enter!.length, waits[0]!, waits[1]!),
    groups,
  };
}

const NUMBERED = `
  CREATE OR REPLACE TEMP TABLE numbered_calls AS
    SELECT (row_number() OVER (ORDER BY rank, thread, start_ns, end_ns) - 1)::INTEGER AS call, rank, thread, start_ns, end_ns
      FROM calls;`;

/** Calls of each lane, its begin and its end. The first thread's are the rank's, those of others reach from call to call. */
const LANES = `
  SELECT count(*)::DOUBLE, min(if(c.thread = 0, least(r.init_ns, c.start_ns), c.start_ns))::DOUBLE,
         max(if(c.thread = 0, greatest(r.end_ns, c.end_ns), c.end_ns))::DOUBLE
    FROM numbered_calls c JOIN ranks r USING (rank) GROUP BY c.rank, c.thread ORDER BY c.rank, c.thread`;

/** Members of collectives of which all members are known, with the number of their call and of their group. */
const MEMBERS = `
  CREATE OR REPLACE TEMP TABLE members AS
    WITH groups AS (
      SELECT communicator, call, k, last_ns, (row_number() OVER (ORDER BY communicator, call, k) - 1)::INTEGER AS "group"
        FROM collective_executions WHERE complete)
    SELECT n.call, g."group", g.last_ns, s.pattern, s.non_blocking, c.rank, c.thread, c.state, c.end_ns, c.surely, c.rank = c.peer AS root
      FROM collective_calls c JOIN groups g USING (communicator, call, k)
      JOIN collective_states s ON s.state = c.state AND s.pattern <> 'prefix'
      JOIN numbered_calls n ON n.rank = c.rank AND n.thread = c.thread AND n.start_ns = c.start_ns AND n.end_ns = c.end_ns;`;

/**
 * Rows (source, waiter) of calls, with the number of their group: a receive, or what completes it, waits for the send; and a send, or what
 * completes it, for the receive where it was seen to: it began before the receive was posted and ended after.
 */
const MESSAGES = `
  CREATE OR REPLACE TEMP TABLE message_groups AS
    WITH pairs AS (
      SELECT s.call AS source, w.call AS waiter
        FROM messages m
        JOIN numbered_calls s ON s.rank = m.send_rank AND s.thread = m.send_thread AND s.start_ns = m.send_start_ns AND s.end_ns = m.send_end_ns
        JOIN numbered_calls w ON w.rank = m.receive_rank AND w.thread = m.receive_wait_thread AND w.end_ns = m.receive_end_ns
      UNION ALL
      SELECT s.call, w.call
        FROM late_receivers m
        JOIN numbered_calls s ON s.rank = m.receive_rank AND s.thread = m.receive_thread AND s.start_ns = m.receive_posted_ns
        JOIN numbered_calls w ON w.rank = m.send_rank AND w.thread = m.send_wait_thread AND w.end_ns = m.send_done_ns
      UNION ALL
      SELECT s.call, w.call
        FROM late_receivers m
        JOIN numbered_calls s ON s.rank = m.receive_rank AND s.thread = m.receive_thread AND s.end_ns = m.receive_posted_ns
        JOIN numbered_calls w ON w.rank = m.send_rank AND w.thread = m.send_wait_thread AND w.end_ns = m.send_done_ns)
    SELECT source, waiter,
           (row_number() OVER (ORDER BY source, waiter) - 1 + (SELECT count(DISTINCT "group") FROM members))::INTEGER AS "group"
      FROM pairs;`;

const LATE_RECEIVERS = `
  CREATE OR REPLACE TEMP VIEW late_receivers AS
    FROM messages WHERE receive_posted_ns > send_wait_ns AND send_done_ns > receive_posted_ns
     AND send_state NOT IN (SELECT state FROM states WHERE call IN ('MPI_Bsend', 'MPI_Ibsend'));`;

/** Rows (call, group). */
const SOURCES = `
  SELECT call, "group" FROM members WHERE pattern <> '1-to-n' OR root
  UNION ALL
  SELECT source, "group" FROM message_groups`;

const waiting =
  "CASE m.pattern WHEN '1-to-n' THEN NOT m.root WHEN 'n-to-1' THEN m.root ELSE true END";

/** Of a non-blocking collective the call waits that completes its request. */
const WAITS = `
  SELECT m.call, m."group" FROM members m WHERE NOT m.non_blocking AND ${waiting} AND (m.surely OR m.end_ns >= m.last_ns)
  UNION ALL
  SELECT n.call, m."group"
    FROM members m
    JOIN transfers t ON t.rank = m.rank AND t.thread = m.thread AND t.start_state = m.state AND t.posted_ns = m.end_ns
    JOIN numbered_calls n ON n.rank = m.rank AND n.thread = t.wait_thread AND n.end_ns = t.completed_ns
   WHERE m.non_blocking AND ${waiting} AND (m.surely OR n.end_ns >= m.last_ns)
  UNION ALL
  SELECT waiter, "group" FROM message_groups`;
