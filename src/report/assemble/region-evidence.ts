import type { Store } from "../../trace/store.ts";
import type { RegionEvidence } from "../model.ts";

interface Row extends Record<string, unknown> {
  region: number;
  source: RegionEvidence["source"];
  kind: RegionEvidence["kind"];
  against: RegionEvidence["against"];
  inside_count: number | null;
  outside_count: number | null;
  ratio: number | null;
  low: number | null;
  high: number | null;
  share: number | null;
  verdict: RegionEvidence["verdict"];
}

const ORDER = ["compute", "cache", "memory", "run_delay", "steal_time", "involuntary_switches"];

/** What probes and the kernel tell of each region, by region. */
export async function buildEvidence(store: Store): Promise<Map<number, RegionEvidence[]>> {
  const rows = await store.rows<Row>(`
    SELECT * FROM region_evidence
     ORDER BY region, list_position([${ORDER.map((one) => `'${one}'`).join(", ")}], kind)`);
  const out = new Map<number, RegionEvidence[]>();
  for (const row of rows) {
    const interval: [number, number] | null =
      row.low === null || row.high === null ? null : [row.low, row.high];
    const isProbe = row.source === "probes";
    const one: RegionEvidence = {
      source: row.source,
      kind: row.kind,
      against: row.against,
      insideCount: row.inside_count,
      outsideCount: row.outside_count,
      ratio: row.ratio,
      ratioInterval: isProbe ? interval : null,
      share: row.share,
      shareInterval: isProbe ? null : interval,
      verdict: row.verdict,
    };
    out.set(row.region, [...(out.get(row.region) ?? []), one]);
  }
  return out;
}
