/** Tables of the pass "messages". Times as in src/trace/schema.ts. */
export const MESSAGE_TABLES = `
CREATE TABLE messages(          -- sends with their receives; rows in no promised order
  send_rank INTEGER NOT NULL,
  send_thread SMALLINT NOT NULL,
  send_state INTEGER NOT NULL,  -- the call that sent, or started to
  send_start_ns BIGINT NOT NULL,-- entry and exit of that call
  send_end_ns BIGINT NOT NULL,
  send_wait_thread SMALLINT NOT NULL, -- which completed it, in which call; as above where that is not known
  send_wait_state INTEGER NOT NULL,
  send_wait_ns BIGINT,          -- since when that call waited for it: its entry; its exit if it does not wait; NULL not known
  send_done_ns BIGINT,          -- its exit
  receive_rank INTEGER NOT NULL,
  receive_thread SMALLINT NOT NULL,
  receive_state INTEGER NOT NULL, -- the call that received, or posted the receive
  receive_posted_ns BIGINT NOT NULL, -- its entry; its exit if the receive is non-blocking
  receive_wait_thread SMALLINT NOT NULL, -- which completed it, in which call; likewise
  receive_wait_state INTEGER NOT NULL,
  receive_start_ns BIGINT,      -- since when that call waited for it; NULL not known
  receive_end_ns BIGINT,        -- its exit
  bytes BIGINT NOT NULL,        -- sent
  communicator INTEGER NOT NULL,-- as the receiver numbers it
  tag INTEGER NOT NULL
);
CREATE TABLE message_counts(    -- one row per rank
  rank INTEGER NOT NULL,
  sent BIGINT NOT NULL,         -- sends on record, but those to MPI_PROC_NULL and cancelled ones; likewise
  received BIGINT NOT NULL,
  matched_sends BIGINT NOT NULL,
  matched_receives BIGINT NOT NULL,
  sampled_out BIGINT NOT NULL,  -- of both, not matched: calls between the two ranks were left out on purpose
  not_recorded BIGINT NOT NULL, -- not matched: the other rank has no trace, calls are lost, or source or tag of a receive are not known
  other BIGINT NOT NULL,        -- not matched, and nothing is missing: never received, never completed, or too many to match
  violations BIGINT NOT NULL    -- matched receives that ended before their message was sent: clocks, or a wrong match
);
CREATE TABLE message_call_waits(-- of each call what was waiting for a late sender or receiver; rows in no promised order
  rank INTEGER NOT NULL,
  thread SMALLINT NOT NULL,
  state INTEGER NOT NULL,
  start_ns BIGINT NOT NULL,     -- of the call; later if what it waited for was started meanwhile by another thread
  end_ns BIGINT NOT NULL,
  waiting_ns BIGINT NOT NULL,   -- from start_ns on; > 0, <= end_ns - start_ns
  kind VARCHAR NOT NULL,
  cause_rank INTEGER NOT NULL,
  cause_state INTEGER NOT NULL
);
`;
