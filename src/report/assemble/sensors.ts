import type { Store } from "../../trace/store.ts";
import type { Evidence, Kind, Sensor } from "../model.ts";
import { readPlaces } from "./sources.ts";

/** Sensors whose places are looked up in the program's symbols; the rest keeps module and offset. */
const MOST_WITH_SOURCE = 50;

interface SensorRow extends Record<string, unknown> {
  id: number;
  kind: Kind;
  from_state: number;
  to_state: number;
  from_call: string;
  to_call: string;
  from_site: string;
  to_site: string;
  evidence: Evidence;
  basis: string;
  confidence: number;
  verdict: Sensor["verdict"];
  reference_low_ns: number | null;
  reference_high_ns: number | null;
  fragments: number;
  reference_ns: number;
  total_ns: number;
  lost_ns: number;
}

/** Work classes that judge performance, those with most time first. */
export async function buildSensors(store: Store): Promise<Sensor[]> {
  const rows = await store.rows<SensorRow>(`
    WITH placed AS (
      SELECT c.class AS id, c.kind, c.evidence, c.basis, c.confidence, c.verdict, c.reference_low_ns, c.reference_high_ns, c.fragments, c.reference_ns, c.total_ns, c.lost_ns,
             coalesce(e.from_state, c.snippet) AS from_state,
             coalesce(e.to_state, c.snippet) AS to_state
        FROM work_classes c
        LEFT JOIN edges e ON c.kind = 'compute' AND e.edge = c.snippet
       WHERE c.status = 'vsensor')
    SELECT p.id, p.kind, p.from_state, p.to_state, f.call AS from_call, t.call AS to_call,
           f.site AS from_site, t.site AS to_site, p.evidence, p.basis, p.confidence, p.verdict, p.reference_low_ns, p.reference_high_ns, p.fragments, p.reference_ns,
           p.total_ns, greatest(coalesce(p.lost_ns, 0), 0)::DOUBLE AS lost_ns
      FROM placed p
      JOIN sites f ON f.state = p.from_state
      JOIN sites t ON t.state = p.to_state
     ORDER BY p.total_ns DESC, p.id`);
  const top = rows.slice(0, MOST_WITH_SOURCE);
  const states = new Set(top.flatMap((row) => [row.from_state, row.to_state]));
  const places = await readPlaces(store, [...states]);
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    from: row.from_call,
    to: row.to_call,
    site: row.to_site,
    fromSite: row.from_site,
    source: places.get(row.to_state)?.source ?? null,
    fromSource: places.get(row.from_state)?.source ?? null,
    function: places.get(row.to_state)?.function ?? null,
    path: places.get(row.to_state)?.path ?? [row.to_site],
    evidence: row.evidence,
    basis: row.basis,
    confidence: Math.round(row.confidence * 1000) / 1000,
    verdict: row.verdict,
    fragments: row.fragments,
    referenceSeconds: row.reference_ns / 1e9,
    referenceInterval: [
      (row.reference_low_ns ?? row.reference_ns) / 1e9,
      (row.reference_high_ns ?? row.reference_ns) / 1e9,
    ],
    totalSeconds: row.total_ns / 1e9,
    lostSeconds: row.lost_ns / 1e9,
  }));
}
