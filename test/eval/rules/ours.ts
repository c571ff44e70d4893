import { readColumns } from "../../../src/analyze/columns.ts";
import type { Store } from "../../../src/trace/store.ts";
import type { Region } from "../score/region.ts";
import { FLAGGED, type Verdict } from "./verdict.ts";

/** What varscope's analysis left in a store, in the terms of the kit. */
export async function ourVerdict(store: Store): Promise<Verdict> {
  const { flagged, performance, coverage } = (await store.row<{
    flagged: number;
    performance: number;
    coverage: number;
  }>(`
    WITH length AS (SELECT value::DOUBLE AS ns FROM analysis_meta WHERE key = 'bin_ns')
    SELECT (SELECT coalesce(avg(if(reference_ns < ${FLAGGED} * observed_ns OR EXISTS (
                     FROM region_ranks k JOIN regions r USING (region)
                     WHERE k.rank = b.rank AND k.role = 'slow' AND r.kind = 'compute'
                       AND r.start_ns < (b.bin + 1) * ns AND r.end_ns > b.bin * ns), 1, 0)), 0)
              FROM bins b, length WHERE kind = 'compute') AS flagged,
           (SELECT coalesce(sum(reference_ns) / sum(observed_ns), 1) FROM bins WHERE kind = 'compute') AS performance,
           (SELECT sum(ns) FILTER (part = 'vsensor') / sum(ns) FROM ledger) AS coverage`))!;
  return {
    classes: await ourClasses(store),
    regions: await ourRegions(store),
    flagged,
    performance,
    coverage,
  };
}

/** Class of each computation by rank and start, whatever its status; -1 for those in none. */
async function ourClasses(store: Store): Promise<Float64Array> {
  const [classes] = await readColumns(
    store,
    `WITH own AS (SELECT m.*, k.from_ns, k.to_ns FROM class_works m JOIN work_classes k USING (class)
                   WHERE m.kind = 'compute')
     SELECT coalesce(w.class, t.class, -1)::DOUBLE
       FROM calls c LEFT JOIN (FROM own WHERE context = -1) w
         ON c.edge = w.snippet AND size_of(c.state, c.bytes) = w.bytes AND size_before(c.edge, c.before_bytes) = w.before_bytes
        AND c.before_ns >= w.from_ns AND c.before_ns < w.to_ns
       LEFT JOIN (SELECT a.rank, a.end_ns, o.class
                    FROM told_apart a JOIN own o USING (kind, snippet, bytes, before_bytes, context)
                   WHERE a.end_ns - a.start_ns >= o.from_ns AND a.end_ns - a.start_ns < o.to_ns) t
         ON c.rank = t.rank AND c.start_ns = t.end_ns
      WHERE c.thread = 0 AND c.edge >= 0 ORDER BY c.rank, c.start_ns`,
  );
  return classes!;
}

async function ourRegions(store: Store): Promise<Region[]> {
  const rows = await store.rows<{
    kind: string;
    start: number;
    end: number;
    lost: number;
    low: number;
    high: number;
    slow: number[];
  }>(`
    SELECT kind, start_ns AS start, end_ns AS "end", lost_ns AS lost, lost_low_ns AS low, lost_high_ns AS high,
           (SELECT coalesce(list(rank ORDER BY rank), []) FROM region_ranks k
             WHERE k.region = r.region AND role = 'slow') AS slow
      FROM regions r ORDER BY region`);
  return rows.map(({ kind, start, end, lost, low, high, slow }) => ({
    kind,
    parts: slow.map((rank) => ({ rank, startNs: start, endNs: end })),
    lostNs: lost,
    interval: [low, high],
  }));
}

/** Imbalances of a store: whose, and what is said of them. */
export function ourImbalances(store: Store): Promise<{ ranks: number[]; verdict: string }[]> {
  return store.rows("SELECT ranks, verdict FROM imbalances ORDER BY cost_ns DESC");
}

/** How far the parts of the worst rank's ledger are from its time, as a share of it. */
export async function ledgerError(store: Store): Promise<number> {
  const row = await store.row<{ error: number }>(`
    SELECT max(abs(parts - total) / total) AS error
      FROM (SELECT rank, sum(ns) AS parts FROM ledger GROUP BY rank)
      JOIN (SELECT rank, (end_ns - init_ns)::DOUBLE AS total FROM ranks) USING (rank)`);
  return row!.error;
}
