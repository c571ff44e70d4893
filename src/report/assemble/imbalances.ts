import type { Store } from "../../trace/store.ts";
import type { Imbalance, Kind } from "../model.ts";

interface ImbalanceRow extends Record<string, unknown> {
  kind: Kind;
  ranks: number[];
  excess_percent: number;
  cost_ns: number;
  verdict: Imbalance["verdict"];
  reason: string;
}

/** Ranks that took longer throughout, the most costly first. */
export async function buildImbalances(store: Store): Promise<Imbalance[]> {
  const rows = await store.rows<ImbalanceRow>(
    "SELECT kind, ranks, excess_percent, cost_ns, verdict, reason FROM imbalances ORDER BY cost_ns DESC, kind, ranks",
  );
  return rows.map((row) => ({
    kind: row.kind,
    ranks: row.ranks,
    excessPercent: row.excess_percent,
    costSeconds: row.cost_ns / 1e9,
    verdict: row.verdict,
    reason: row.reason,
  }));
}
