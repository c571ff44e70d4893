import type { Store } from "../trace/store.ts";
import type { Settings } from "./settings.ts";

/** Share of its snippet's fragments or time with which a work vector always stands alone, */
const SHARE = 0.05;
/** or the share of its snippet's lifetime that it spans, with some share of the fragments. */
const SPAN = 0.5;
const RARE = 0.005;

/**
 * Pass 1. Groups the fragments of each snippet by work vector.
 *
 * Reads calls, executions summed up by work first; writes temporary tables:
 * - `vectors`: one row per work vector and rank, with counts, total time and first and last start
 * - `work_keys`: what is looked at as one work: a vector with enough fragments, or all the rare vectors of a
 *   snippet together (bytes and before_bytes -1), with its time blocks
 * - `key_map`: from vector to key, for keys with enough fragments. Later passes set `context` (-1: any) and `scale`, by
 *   which the time of a vector is divided before it is compared with others of the key
 *
 * A vector stands alone with 10 fragments per rank, if it is a large part of its snippet or comes back throughout. The
 * rest is pooled: where sizes change all the time (lists of neighbours that are built anew), the snippet alone says
 * what the work is, and its spread decides later whether that is so. Kinds of calls: view state_kinds; 'wait' is
 * never judged.
 */
export async function groupWork(store: Store, settings: Settings): Promise<void> {
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE work_sums AS
      SELECT w.* EXCLUDE (work, thread) REPLACE (size_of(state, bytes) AS bytes, size_before(edge, before_bytes) AS before_bytes),
             s.* EXCLUDE (work)
        FROM works w JOIN (
          SELECT work, count(*) AS n, sum(before_ns)::BIGINT AS compute_ns,
                 sum(end_ns - start_ns)::BIGINT AS call_ns,
                 min(start_ns - before_ns) AS first_compute, max(start_ns - before_ns) AS last_compute,
                 min(start_ns) AS first_call, max(start_ns) AS last_call
            FROM executions GROUP BY work) s USING (work)
       WHERE w.thread = 0 AND w.edge >= 0;
    CREATE OR REPLACE TEMP TABLE vectors AS
      SELECT 'compute' AS kind, edge AS snippet, bytes, before_bytes, -1 AS communicator,
             0 AS requests, rank, sum(n)::BIGINT AS n, sum(total_ns)::BIGINT AS total_ns,
             min(first_ns) AS first_ns, max(last_ns) AS last_ns
        FROM (SELECT edge, bytes, before_bytes, rank, n, compute_ns AS total_ns,
                     first_compute AS first_ns, last_compute AS last_ns FROM work_sums
              UNION ALL
              SELECT edge, size_of(state, bytes), size_before(edge, before_bytes), rank, 1, before_ns, start_ns - before_ns, start_ns - before_ns
                FROM irregular_calls WHERE thread = 0 AND edge >= 0)
       GROUP BY edge, bytes, before_bytes, rank
      UNION ALL
      SELECT kind, state, bytes, 0, communicator, requests, rank, sum(n)::BIGINT,
             sum(total_ns)::BIGINT, min(first_ns), max(last_ns)
        FROM (SELECT state, bytes, communicator, requests, rank, n, call_ns AS total_ns,
                     first_call AS first_ns, last_call AS last_ns FROM work_sums
              UNION ALL
              SELECT state, size_of(state, bytes), communicator, requests, rank, 1, end_ns - start_ns, start_ns, start_ns
                FROM irregular_calls WHERE thread = 0 AND edge >= 0) JOIN state_kinds USING (state)
       GROUP BY kind, state, bytes, communicator, requests, rank;
    DROP TABLE work_sums;
    CREATE OR REPLACE TEMP TABLE vector_groups AS
      WITH sums AS (
        SELECT kind, snippet, bytes, before_bytes, communicator, requests, sum(n) AS n, count(*) AS ranks,
               sum(total_ns) AS total_ns, max(last_ns) - min(first_ns) AS span_ns,
               min(first_ns) AS first_ns, max(last_ns) AS last_ns
          FROM vectors GROUP BY kind, snippet, bytes, before_bytes, communicator, requests),
      shares AS (
        SELECT *, n / sum(n) OVER snippets AS share, total_ns / sum(total_ns) OVER snippets AS time_share,
               span_ns / (max(last_ns) OVER snippets - min(first_ns) OVER snippets) AS span_share
          FROM sums WINDOW snippets AS (PARTITION BY kind, snippet))
      SELECT *, n < 10 * ranks
                OR NOT (share >= ${SHARE} OR time_share >= ${SHARE}
                        OR (span_share >= ${SPAN} AND share >= ${RARE}))
                OR has_coarse_sizes(kind, snippet) AS pooled
        FROM shares;
    CREATE OR REPLACE TEMP TABLE vector_keys AS
      SELECT *, if(pooled, -1, bytes) AS key_bytes, if(pooled, -1, before_bytes) AS key_before
        FROM vector_groups;
    CREATE OR REPLACE TEMP TABLE work_keys AS
      WITH keys AS (
        SELECT g.kind, g.snippet, g.key_bytes AS bytes, g.key_before AS before_bytes,
               g.communicator, g.requests, sum(v.n)::BIGINT AS n, sum(v.total_ns)::BIGINT AS total_ns,
               count(DISTINCT v.rank)::INTEGER AS ranks, min(v.first_ns) AS first_ns,
               max(v.last_ns) AS last_ns
          FROM vectors v JOIN vector_keys g USING (kind, snippet, bytes, before_bytes, communicator, requests)
         GROUP BY ALL)
      SELECT row_number() OVER (
               ORDER BY kind, snippet, bytes, before_bytes, communicator, requests)::INTEGER AS key,
             *, -1 AS context, if(bytes < 0, 'sizes pooled', 'arguments') AS basis, 'inferred' AS evidence,
             n >= ${settings.minFragments} AND n >= ${settings.minRankFragments} * ranks AS enough,
             greatest(4, least(128, floor(1.5 * sqrt(n / ranks))))::INTEGER AS blocks,
             ((last_ns - first_ns) // greatest(4, least(128, floor(1.5 * sqrt(n / ranks))))::BIGINT + 1)
               AS block_ns
        FROM keys;
    CREATE OR REPLACE TEMP TABLE key_map AS
      SELECT k.key, g.kind, g.snippet, g.bytes, g.before_bytes, g.communicator, g.requests,
             -1::BIGINT AS context, 1::DOUBLE AS scale,
             k.first_ns, k.block_ns, k.blocks, k.enough
        FROM work_keys k JOIN vector_keys g
          ON k.kind = g.kind AND k.snippet = g.snippet AND k.bytes = g.key_bytes
         AND k.before_bytes = g.key_before AND k.communicator = g.communicator
         AND k.requests = g.requests;
  `);
}
