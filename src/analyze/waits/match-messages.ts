import type { Store } from "../../trace/store.ts";
import { countMessageCalls, dropMessageEnds, listMessageEnds } from "./message-ends.ts";

/** Calls that send or receive, at most: more are left out whole. Matching them takes about 150 bytes each. */
export const MOST_MESSAGE_CALLS = 60_000_000;

/**
 * Matches sends with receives. MPI keeps messages of one sender, receiver, communicator and tag in order (MPI-4.0, 3.5): the k-th send, by
 * its start, goes to the k-th receive that got one of them, by when it was posted.
 *
 * That needs all of them. What may be missing: calls that were left out or lost, and receives of which source or tag are not known. Up to the
 * first such gap of either rank the rule holds. Behind it, a channel is matched only if it has as many receives as sends, and none of
 * the states seen in it was thinned.
 *
 * Reads what `listMessageEnds` reads, `ranks`, `gaps`, `sampled_out`; writes `messages` and `message_counts`, and a line to `warnings` where
 * there are more calls than `most`.
 */
export async function matchMessages(store: Store, most = MOST_MESSAGE_CALLS): Promise<void> {
  await store.execute(`DELETE FROM warnings WHERE starts_with(text, '${TOO_MANY}')`);
  const calls = await countMessageCalls(store);
  if (calls > most) {
    const text = `${TOO_MANY}: ${calls} calls send or receive, and at most ${most} are matched; who waited for whom is not known`;
    await store.execute(`INSERT INTO warnings VALUES ('${text}')`);
    return;
  }
  await listMessageEnds(store);
  await store.execute(CUTS + NUMBERED + ALLOWED + MATCHED + COUNTS);
  await dropMessageEnds(store);
  const names = "message_cuts thinned numbered_ends allowed_messages";
  await store.execute(names.replace(/\w+/g, "DROP TABLE IF EXISTS temp.$&;"));
}

const TOO_MANY = "messages are not matched";
const NEVER = "9223372036854775807";
const ALWAYS = "-9223372036854775808";
const CATEGORIES = "('send', 'receive', 'sendrecv', 'isend', 'ireceive', 'start', 'wait', 'test')";

/**
 * Up to when all calls that make messages of a rank are on record. States that left calls out; -1 stands for one that is not known. A rank whose
 * calls left out are not told by state has left out any.
 */
const CUTS = `
  CREATE OR REPLACE TEMP TABLE thinned AS
    SELECT DISTINCT o.rank, o.state FROM sampled_out o LEFT JOIN states USING (state)
     WHERE o.calls > 0 AND (o.state < 0 OR category IN ${CATEGORIES})
    UNION
    SELECT rank, -1 FROM ranks r
     WHERE sampled_out > (SELECT coalesce(sum(calls), 0) FROM sampled_out o WHERE o.rank = r.rank);
  CREATE OR REPLACE TEMP TABLE message_cuts AS
    SELECT rank,
           CASE WHEN lost > 0 THEN ${ALWAYS}
                WHEN rank IN (SELECT rank FROM thinned)
                THEN coalesce((SELECT min(start_ns) FROM gaps g WHERE g.rank = r.rank AND g.calls > 0), ${ALWAYS})
                ELSE ${NEVER} END::BIGINT AS cut_ns
      FROM ranks r;`;

const NUMBERED = `
  CREATE OR REPLACE TEMP TABLE numbered_ends AS
    SELECT channel, m.receive, m.rank, thread, state, start_ns, end_ns, done_ns, wait_ns, wait_thread, wait_state, bytes,
           m.communicator, order_ns, row_number() OVER (PARTITION BY channel, m.receive ORDER BY order_ns, thread, place) AS k
      FROM message_ends m JOIN end_channels USING (rank, peer, communicator, tag, receive);`;

/** How many messages of each channel can be matched, and why not all. */
const ALLOWED = `
  CREATE OR REPLACE TEMP TABLE allowed_messages AS
    WITH ends AS (
      SELECT channel,
             count(*) FILTER (receive = 0) AS sends, count(*) FILTER (receive = 1) AS receives,
             count(*) FILTER (receive = 0 AND order_ns < c.cut_ns) AS sure_sends,
             count(*) FILTER (receive = 1 AND order_ns < least(c.cut_ns, coalesce(v.vague_ns, ${NEVER}))) AS sure_receives
        FROM numbered_ends e JOIN channels USING (channel) JOIN message_cuts c USING (rank)
        LEFT JOIN (SELECT rank, communicator, min(order_ns) AS vague_ns FROM vague_receives GROUP BY ALL) v
          ON receive = 1 AND v.rank = e.rank AND v.communicator = channels.communicator
       GROUP BY channel),
    thin AS (
      SELECT DISTINCT channel FROM (SELECT DISTINCT channel, rank, state FROM numbered_ends) e
        JOIN thinned t ON t.rank = e.rank AND (t.state = e.state OR t.state = -1)),
    ranks_of AS (
      SELECT channel, count(c.rank) < if(n.sender = n.receiver, 1, 2) OR bool_or(r.lost > 0) AS missing,
             bool_or(c.cut_ns = ${ALWAYS}) AS nothing_sure, bool_or(c.cut_ns < ${NEVER}) AS cut
        FROM channels n LEFT JOIN message_cuts c ON c.rank IN (n.sender, n.receiver) LEFT JOIN ranks r ON r.rank = c.rank
       GROUP BY channel, n.sender, n.receiver)
    SELECT channel,
           if(sends = receives AND NOT nothing_sure AND channel NOT IN (FROM thin), sends, least(sure_sends, sure_receives)) AS allowed,
           CASE WHEN missing THEN 'not_recorded' WHEN cut THEN 'sampled_out'
                WHEN EXISTS (FROM vague_receives v WHERE v.rank = n.receiver AND v.communicator = n.communicator) THEN 'not_recorded'
                ELSE 'other' END AS reason
      FROM ends JOIN ranks_of USING (channel) JOIN channels n USING (channel);`;

const MATCHED = `
  INSERT INTO messages
    SELECT s.rank, s.thread, s.state, s.start_ns, s.end_ns, s.wait_thread, s.wait_state, s.wait_ns, s.done_ns,
           r.rank, r.thread, r.state, if(r.blocking, r.start_ns, r.end_ns),
           r.wait_thread, r.wait_state, r.wait_ns, r.done_ns, s.bytes, r.communicator, c.tag
      FROM (FROM numbered_ends JOIN allowed_messages USING (channel) WHERE receive = 0 AND k <= allowed) s
      JOIN (FROM numbered_ends JOIN (SELECT state, role <> 'ireceive' AND role <> 'start' AS blocking FROM message_states) USING (state)
             WHERE receive = 1) r USING (channel, k)
      JOIN channels c USING (channel);`;

const COUNTS = `
  INSERT INTO message_counts
    WITH ends AS (
      SELECT rank, receive, count(*) AS calls, count(*) FILTER (k <= allowed) AS matched, any_value(reason) AS reason
        FROM numbered_ends JOIN allowed_messages USING (channel) GROUP BY rank, receive, channel
      UNION ALL
      SELECT rank, receive, count(*), 0, if(peer = -1, 'other', 'not_recorded')
        FROM message_ends WHERE peer < 0 OR tag < 0 GROUP BY ALL),
    total AS (
      SELECT rank,
             sum(calls) FILTER (receive = 0) AS sent, sum(calls) FILTER (receive = 1) AS received,
             sum(matched) FILTER (receive = 0) AS matched_sends, sum(matched) FILTER (receive = 1) AS matched_receives,
             sum(calls - matched) FILTER (reason = 'sampled_out') AS sampled_out,
             sum(calls - matched) FILTER (reason = 'not_recorded') AS not_recorded,
             sum(calls - matched) FILTER (reason = 'other') AS other
        FROM ends GROUP BY rank),
    wrong AS (
      SELECT receive_rank AS rank, count(*) AS violations FROM messages WHERE receive_end_ns < send_start_ns GROUP BY receive_rank)
    SELECT rank, coalesce(sent, 0), coalesce(received, 0), coalesce(matched_sends, 0), coalesce(matched_receives, 0),
           coalesce(total.sampled_out, 0), coalesce(not_recorded, 0), coalesce(other, 0), coalesce(violations, 0)
      FROM ranks LEFT JOIN total USING (rank) LEFT JOIN wrong USING (rank) ORDER BY rank;`;
