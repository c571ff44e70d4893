import { insertRows } from "./columns.ts";
import type { Store } from "../trace/store.ts";
import { CALL_MATCH, COMPUTE_MATCH } from "./work-cells.ts";

/** One fragment, or all of a path on a rank on average, must take this share of the run to be listed. */
const LEAST_SHARE = 0.005;
/** Paths listed at most, those with most time. */
const MOST_PATHS = 1000;

/**
 * Paths that were taken too seldom to be judged, but took long: start-up, checkpoints, error handling, a branch that one
 * rank alone goes. Never judged, never dropped.
 *
 * Reads calls, `work_classes`, temporary `work_keys`, `key_map`; writes `unusual_paths`.
 */
export async function listUnusualPaths(store: Store, wallNs: number): Promise<void> {
  // Classes follow keys; a key with too few repeats is one class, and its times are all in there.
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE rare AS
      SELECT m.* FROM key_map m
       WHERE m.context = -1 AND m.kind <> 'wait' AND m.key IN (
         SELECT k.key FROM work_keys k JOIN work_classes c
             ON k.kind = c.kind AND k.snippet = c.snippet AND k.bytes = c.bytes AND k.before_bytes = c.before_bytes
            AND k.communicator = c.communicator AND k.requests = c.requests AND k.context = c.context
          GROUP BY k.key HAVING bool_and(c.status = 'too_few_repeats') AND sum(c.total_ns) >= ${LEAST_SHARE * wallNs});`);
  const parts = ["compute", "communication", "io"].map((kind) => {
    const start = kind === "compute" ? "start_ns - before_ns" : "start_ns";
    const ns = kind === "compute" ? "before_ns" : "end_ns - start_ns";
    const match = kind === "compute" ? COMPUTE_MATCH : CALL_MATCH;
    const keyed = (table: string): string => `
      FROM ${table} c JOIN (SELECT * FROM rare WHERE kind = '${kind}') m ON ${match} WHERE c.thread = 0 AND c.edge >= 0`;
    return `
      SELECT key, rank, ${start} AS at_ns, ${ns} AS ns FROM executions JOIN (SELECT m.key, c.rank, c.work ${keyed("works")}) USING (work)
      UNION ALL
      SELECT m.key, c.rank, ${start}, ${ns} ${keyed("irregular_calls")}`;
  });
  const rows = await store.rows<Record<string, string | number>>(`
    WITH fragments AS (${parts.join(" UNION ALL ")}),
         sums AS (
      SELECT key, count(*) AS fragments, count(DISTINCT rank)::INTEGER AS ranks, sum(ns)::BIGINT AS total_ns, max(ns) AS longest_ns,
             min({'ns': -ns, 'rank': rank, 'at_ns': at_ns}) AS longest
        FROM fragments GROUP BY key)
    SELECT k.kind, k.snippet, k.bytes, k.before_bytes, fragments, s.ranks, s.total_ns, longest_ns,
           longest.rank AS longest_rank, longest.at_ns AS longest_at
      FROM sums s JOIN work_keys k USING (key)
     WHERE longest_ns >= ${LEAST_SHARE * wallNs} OR s.total_ns >= ${LEAST_SHARE * wallNs} * s.ranks
     ORDER BY s.total_ns DESC, key LIMIT ${MOST_PATHS}`);
  await insertRows(
    store,
    "unusual_paths",
    rows.map((row) => Object.values(row)),
  );
  await store.execute("DROP TABLE rare");
}
