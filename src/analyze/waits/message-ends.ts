import type { Store } from "../../trace/store.ts";

/**
 * Both ends of messages: writes temporary `message_ends`, one row per send and receive, of which the partner is known, and
 * `vague_receives`(rank, communicator, order_ns), receives of which source or tag are not known.
 *
 * Blocking calls stand in `calls` alone; of non-blocking ones, of started persistent requests and of the halves of MPI_Sendrecv the real
 * values and the completion stand in `transfers`. Cancelled ones are no messages. Partitioned ones are left out: the trace does not tell their
 * starts from those of other persistent requests with equal arguments but by the calls that made them.
 *
 * `receive`: 0 or 1. `order_ns`: what decides which comes first in its channel: entry of the call; of a message taken by a probe
 * (MPI_Mprobe), exit of the probe.
 */
export async function listMessageEnds(store: Store): Promise<void> {
  await store.execute(STATES + COMMUNICATORS + ENDS);
  if (await calls(store, "'MPI_Psend_init', 'MPI_Precv_init'")) {
    await store.execute(WITHOUT_PARTITIONED);
  }
  if (await calls(store, "'MPI_Mrecv', 'MPI_Imrecv'")) await store.execute(ORDER_BY_PROBES);
  await store.execute(INTERCOMMUNICATORS + CHANNELS + VAGUE);
}

/** Whether the program makes one of these calls. */
async function calls(store: Store, names: string): Promise<boolean> {
  const row = await store.row<{ n: number }>(
    `SELECT count(*)::INTEGER AS n FROM states WHERE call IN (${names})`,
  );
  return row!.n > 0;
}

export async function dropMessageEnds(store: Store): Promise<void> {
  const names = "message_states one_communicator message_ends end_channels channels vague_receives";
  await store.execute(names.replace(/\w+/g, "DROP TABLE IF EXISTS temp.$&;"));
}

/** How many calls may send or receive. */
export async function countMessageCalls(store: Store): Promise<number> {
  const row = await store.row<{ n: number }>(`
    SELECT count(*)::DOUBLE AS n FROM calls JOIN states USING (state)
     WHERE category IN ('send', 'receive', 'sendrecv', 'isend', 'ireceive', 'start')`);
  return row?.n ?? 0;
}

/** What calls do: role says where peer and direction come from. */
const STATES = `
  CREATE OR REPLACE TEMP TABLE message_states AS
    SELECT state, call,
           CASE WHEN call LIKE 'MPI_Isendrecv%' THEN 'isendrecv'
                WHEN category = 'start' AND call LIKE 'MPI_Pready%' THEN 'none'
                ELSE category END AS role
      FROM states WHERE category IN ('send', 'receive', 'sendrecv', 'isend', 'ireceive', 'start');`;

const COMMUNICATORS = `
  CREATE OR REPLACE TEMP TABLE one_communicator AS SELECT communicator, communicator AS same FROM communicators;`;

/**
 * The two sides of an intercommunicator number it differently, and each knows its own group and how large the other is. Two belong
 * together if their sizes do and each side's partners are members of the other. Of several between the same groups, the n-th of one side
 * is the n-th of the other: making them is collective.
 */
const INTERCOMMUNICATORS = `
  UPDATE one_communicator SET same = p.other
    FROM (WITH sides AS (
            SELECT communicator, ordinal, members, size, remote_size, list(DISTINCT m.peer) AS partners
              FROM communicators JOIN message_ends m USING (communicator)
             WHERE remote_size > 0 AND m.peer >= 0 GROUP BY ALL),
          pairs AS (
            SELECT a.communicator AS one, b.communicator AS other,
                   dense_rank() OVER (PARTITION BY a.members, b.members ORDER BY a.ordinal) AS nth_one,
                   dense_rank() OVER (PARTITION BY a.members, b.members ORDER BY b.ordinal) AS nth_other
              FROM sides a JOIN sides b ON a.members > b.members AND a.size = b.remote_size AND b.size = a.remote_size
               AND list_has_all(b.members, a.partners) AND list_has_all(a.members, b.partners))
          SELECT one, min(other) AS other FROM pairs WHERE nth_one = nth_other GROUP BY one HAVING count(*) = 1) p
   WHERE communicator = p.one;`;

/** Starts of collectives have no tag. A start of which only the record is there may be of anything, so it is left out. */
const ENDS = `
  CREATE OR REPLACE TEMP TABLE message_ends AS
    WITH ends AS (
      SELECT c.rank, c.thread, c.state, s.role, c.start_ns, c.end_ns, t.completed_ns AS done_ns, t.waited_ns,
             coalesce(t.wait_thread, c.thread) AS wait_thread, coalesce(t.wait_state, c.state) AS wait_state,
             coalesce(t.peer, c.peer) AS peer, coalesce(t.communicator, c.communicator) AS communicator,
             coalesce(t.tag, c.tag) AS tag, coalesce(t.bytes, c.bytes) AS bytes, coalesce(t.rowid, 0) AS place,
             CASE WHEN s.role IN ('receive', 'ireceive') THEN 1
                  WHEN s.role IN ('sendrecv', 'start') THEN coalesce(t.receive, 0) ELSE 0 END AS receive,
             c.start_ns AS order_ns, t.outcome
        FROM calls c JOIN message_states s USING (state)
        LEFT JOIN transfers t ON t.rank = c.rank AND t.thread = c.thread AND t.start_state = c.state AND t.posted_ns = c.end_ns
       WHERE s.role <> 'none' AND t.outcome IS DISTINCT FROM 1 AND (s.role <> 'start' OR t.rank IS NOT NULL))
    SELECT e.rank, thread, state, role, receive::TINYINT AS receive, start_ns, end_ns,
           if(role IN ('send', 'receive', 'sendrecv'), end_ns, if(outcome = 2, NULL, done_ns)) AS done_ns,
           if(role IN ('send', 'receive', 'sendrecv'), start_ns, if(outcome = 2, NULL, done_ns - waited_ns)) AS wait_ns,
           wait_thread, wait_state, peer, communicator, tag, bytes, place, order_ns
      FROM ends e
     WHERE peer <> -3 AND (peer <> -1 OR role <> 'start') AND (role <> 'start' OR tag <> -1);`;

/** Starts of partitioned requests look like those of others with equal arguments, so all of these are left out. */
const WITHOUT_PARTITIONED = `
  DELETE FROM message_ends
   WHERE role = 'start' AND (rank, peer, communicator, tag) IN (
     SELECT (c.rank, c.peer, c.communicator, c.tag)
       FROM calls c JOIN states USING (state) WHERE call IN ('MPI_Psend_init', 'MPI_Precv_init'));`;

/** The message belongs to the receive from the probe on, and not from when it is received. */
const ORDER_BY_PROBES = `
  UPDATE message_ends SET order_ns = p.probed_ns
    FROM (SELECT rank, communicator, peer, tag, end_ns AS probed_ns,
                 row_number() OVER (PARTITION BY rank, communicator, peer, tag ORDER BY end_ns, thread) AS k
            FROM calls JOIN states USING (state)
           WHERE call = 'MPI_Mprobe' OR (call = 'MPI_Improbe' AND completed = 1)) p,
         (SELECT m.rowid AS id, m.rank, communicator, peer, tag,
                 row_number() OVER (PARTITION BY m.rank, communicator, peer, tag ORDER BY start_ns, thread) AS k
            FROM message_ends m JOIN states USING (state) WHERE call IN ('MPI_Mrecv', 'MPI_Imrecv')) r
   WHERE (p.rank, p.communicator, p.peer, p.tag, p.k) = (r.rank, r.communicator, r.peer, r.tag, r.k)
     AND message_ends.rowid = r.id;`;

/** Numbers what MPI keeps in order: messages of one sender, receiver, communicator and tag. */
const CHANNELS = `
  CREATE OR REPLACE TEMP TABLE end_channels AS
    SELECT rank, peer, m.communicator, tag, receive,
           dense_rank() OVER (ORDER BY same, if(receive = 1, peer, rank), if(receive = 1, rank, peer), tag)::INTEGER AS channel
      FROM (SELECT DISTINCT rank, peer, communicator, tag, receive FROM message_ends WHERE peer >= 0 AND tag >= 0) m
      JOIN one_communicator USING (communicator);
  CREATE OR REPLACE TEMP TABLE channels AS
    SELECT DISTINCT channel, o.same AS communicator, if(receive = 1, peer, rank) AS sender, if(receive = 1, rank, peer) AS receiver, tag
      FROM end_channels JOIN one_communicator o USING (communicator);`;

/** Both halves of MPI_Isendrecv are one transfer, so nothing is known of what it received. */
const VAGUE = `
  CREATE OR REPLACE TEMP TABLE vague_receives AS
    SELECT rank, o.same AS communicator, order_ns FROM message_ends JOIN one_communicator o USING (communicator)
     WHERE role = 'isendrecv' OR (receive = 1 AND (peer < 0 OR tag < 0));`;
