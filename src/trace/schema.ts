/**
 * Tables that ingest fills from trace files. Everything the analysis knows comes from here.
 *
 * Times are nanoseconds (BIGINT) since the job's first MPI_Init exit on the common clock; they can be
 * negative before it. Numbers of states, modules, edges and communicators are per store, not per
 * file: equal things on different ranks have one number.
 */

/** Raised whenever a table changes; a store with another version is rebuilt from its traces. */
export const STORE_VERSION = 7;

/** Snippet kinds, as in the report model. */
export type Kind = "compute" | "communication" | "io" | "gpu";

export const BASE_TABLES = `
CREATE TABLE meta(              -- facts about the store and the job; one row per key
  key VARCHAR PRIMARY KEY,
  value VARCHAR NOT NULL        -- of store_version, duckdb_version, job_id, started_at (ISO 8601 UTC of time 0),
                                --   wall_ns (latest end of any rank), world_size, complete ('true'/'false'),
                                --   mpi, mpi_version, trace_bytes, sources (trace files: name, bytes, mtime)
);
CREATE TABLE warnings(          -- one line each: missing ranks, damaged files, other jobs, what was lost
  text VARCHAR NOT NULL
);
CREATE TABLE ranks(             -- one row per process of the job whose trace was found
  rank INTEGER PRIMARY KEY,     -- world rank
  host VARCHAR NOT NULL,
  pid INTEGER NOT NULL,
  program VARCHAR NOT NULL,
  threads INTEGER NOT NULL,     -- threads that made intercepted calls
  init_ns BIGINT NOT NULL,      -- exit of this rank's MPI_Init
  end_ns BIGINT NOT NULL,       -- end of the last thing recorded (exit of MPI_Finalize when complete)
  complete BOOLEAN NOT NULL,    -- MPI_Finalize returned and nothing is missing
  intercepted BIGINT NOT NULL,  -- = recorded + sampled_out + lost
  recorded BIGINT NOT NULL,
  sampled_out BIGINT NOT NULL,
  lost BIGINT NOT NULL,         -- calls known to be missing, damaged blocks included
  tool_ns BIGINT NOT NULL,      -- the interceptor's own cost, as it measured it in the run (where it could not:
                                --   calls x calibrated cost + sealing)
  trace_bytes BIGINT NOT NULL
);
CREATE TABLE threads(           -- threads that made recorded calls; one row each, also where a number is used again
  rank INTEGER NOT NULL,
  thread SMALLINT NOT NULL,     -- as in calls; of several rows with one number, calls belong to the one by time
  system_thread INTEGER NOT NULL, -- what gettid() gave
  parent SMALLINT NOT NULL,     -- thread that made it, at that time; -1 not known
  name VARCHAR NOT NULL,        -- '' if it never got one of its own
  kind VARCHAR NOT NULL,        -- initial, pthread, openmp
  module INTEGER NOT NULL,      -- start routine; -1 not known
  "offset" BIGINT NOT NULL,     --   its address - load base of the module
  first_ns BIGINT NOT NULL,     -- it came to its first recorded call
  last_ns BIGINT NOT NULL       -- its end; end of the rank if it was there to the last
);
CREATE TABLE modules(           -- shared objects and executables that calls were made from
  module INTEGER PRIMARY KEY,
  path VARCHAR NOT NULL,
  build_id VARCHAR NOT NULL     -- hexadecimal, '' if none
);
CREATE TABLE states(            -- vertices of the state transition graph
  state INTEGER PRIMARY KEY,
  call VARCHAR NOT NULL,        -- MPI_Send, ...: the name in the MPI standard, for every language
  category VARCHAR NOT NULL,    -- enum vst_category in lower case: send, receive, wait, collective, ...
  module INTEGER NOT NULL,
  "offset" BIGINT NOT NULL,     -- return address - load base of the module
  path INTEGER NOT NULL DEFAULT -1 -- how the program got there, see paths; -1: known by the site alone
);
CREATE TABLE paths(             -- call paths, where the run was asked for them
  path INTEGER PRIMARY KEY,
  hash VARCHAR NOT NULL         -- of build ids and offsets of its frames: equal on all ranks and in all runs
);
CREATE TABLE frames(            -- what paths consist of: return addresses
  path INTEGER NOT NULL,
  depth INTEGER NOT NULL,       -- 0 is the call's site, 1 the call of the function it is in, ...
  module INTEGER NOT NULL,
  "offset" BIGINT NOT NULL      -- return address - load base of the module
);
CREATE TABLE symbols(           -- places in words, as far as they were looked up: see docs/trace-format.md
  module INTEGER NOT NULL,
  "offset" BIGINT NOT NULL,     -- as in states and frames
  depth INTEGER NOT NULL,       -- 0 is the innermost function inlined there, 1 the one around it, ...
  function VARCHAR NOT NULL,    -- demangled; + 0x... behind it where no line is known
  file VARCHAR,                 -- NULL if there is no debug information
  line INTEGER                  -- from 1; NULL likewise
);
CREATE TABLE edges(             -- edges of the graph: computation from the exit of one call to the next
  edge INTEGER PRIMARY KEY,
  from_state INTEGER NOT NULL,
  to_state INTEGER NOT NULL
);
CREATE TABLE communicators(     -- equal on all its ranks: same members in the same order, same ordinal
  communicator INTEGER PRIMARY KEY,
  size INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,     -- n-th communicator with these members, from 0
  members INTEGER[] NOT NULL,   -- world ranks
  remote_size INTEGER NOT NULL  -- intercommunicators: members of the remote group, else 0
);
CREATE TABLE gaps(              -- spans in which a thread left calls out on purpose; by rank, thread, start
  rank INTEGER NOT NULL,
  thread SMALLINT NOT NULL,
  start_ns BIGINT NOT NULL,     -- exit of the record before; equal to end_ns where that is not known
  end_ns BIGINT NOT NULL,       -- entry of the next record, or exit of the last call timed
  calls BIGINT NOT NULL         -- left out there; sum per rank = ranks.sampled_out
);
CREATE TABLE sampled_out(       -- calls left out on purpose, state by state
  rank INTEGER NOT NULL,
  thread SMALLINT NOT NULL,
  state INTEGER NOT NULL,       -- -1: its definition is damaged
  calls BIGINT NOT NULL,
  timed BIGINT NOT NULL,        -- those of them that were timed; fewer where reading the clock cost too much
  timed_ns BIGINT NOT NULL      -- how long these took; all of them: about timed_ns * calls / timed
);
CREATE TABLE files(             -- what POSIX and stdio calls went to; one number for all ranks that see the same one
  file INTEGER PRIMARY KEY,
  path VARCHAR NOT NULL,        -- as the kernel had it when it was first seen; like 'pipe:[4711]' without a name
  kind VARCHAR NOT NULL,        -- regular, directory, pipe, socket, terminal, device, other
  host VARCHAR NOT NULL,        -- where it is; '' on file systems that hosts share
  device UBIGINT NOT NULL,      -- st_dev of the first rank that saw it
  inode UBIGINT NOT NULL,
  file_system VARCHAR NOT NULL  -- ext4, nfs, lustre, ...; a hexadecimal magic number if it has no name here; '' not told
);
CREATE TABLE works(             -- what executions were, but for their times; a work can have several numbers
  work INTEGER NOT NULL,        -- 0, 1, ...; one after the other within a rank
  rank INTEGER NOT NULL,
  thread SMALLINT NOT NULL,
  state INTEGER NOT NULL,       -- this and the next columns as in calls
  edge INTEGER NOT NULL,
  bytes BIGINT NOT NULL,
  before_bytes BIGINT NOT NULL,
  peer INTEGER NOT NULL,
  communicator INTEGER NOT NULL,
  tag INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  completed INTEGER NOT NULL,
  file INTEGER NOT NULL
);
CREATE TABLE executions(        -- calls whose works repeat, one row per call; by rank, thread, start
  work INTEGER NOT NULL,
  before_ns BIGINT NOT NULL,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT NOT NULL
);
CREATE TABLE irregular_calls(   -- calls in whose neighbourhood works seldom repeat; columns of calls
  rank INTEGER NOT NULL,
  thread SMALLINT NOT NULL,     -- 0 is the thread that called MPI_Init
  state INTEGER NOT NULL,
  edge INTEGER NOT NULL,        -- computation before this call; -1 for the first call of a thread
  before_ns BIGINT NOT NULL,    -- its duration (time since the exit of the call before); 0 if edge is -1
  start_ns BIGINT NOT NULL,     -- entry of the call
  end_ns BIGINT NOT NULL,       -- exit of the call
  bytes BIGINT NOT NULL,        -- from datatype and count
  before_bytes BIGINT NOT NULL, -- bytes of the call before; 0 if edge is -1
  peer INTEGER NOT NULL,        -- world rank of partner or root; -1 none, -2 any, -3 null
  communicator INTEGER NOT NULL,-- -1 none
  tag INTEGER NOT NULL,         -- -1 none, -2 any; I/O: 0 goes on where the last access ended, 1 behind, 2 before
  requests INTEGER NOT NULL,    -- wait and test family: requests passed
  completed INTEGER NOT NULL,   --   and completed
  file INTEGER NOT NULL         -- POSIX and stdio calls; -1 none
);
CREATE TABLE counters(          -- what was asked to be read beside the calls
  counter SMALLINT PRIMARY KEY,
  name VARCHAR NOT NULL,        -- cpu_time, run_delay, minor_faults, ...
  unit VARCHAR NOT NULL,        -- ns, bytes or count
  grp VARCHAR NOT NULL,         -- group that users choose it by: scheduler, memory, io, hardware
  scope VARCHAR NOT NULL,       -- whose activity it counts: thread, (control) group, host; read by thread 0
                                --   alone unless thread
  status VARCHAR NOT NULL       -- 'read', or why it could not be
);
CREATE TABLE counter_samples(   -- readings, by rank, thread and, for each counter, time. While a counter keeps
                                --   its value only the first and the last reading stand here
  rank INTEGER NOT NULL,
  thread SMALLINT NOT NULL,
  at_ns BIGINT NOT NULL,
  counter SMALLINT NOT NULL,
  value BIGINT NOT NULL         -- counted since the first reading of this thread
);
CREATE TABLE probes(            -- tiny works that are the same on all ranks and at any time, timed now and then; by rank, time
  rank INTEGER NOT NULL,
  thread SMALLINT NOT NULL,
  kind VARCHAR NOT NULL,        -- compute, cache, memory
  start_ns BIGINT NOT NULL,
  duration_ns DOUBLE NOT NULL,
  cpu_ns BIGINT NOT NULL,       -- CPU time that the thread had meanwhile
  total_cpu_ns BIGINT NOT NULL, -- CPU time that the thread had had so far
  run_delay_ns BIGINT,          -- time so far that it was ready and waited for a core; NULL: the kernel does not say
  core INTEGER NOT NULL         -- it ran on; -1 not known
);
CREATE TABLE transfers(         -- started by one call, completed by another (MPI_Sendrecv: what it sent and what it received)
  rank INTEGER NOT NULL,
  thread SMALLINT NOT NULL,     -- that started it
  start_state INTEGER NOT NULL, -- the starting call
  posted_ns BIGINT NOT NULL,    -- exit of that call
  completed_ns BIGINT NOT NULL, -- exit of the call that completed it: it may have been complete before
  waited_ns BIGINT NOT NULL,    -- of that call's time, what came after posted_ns; 0 if it does not wait (test, free)
  bytes BIGINT NOT NULL,        -- that came, where that is known; else as posted
  peer INTEGER NOT NULL,        -- as in calls, but the real source of a receive from anyone
  communicator INTEGER NOT NULL,
  tag INTEGER NOT NULL,         -- as in calls, but the real one of a receive with any
  wait_thread SMALLINT NOT NULL,-- that completed it
  wait_state INTEGER NOT NULL,  -- the completing call
  outcome SMALLINT NOT NULL,    -- 0 completed, 1 cancelled, 2 request freed, 3 failed
  receive SMALLINT NOT NULL DEFAULT 0 -- 1: received a message; 0: anything else
);
CREATE TABLE transfer_counts(   -- one row per rank
  rank INTEGER NOT NULL,
  transfers BIGINT NOT NULL,    -- rows in transfers
  unmatched BIGINT NOT NULL     -- completed requests whose start is not known: they have no row in transfers
);
`;

/** Views for people and for passes that look at fragments alike. */
export const BASE_VIEWS = `
CREATE VIEW calls AS            -- every intercepted call with its columns as in irregular_calls
  SELECT w.rank, w.thread, w.state, w.edge, x.before_ns, x.start_ns, x.end_ns, w.bytes, w.before_bytes,
         w.peer, w.communicator, w.tag, w.requests, w.completed, w.file
    FROM executions x JOIN works w USING (work)
  UNION ALL
  FROM irregular_calls;
CREATE VIEW state_kinds AS      -- what time inside a call is: communication, io, or wait (for other threads or programs)
  SELECT state,
         CASE WHEN category LIKE 'io\\_%' ESCAPE '\\' THEN 'io'
              WHEN category = 'file' AND NOT regexp_matches(call, '_(all|ordered|shared)') THEN 'io'
              WHEN category IN ('thread', 'lock', 'openmp') THEN 'wait'
              ELSE 'communication' END AS kind
    FROM states;
CREATE VIEW phases AS           -- marks of the program: MPI_Pcontrol(level); 0 pauses recording, 1 resumes it
  SELECT c.rank, c.thread,
         (CASE WHEN c.bytes >= 2147483648 THEN c.bytes - 4294967296 ELSE c.bytes END)::INTEGER AS level,
         c.start_ns AS at_ns
    FROM calls c JOIN states s USING (state) WHERE s.category = 'phase';
CREATE VIEW fragments AS        -- executions of snippets: every call, and every computation between calls
  SELECT rank, thread, kind, state AS snippet, start_ns, end_ns, bytes, peer, communicator, tag
    FROM calls JOIN state_kinds USING (state)
  UNION ALL
  SELECT rank, thread, 'compute', edge, start_ns - before_ns, start_ns, NULL, NULL, NULL, NULL
    FROM calls WHERE edge >= 0;
CREATE VIEW counter_rates AS    -- how much was counted between two rows of counter_samples
  SELECT rank, thread, before_ns AS start_ns, at_ns AS end_ns, counter, value - before AS delta
    FROM (SELECT *, lag(at_ns) OVER course AS before_ns, lag(value) OVER course AS before
            FROM counter_samples
          WINDOW course AS (PARTITION BY rank, thread, counter ORDER BY at_ns, value))
   WHERE before_ns IS NOT NULL;
CREATE MACRO counters_in(of_rank, of_thread, from_ns, to_ns) AS TABLE
  -- What each counter counted from from_ns to to_ns. delta: by straight lines between readings; it is at least
  --   least, what was counted between readings inside, and at most most, between the readings around.
  -- covered: share of the time that lies between the thread's first and last reading.
  SELECT name, unit,
         sum(delta * share) AS delta,
         coalesce(sum(delta) FILTER (start_ns >= from_ns AND end_ns <= to_ns), 0)::BIGINT AS least,
         sum(delta)::BIGINT AS most,
         sum(least(end_ns, to_ns) - greatest(start_ns, from_ns)) / greatest(to_ns - from_ns, 1) AS covered
    FROM (SELECT *, (least(end_ns, to_ns) - greatest(start_ns, from_ns))
                    / greatest(end_ns - start_ns, 1) AS share
            FROM counter_rates
           WHERE rank = of_rank AND thread = of_thread AND end_ns > from_ns AND start_ns < to_ns)
    JOIN counters USING (counter)
   GROUP BY counter, name, unit ORDER BY counter;
CREATE VIEW sites AS            -- states in words: call, file name of the module and offset
  SELECT s.state, s.call, s.category,
         regexp_extract(m.path, '[^/]*$') || printf('+0x%x', s."offset") AS site
    FROM states s JOIN modules m USING (module);
`;
