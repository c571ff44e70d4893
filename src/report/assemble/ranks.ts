import type { Store } from "../../trace/store.ts";
import type { RankSummary } from "../model.ts";

interface RankRow extends Record<string, unknown> {
  rank: number;
  host: string;
  compute_ns: number;
  communication_ns: number;
  io_ns: number;
  waiting_ns: number;
  performance: number | null;
}

/** Where each rank's time went (from the ledger) and how fast its own work was. */
export async function buildRanks(store: Store): Promise<RankSummary[]> {
  const rows = await store.rows<RankRow>(`
    WITH times AS (
      SELECT rank, sum(ns) FILTER (kind = 'compute') AS compute_ns,
             sum(ns) FILTER (kind = 'communication') AS communication_ns,
             sum(ns) FILTER (kind = 'io') AS io_ns,
             sum(ns) FILTER (part = 'waiting') AS waiting_ns
        FROM ledger GROUP BY rank),
    speeds AS (
      SELECT rank, sum(reference_ns) / nullif(sum(observed_ns), 0) AS performance
        FROM bins WHERE kind = 'compute' GROUP BY rank)
    SELECT r.rank, r.host, coalesce(compute_ns, 0)::DOUBLE AS compute_ns,
           coalesce(communication_ns, 0)::DOUBLE AS communication_ns,
           coalesce(io_ns, 0)::DOUBLE AS io_ns, coalesce(waiting_ns, 0)::DOUBLE AS waiting_ns,
           performance
      FROM ranks r LEFT JOIN times USING (rank) LEFT JOIN speeds USING (rank) ORDER BY r.rank`);
  return rows.map((row) => ({
    rank: row.rank,
    host: row.host,
    computeSeconds: row.compute_ns / 1e9,
    communicationSeconds: row.communication_ns / 1e9,
    ioSeconds: row.io_ns / 1e9,
    waitingSeconds: row.waiting_ns / 1e9,
    performance: row.performance,
  }));
}
