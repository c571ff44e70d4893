import type { Store } from "../../trace/store.ts";

/**
 * Waits in point-to-point communication, after the patterns of Wolf & Mohr (J. Systems Architecture 49, 2003) and Geimer et al. ("The
 * Scalasca performance toolset architecture", Concurrency Computat. Pract. Exper. 22, 2010).
 *
 * - Late sender: a receive, the wait of one, or a probe began before the send did. It waited from its own entry to that of the send.
 * - Late receiver: a send, or the wait of one, lasted until the receive was posted. It waited from its own entry until then. A buffered send
 *   needs no receiver, so it never does.
 * - Wait for completion: what else calls took that wait for requests of messages, after the partners had come: transfer that
 *   nothing hid. It is in `wait_states` alone, since it is no waiting for anyone. Calls that complete other requests, too, are left out.
 *
 * A call that waits for several messages waited for the partner that came last, once.
 *
 * Reads `messages`, `transfers`, `calls`, `states`; writes `message_call_waits` and adds to `wait_states`.
 */
export async function findMessageWaits(store: Store): Promise<void> {
  const probes = await store.row<{ n: number }>(
    "SELECT count(*)::INTEGER AS n FROM states WHERE category = 'probe'",
  );
  const candidates = [RECEIVERS, SENDERS, ...(probes?.n ? [PROBES] : [])];
  await store.execute(latest(candidates) + SUMS + COMPLETION);
}

/** One row per message whose partner came after the call began to wait; times of the call that waited. */
const RECEIVERS = `
  SELECT receive_rank AS rank, receive_wait_thread AS thread, receive_wait_state AS state, receive_start_ns AS start_ns,
         receive_end_ns AS end_ns, send_start_ns AS came_ns, 'late sender' AS kind, send_rank AS cause_rank, send_state AS cause_state
    FROM messages WHERE send_start_ns > receive_start_ns AND receive_end_ns > receive_start_ns`;

const SENDERS = `
  SELECT send_rank, send_wait_thread, send_wait_state, send_wait_ns, send_done_ns, receive_posted_ns, 'late receiver', receive_rank,
         receive_state
    FROM messages
   WHERE receive_posted_ns > send_wait_ns AND send_done_ns > receive_posted_ns
     AND send_state NOT IN (SELECT state FROM states WHERE call IN ('MPI_Bsend', 'MPI_Ibsend'))`;

/** A probe that blocks waits for the message that the next receive of its thread gets, if that has its source and tag. */
const PROBES = `
  SELECT p.rank, p.thread, p.state, p.start_ns, p.end_ns, m.send_start_ns, 'late sender', m.send_rank, m.send_state
    FROM (SELECT c.* FROM calls c JOIN states USING (state) WHERE category = 'probe') p
    ASOF JOIN messages m ON m.receive_rank = p.rank AND m.receive_thread = p.thread AND m.communicator = p.communicator
     AND m.send_rank = p.peer AND m.tag = p.tag AND p.end_ns <= m.receive_posted_ns
   WHERE m.send_start_ns > p.start_ns`;

/** Of each call the partner that came last; the order of columns settles ties, so that equal traces give equal rows. */
function latest(candidates: readonly string[]): string {
  return `
    INSERT INTO message_call_waits
      SELECT rank, thread, state, start_ns, end_ns, least(last.came_ns, end_ns) - start_ns, last.kind, last.cause_rank, last.cause_state
        FROM (SELECT rank, thread, state, min(start_ns) AS start_ns, end_ns,
                     max({came_ns: came_ns, cause_rank: cause_rank, cause_state: cause_state, kind: kind}) AS last
                FROM (${candidates.join(" UNION ALL ")}) GROUP BY rank, thread, state, end_ns);`;
}

const SUMS = `
  INSERT INTO wait_states
    SELECT kind, rank, state, cause_rank, cause_state, count(*), sum(waiting_ns)::BIGINT
      FROM message_call_waits GROUP BY ALL ORDER BY ALL;`;

const COMPLETION = `
  INSERT INTO wait_states
    WITH completing AS (
      SELECT rank, wait_thread AS thread, wait_state AS state, completed_ns AS end_ns, max(waited_ns) AS waited_ns,
             if(min(peer) = max(peer), greatest(min(peer), -1), -1) AS peer, bool_and(category IN ('isend', 'ireceive', 'start') AND tag <> -1) AS only_messages
        FROM transfers t JOIN states s ON s.state = t.start_state
       WHERE waited_ns > 0 GROUP BY ALL)
    SELECT 'wait for completion' AS kind, rank, state, peer, -1, count(*), sum(c.waited_ns - coalesce(w.waiting_ns, 0))::BIGINT
      FROM completing c LEFT JOIN message_call_waits w USING (rank, thread, state, end_ns)
     WHERE only_messages AND c.waited_ns > coalesce(w.waiting_ns, 0)
     GROUP BY ALL ORDER BY ALL;`;
