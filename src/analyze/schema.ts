import { MESSAGE_TABLES } from "./waits/message-schema.ts";

/**
 * Tables that the analysis passes write, in the order of the passes. Each pass reads tables and writes
 * tables; none reads another's internals. Times as in src/trace/schema.ts.
 */

/** Raised whenever a pass or one of these tables changes; older results are then computed again. */
export const ANALYSIS_VERSION = 22;

export const ANALYSIS_TABLES = `${MESSAGE_TABLES}
CREATE TABLE work_classes(      -- fragments of one snippet that did the same work
  class INTEGER PRIMARY KEY,
  kind VARCHAR NOT NULL,        -- compute: snippet is an edge; communication, io, wait: a state
  snippet INTEGER NOT NULL,
  bytes BIGINT NOT NULL,        -- work vector: bytes of the call (compute: of the call that ends it); where hardly any size comes
                                --   back, 1/32 octave stands for those in it: macros size_of(state, bytes) and
                                --   size_before(edge, before_bytes) give what stands here
  before_bytes BIGINT NOT NULL, -- compute: bytes of the call before it; else 0
  communicator INTEGER NOT NULL,-- calls: part of the work vector; compute: -1
  requests INTEGER NOT NULL,    -- calls of the wait and test family: requests passed; else 0
  from_ns BIGINT NOT NULL,      -- mode of the time distribution: durations in [from_ns, to_ns)
  to_ns BIGINT NOT NULL,
  evidence VARCHAR NOT NULL,    -- measured, proven, inferred
  status VARCHAR NOT NULL,      -- vsensor, too_few_repeats, varying_work
  fragments BIGINT NOT NULL,
  ranks INTEGER NOT NULL,       -- ranks that have some
  total_ns BIGINT NOT NULL,
  reference_ns DOUBLE,          -- robust time of the work undisturbed; NULL unless status is vsensor
  spread DOUBLE,                -- usual deviation of single fragments, in logs; NULL unless status is vsensor
  lost_ns DOUBLE,               -- total - reference of all its fragments (factors included), or NULL
  first_ns BIGINT NOT NULL,     -- start of its first fragment; time blocks are counted from here
  block_ns BIGINT NOT NULL,     -- length of a time block, see reference_factors
  blocks INTEGER NOT NULL,
  context INTEGER NOT NULL DEFAULT -1, -- of works at one place told apart by their context: which, from 0; else -1
  basis VARCHAR NOT NULL DEFAULT 'arguments', -- what tells it from other works: arguments; sizes pooled; a growth with an
                                --   amount, see class_models; sources of context (turn: every n-th iteration); + time: modes of time
  reference_low_ns DOUBLE,      -- 95 % interval of reference_ns
  reference_high_ns DOUBLE,
  confidence DOUBLE NOT NULL DEFAULT 0, -- that its fragments did the same work: a score, 0 to 1, see docs/algorithms.md
  verdict VARCHAR NOT NULL DEFAULT 'same_work' -- same_work; undecided: more work or slower work, nothing tells which;
                                --   unknown: too few repeats
);
CREATE TABLE class_models(      -- classes whose work grows with an amount: scale in class_works follows from it
  class INTEGER NOT NULL,
  amount VARCHAR NOT NULL,      -- bytes, bytes before, tag, completed, ...
  form VARCHAR NOT NULL,        -- linear: a + b x; n log n: a + b x log2 x; power: a x^b. In ns
  a DOUBLE NOT NULL,
  b DOUBLE NOT NULL,
  explained DOUBLE NOT NULL     -- share of the typical deviation of log time that it takes away
);
CREATE TABLE told_apart(        -- fragments of works at one place that their context tells apart
  kind VARCHAR NOT NULL,
  snippet INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  bytes BIGINT NOT NULL,        -- this and the next three: work vector as in class_works
  before_bytes BIGINT NOT NULL,
  communicator INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  context BIGINT NOT NULL,      -- as in class_works
  start_ns BIGINT NOT NULL,
  end_ns BIGINT NOT NULL
);
CREATE TABLE class_works(       -- work vectors that belong to a class; -1 in work_classes.bytes and
  class INTEGER NOT NULL,       --   before_bytes means: several, pooled because each alone is too rare
  kind VARCHAR NOT NULL,
  snippet INTEGER NOT NULL,
  bytes BIGINT NOT NULL,
  before_bytes BIGINT NOT NULL,
  communicator INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  context BIGINT NOT NULL,      -- fragments in told_apart: which of them; -1 all with this vector, in calls
  scale DOUBLE NOT NULL         -- reference times this: 1 unless work grows with an amount
);
CREATE TABLE rank_references(   -- the same per rank: what this rank's fragments are judged by
  class INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  fragments BIGINT NOT NULL,
  total_ns BIGINT NOT NULL,
  reference_ns DOUBLE NOT NULL, -- mean undisturbed time, usual spikes included; of comparable ranks nearly the same: pooled
  low_ns DOUBLE NOT NULL,       -- 95 % interval of reference_ns
  high_ns DOUBLE NOT NULL,
  peers_ns DOUBLE,              -- median of the other ranks' references, NULL if there are none
  usual_ns DOUBLE NOT NULL      -- middle of the undisturbed bulk, without spikes
);
CREATE TABLE judges(            -- class_works, work_classes and rank_references joined: what judges a fragment; only
                                --   work vectors that the rank has
  kind VARCHAR NOT NULL,
  snippet INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  bytes BIGINT NOT NULL,
  before_bytes BIGINT NOT NULL,
  communicator INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  class INTEGER NOT NULL,
  from_ns BIGINT NOT NULL,
  to_ns BIGINT NOT NULL,
  first_ns BIGINT NOT NULL,
  block_ns BIGINT NOT NULL,
  blocks INTEGER NOT NULL,
  reference_ns DOUBLE NOT NULL,
  usual_ns DOUBLE NOT NULL,
  allowed_ns DOUBLE NOT NULL,   -- with the tolerance, where reference_factors has no row
  context BIGINT NOT NULL       -- as in class_works
);
CREATE TABLE unusual_paths(     -- what was done too seldom to be judged, but took long; most time first
  kind VARCHAR NOT NULL,        -- compute, communication, io
  snippet INTEGER NOT NULL,
  bytes BIGINT NOT NULL,        -- as in work_classes
  before_bytes BIGINT NOT NULL,
  fragments BIGINT NOT NULL,
  ranks INTEGER NOT NULL,
  total_ns BIGINT NOT NULL,
  longest_ns BIGINT NOT NULL,   -- the longest fragment, its rank and its start
  longest_rank INTEGER NOT NULL,
  longest_start_ns BIGINT NOT NULL
);
CREATE TABLE reference_factors( -- where the program itself changes the work of a class (no row: 1)
  class INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  block INTEGER NOT NULL,       -- least((start of fragment - first_ns) // block_ns, blocks - 1)
  factor DOUBLE NOT NULL,       -- times the rank's reference
  allowance DOUBLE NOT NULL     -- times that: what may still be the program's own doing
);
CREATE TABLE bins(              -- heat map: time of v-sensors per rank, kind and time bin
  kind VARCHAR NOT NULL,        -- compute, communication, io
  rank INTEGER NOT NULL,
  bin INTEGER NOT NULL,         -- time [bin * bin_ns, (bin + 1) * bin_ns), bin_ns in analysis_meta
  observed_ns DOUBLE NOT NULL,
  reference_ns DOUBLE NOT NULL, -- performance = reference_ns / observed_ns; no row: unknown
  allowed_ns DOUBLE NOT NULL    -- reference with tolerance: only time above it speaks for a region
);
CREATE TABLE regions(           -- variance regions, largest loss first
  region INTEGER PRIMARY KEY,   -- from 1
  kind VARCHAR NOT NULL,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT NOT NULL,
  performance DOUBLE NOT NULL,  -- reference / observed time of v-sensors inside; of a slow network: of transfers
  lost_ns DOUBLE NOT NULL,      -- observed - reference over ranks, with fragments that the borders hit in part
  lost_low_ns DOUBLE NOT NULL,  -- 95 % interval of lost_ns
  lost_high_ns DOUBLE NOT NULL,
  significance DOUBLE NOT NULL, -- chance of a region like this in an undisturbed run
  scope VARCHAR NOT NULL DEFAULT 'ranks', -- who was slow. job: all ranks; host: all ranks of one or more hosts, and
                                --   no other; ranks: neither (or hosts have one rank each)
  event INTEGER NOT NULL DEFAULT 0 -- regions of different kinds at the same time on the same rank have one number;
                                --   from 1, most lost time first
);
CREATE TABLE region_ranks(
  region INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  role VARCHAR NOT NULL,        -- slow: its own work was slow; waiting: it only waited meanwhile
  observed_ns DOUBLE NOT NULL,
  reference_ns DOUBLE NOT NULL,
  lost_ns DOUBLE NOT NULL       -- slow: own work above reference, with fragments that the borders hit in part, so a
                                --   little more than observed - reference; waiting: communication above reference
);
CREATE TABLE region_evidence(   -- what probes and the kernel tell of each region; no causes
  region INTEGER NOT NULL,
  source VARCHAR NOT NULL,      -- probes; kernel: counters
  kind VARCHAR NOT NULL,        -- of probe: compute, cache, memory; counter: run_delay, steal_time, involuntary_switches
  against VARCHAR NOT NULL,     -- compared with: self, the same ranks at other times; others, other ranks meanwhile
  inside_count BIGINT,          -- probes compared, those within 10 ms of each other as one; NULL: kernel
  outside_count BIGINT,
  inside DOUBLE,                -- probes: median, ns; kernel: counted inside, ns or events, over the ranks
  outside DOUBLE,               -- probes: median, ns; kernel: what is counted in as much time elsewhere
  ratio DOUBLE,                 -- probes: how many times as long they took inside (Hodges-Lehmann); kernel: inside / outside
  low DOUBLE,                   -- probes: limits of ratio, each passed with a chance of 1/60; kernel: share if nothing
  high DOUBLE,                  --   (low) or all (high) was counted inside of what readings at the borders leave open
  share DOUBLE,                 -- of the slow-down. probes: log(ratio) / -log(performance); kernel: of lost_ns of these ranks
  verdict VARCHAR NOT NULL      -- probes: slower, not_slower, unknown; kernel: explains (half or more of the loss),
                                --   does_not_explain, counted (events)
);
CREATE TABLE rank_speeds(       -- whether ranks took longer for the same work throughout, and what tells why
  rank INTEGER NOT NULL,
  excess DOUBLE NOT NULL,       -- own time of the same computations above that of the other ranks, 0.1 is 10 % longer
  error DOUBLE NOT NULL,        -- standard error of log(1 + excess)
  probes DOUBLE,                -- the same of the kind of probe that is slowest; NULL: too few probes
  run_delay DOUBLE,             -- the same of what waiting for a core makes of CPU time; NULL: not known
  verdict VARCHAR NOT NULL,     -- slow, as_fast (so it has more work), undecided, usual
  evidence VARCHAR NOT NULL,    -- what says so: probes, run_delay, snippets, with commas
  slowdown DOUBLE NOT NULL,     -- the machine's part of excess; 0 unless slow
  region INTEGER                -- if slow: the region over the whole run
);
CREATE TABLE imbalances(        -- ranks that take longer throughout; time alone cannot tell work from slowness
  kind VARCHAR NOT NULL,
  ranks INTEGER[] NOT NULL,
  excess_percent DOUBLE NOT NULL, -- own reference above that of the other ranks
  cost_ns DOUBLE NOT NULL,
  verdict VARCHAR NOT NULL,     -- imbalance, undecided
  reason VARCHAR NOT NULL       -- why, or what would decide it
);
CREATE TABLE ledger(            -- coverage: parts of each rank's time, adding up to it
  rank INTEGER NOT NULL,
  kind VARCHAR NOT NULL,        -- compute, communication, io; '' for tool, sampled_out and untraced
  part VARCHAR NOT NULL,        -- vsensor, too_few_repeats, varying_work, waiting, sampled_out, tool, untraced
  ns DOUBLE NOT NULL
);
CREATE TABLE region_iterations( -- where a region lies in the main loop, by the iterations of its first slow rank; no row: not in it
  region INTEGER NOT NULL,
  first_iteration BIGINT NOT NULL, -- as in the view iterations
  last_iteration BIGINT NOT NULL
);
CREATE TABLE collective_counts( -- how collective calls of different ranks were matched: one row per communicator of two or more
  communicator INTEGER NOT NULL,
  members INTEGER NOT NULL,     -- of both groups of an intercommunicator
  calls BIGINT NOT NULL,        -- calls of collectives that were recorded on it = complete * members + unmatched
  executions BIGINT NOT NULL,   -- of which any member is known
  complete BIGINT NOT NULL,     -- of which all members are known: only these are looked at
  unmatched BIGINT NOT NULL     -- calls that lack partners (killed, no trace), come after calls that were left out or lost, or are on
                                --   an intercommunicator
);
CREATE TABLE wait_states(       -- who waited for whom: sums of waits above 0. See docs/wait-states.md
  kind VARCHAR NOT NULL,        -- late sender, late receiver, wait for completion; of collectives: wait at barrier,
                                --   wait at n-to-n, late root, wait at n-to-1, wait at prefix
  rank INTEGER NOT NULL,        -- that waited
  state INTEGER NOT NULL,       -- the call that waited
  cause_rank INTEGER NOT NULL,  -- the last one that it waited for; -1: several, or not known
  cause_state INTEGER NOT NULL, -- of the late call of that rank; -1 not known
  calls BIGINT NOT NULL,
  waiting_ns BIGINT NOT NULL
);
CREATE TABLE run_impacts(       -- what lost time cost the job: how much earlier it would have ended without
  what VARCHAR NOT NULL,        -- region; all regions: without any of them
  region INTEGER NOT NULL,      -- 0 for all
  impact_ns DOUBLE NOT NULL,
  low_ns DOUBLE NOT NULL,       -- at the ends of the 95 % interval of the time lost
  high_ns DOUBLE NOT NULL
);
CREATE TABLE analysis_meta(     -- analysis_version, bin_ns, bins, and the settings used
  key VARCHAR PRIMARY KEY,
  value VARCHAR NOT NULL
);
`;

/** How a fragment of told_apart `a` finds what judges it, `j`. */
const apart = `a.snippet = j.snippet AND a.rank = j.rank AND a.bytes = j.bytes AND a.before_bytes = j.before_bytes
                 AND a.communicator = j.communicator AND a.requests = j.requests AND a.context = j.context
                 AND a.end_ns - a.start_ns >= j.from_ns AND a.end_ns - a.start_ns < j.to_ns`;

/** Views over the calls and the tables above. */
export const ANALYSIS_VIEWS = `
CREATE VIEW judged_compute AS   -- every computation that a v-sensor judges, with its reference time
  SELECT c.rank, c.class, c.start_ns - c.before_ns AS start_ns, c.start_ns AS end_ns,
         c.reference_ns * coalesce(f.factor, 1) AS reference_ns,
         c.usual_ns * coalesce(f.factor, 1) AS usual_ns,
         coalesce(c.reference_ns * f.factor * f.allowance, c.allowed_ns) AS allowed_ns
    FROM (SELECT j.*, x.before_ns, x.start_ns
            FROM executions x JOIN works w USING (work)
            JOIN judges j ON j.kind = 'compute' AND j.context = -1 AND w.edge = j.snippet AND w.rank = j.rank
                         AND size_of(w.state, w.bytes) = j.bytes AND size_before(w.edge, w.before_bytes) = j.before_bytes
                         AND x.before_ns >= j.from_ns AND x.before_ns < j.to_ns
           WHERE w.thread = 0 AND w.edge >= 0
          UNION ALL
          SELECT j.*, i.before_ns, i.start_ns
            FROM irregular_calls i
            JOIN judges j ON j.kind = 'compute' AND j.context = -1 AND i.edge = j.snippet AND i.rank = j.rank
                         AND size_of(i.state, i.bytes) = j.bytes AND size_before(i.edge, i.before_bytes) = j.before_bytes
                         AND i.before_ns >= j.from_ns AND i.before_ns < j.to_ns
           WHERE i.thread = 0 AND i.edge >= 0
          UNION ALL
          SELECT j.*, a.end_ns - a.start_ns, a.end_ns
            FROM told_apart a JOIN judges j ON j.kind = 'compute' AND ${apart} WHERE a.kind = 'compute') c
    LEFT JOIN reference_factors f ON f.class = c.class AND f.rank = c.rank
     AND f.block = least((c.start_ns - c.before_ns - c.first_ns) // c.block_ns, c.blocks - 1);
CREATE VIEW judged_calls AS     -- the same for calls of every kind
  SELECT c.kind, c.rank, c.class, c.start_ns, c.end_ns,
         c.reference_ns * coalesce(f.factor, 1) AS reference_ns,
         c.usual_ns * coalesce(f.factor, 1) AS usual_ns,
         coalesce(c.reference_ns * f.factor * f.allowance, c.allowed_ns) AS allowed_ns
    FROM (SELECT j.*, x.start_ns, x.end_ns
            FROM executions x JOIN works w USING (work)
            JOIN judges j ON j.kind <> 'compute' AND j.context = -1 AND w.state = j.snippet AND w.rank = j.rank
                         AND size_of(w.state, w.bytes) = j.bytes AND w.communicator = j.communicator
                         AND w.requests = j.requests
                         AND x.end_ns - x.start_ns >= j.from_ns AND x.end_ns - x.start_ns < j.to_ns
           WHERE w.thread = 0 AND w.edge >= 0
          UNION ALL
          SELECT j.*, i.start_ns, i.end_ns
            FROM irregular_calls i
            JOIN judges j ON j.kind <> 'compute' AND j.context = -1 AND i.state = j.snippet AND i.rank = j.rank
                         AND size_of(i.state, i.bytes) = j.bytes AND i.communicator = j.communicator
                         AND i.requests = j.requests
                         AND i.end_ns - i.start_ns >= j.from_ns AND i.end_ns - i.start_ns < j.to_ns
           WHERE i.thread = 0 AND i.edge >= 0
          UNION ALL
          SELECT j.*, a.start_ns, a.end_ns
            FROM told_apart a JOIN judges j ON j.kind = a.kind AND ${apart} WHERE a.kind <> 'compute') c
    LEFT JOIN reference_factors f ON f.class = c.class AND f.rank = c.rank
     AND f.block = least((c.start_ns - c.first_ns) // c.block_ns, c.blocks - 1);
CREATE VIEW iterations AS       -- of the main loop: from one call of its state to the next; empty if no such loop was found
  SELECT rank, iteration, start_ns, next_ns AS end_ns
    FROM (SELECT rank, row_number() OVER course AS iteration, start_ns, lead(start_ns) OVER course AS next_ns
            FROM calls
           WHERE thread = 0 AND state = (SELECT value::INTEGER FROM analysis_meta WHERE key = 'loop_state')
          WINDOW course AS (PARTITION BY rank ORDER BY start_ns))
   WHERE next_ns IS NOT NULL;
CREATE VIEW judged_communication AS FROM judged_calls WHERE kind = 'communication';
CREATE VIEW judged_io AS FROM judged_calls WHERE kind = 'io';
`;
