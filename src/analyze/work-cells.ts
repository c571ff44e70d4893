import type { Store } from "../trace/store.ts";
import { BINS_PER_E } from "./settings.ts";

/**
 * Pass 2. How long the fragments of each key took, over rank and time: `work_cells`, temporary, one row per
 * key, rank, time block of the key and bin of log duration; durations divided by the scale of their vector.
 *
 * Everything up to reference times works on these counts, so its cost does not grow with the trace.
 */
export async function countCells(store: Store): Promise<void> {
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE work_cells AS
      ${cells("compute", "start_ns - before_ns", "before_ns", COMPUTE_MATCH)}
      UNION ALL
      ${cells("communication", "start_ns", "end_ns - start_ns", CALL_MATCH)}
      UNION ALL
      ${cells("io", "start_ns", "end_ns - start_ns", CALL_MATCH)};
  `);
}

/** How a call or a work finds the work vector `m` of the computation before it, and of itself. Sizes: see coarse-sizes.ts. */
export const COMPUTE_MATCH =
  "c.edge = m.snippet AND size_of(c.state, c.bytes) = m.bytes AND size_before(c.edge, c.before_bytes) = m.before_bytes";
export const CALL_MATCH =
  "c.state = m.snippet AND size_of(c.state, c.bytes) = m.bytes AND c.communicator = m.communicator AND c.requests = m.requests";
/** How a fragment of told_apart does. */
export const APART_MATCH =
  "c.snippet = m.snippet AND c.bytes = m.bytes AND c.before_bytes = m.before_bytes AND c.communicator = m.communicator AND c.requests = m.requests AND c.context = m.context";

function cells(kind: string, start: string, duration: string, match: string): string {
  const columns = "m.key, c.rank, m.first_ns, m.block_ns, m.blocks, m.scale";
  const keyed = (of: string, more: string): string => `
      SELECT ${columns}, ${more}
        FROM ${of} c JOIN (SELECT * FROM key_map WHERE kind = '${kind}' AND enough AND context = -1) m ON ${match}
       WHERE c.thread = 0 AND c.edge >= 0`;
  return `
    SELECT key, rank,
           least((fragment_ns - first_ns) // block_ns, blocks - 1)::INTEGER AS block,
           floor(ln(greatest(ns / scale, 1)) * ${BINS_PER_E})::INTEGER AS bin,
           count(*)::DOUBLE AS n, sum(if(scale = 1, ns, round(ns / scale)::BIGINT))::DOUBLE AS total_ns,
           sum(ns)::DOUBLE AS raw_ns
      FROM (SELECT w.* EXCLUDE (work), ${start} AS fragment_ns, ${duration} AS ns
              FROM executions JOIN (${keyed("works", "c.work")}) w USING (work)
            UNION ALL ${keyed("irregular_calls", `${start} AS fragment_ns, ${duration} AS ns`)}
            UNION ALL
            SELECT ${columns}, c.start_ns, c.end_ns - c.start_ns
              FROM told_apart c JOIN key_map m ON ${APART_MATCH}
             WHERE c.kind = '${kind}' AND m.kind = '${kind}' AND m.enough)
     GROUP BY 1, 2, 3, 4`;
}
