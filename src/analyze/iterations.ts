import type { Store } from "../trace/store.ts";
import { insertRows, readColumns } from "./columns.ts";
import { loopStates } from "./loop-states.ts";

/** Calls of the first rank in which loops are looked for. */
const MOST_CALLS = 1_000_000;
/** The main loop takes this share of the run at least. */
const LEAST_SHARE = 0.5;

/**
 * Pass "iterations". The program's main loop, found by itself: a state that is called once in each iteration (loop-states.ts), equally often on
 * all ranks, of which no call was left out. An iteration lasts from one of its calls to the next.
 *
 * Reads `calls`, `ranks`, `sampled_out`, `gaps`; writes `region_iterations`, and `loop_state`, by which the view `iterations` goes, and `iterations` into analysis_meta. Nothing is written if there is no such loop.
 */
export async function findIterations(store: Store, wallNs: number): Promise<void> {
  const [states] = await readColumns(
    store,
    `WITH one AS (SELECT min(rank) AS rank FROM ranks)
     SELECT c.state FROM calls c JOIN one USING (rank)
      WHERE c.thread = 0 AND c.edge >= 0 AND NOT EXISTS (FROM sampled_out o WHERE o.state = c.state)
      ORDER BY c.start_ns LIMIT ${MOST_CALLS}`,
  );
  for (const state of loopStates(states!)) {
    await store.execute(`
      CREATE OR REPLACE TEMP TABLE loop_calls AS
        SELECT rank, start_ns, row_number() OVER (PARTITION BY rank ORDER BY start_ns) AS iteration
          FROM calls WHERE thread = 0 AND state = ${state}`);
    const loop = await store.row<{ iterations: number; alike: boolean; share: number }>(`
      SELECT max(n)::INTEGER AS iterations, min(n) = max(n) AND count(*) = (SELECT count(*) FROM ranks) AS alike,
             min(ns) / ${wallNs} AS share
        FROM (SELECT count(*) AS n, max(start_ns) - min(start_ns) AS ns FROM loop_calls GROUP BY rank)`);
    if (!loop!.alike || loop!.share < LEAST_SHARE) continue;
    await insertRows(store, "analysis_meta", [
      ["loop_state", String(state)],
      ["iterations", String(loop!.iterations)],
    ]);
    await store.execute(PLACE_REGIONS);
    break;
  }
  await store.execute("DROP TABLE IF EXISTS loop_calls");
}

/** A region that begins before the loop begins in its first iteration. */
const PLACE_REGIONS = `
  INSERT INTO region_iterations
    SELECT r.region, coalesce(max(iteration) FILTER (l.start_ns <= r.start_ns), 1), max(iteration) FILTER (l.start_ns < r.end_ns)
      FROM regions r
      JOIN (SELECT region, min(rank) AS rank FROM region_ranks WHERE role = 'slow' GROUP BY region) k USING (region)
      JOIN loop_calls l USING (rank)
     GROUP BY r.region HAVING max(iteration) FILTER (l.start_ns < r.end_ns) IS NOT NULL ORDER BY r.region`;
