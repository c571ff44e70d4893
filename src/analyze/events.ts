import { insertRows } from "./columns.ts";
import type { Store } from "../trace/store.ts";

/** A region as far as events are concerned. */
export interface Occurrence {
  region: number;
  kind: string;
  startNs: number;
  endNs: number;
  lostNs: number;
  /** World ranks that were slow. */
  ranks: readonly number[];
}

/** Regions of two kinds belong together if they share this much of the shorter one. */
const SHARED = 0.5;

/**
 * Event of each region, from 1, most lost time first: regions of different kinds that have a slow rank in common at
 * the same time are one, and so are those which a third one joins.
 */
export function eventsOf(regions: readonly Occurrence[]): Map<number, number> {
  const groups: Occurrence[][] = [];
  for (const region of regions) {
    const met = groups.filter((group) => group.some((other) => belongTogether(other, region)));
    for (const group of met) groups.splice(groups.indexOf(group), 1);
    groups.push([...met.flat(), region]);
  }
  const lost = (group: readonly Occurrence[]) => group.reduce((sum, one) => sum + one.lostNs, 0);
  const first = (group: readonly Occurrence[]) => Math.min(...group.map((one) => one.region));
  const ordered = groups.toSorted((a, b) => lost(b) - lost(a) || first(a) - first(b));
  return new Map(
    ordered.flatMap((group, i) => group.map(({ region }) => [region, i + 1] as const)),
  );
}

function belongTogether(a: Occurrence, b: Occurrence): boolean {
  if (a.kind === b.kind || !a.ranks.some((rank) => b.ranks.includes(rank))) return false;
  const shared = Math.min(a.endNs, b.endNs) - Math.max(a.startNs, b.startNs);
  return shared > 0 && shared >= SHARED * Math.min(a.endNs - a.startNs, b.endNs - b.startNs);
}

/** Fills the column `event` of `regions`. */
export async function numberEvents(store: Store): Promise<void> {
  const rows = await store.rows<Record<string, unknown> & Occurrence>(
    `SELECT region, kind, start_ns AS "startNs", end_ns AS "endNs", lost_ns AS "lostNs",
            (SELECT coalesce(list(rank ORDER BY rank), []) FROM region_ranks k
              WHERE k.region = r.region AND role = 'slow') AS ranks
       FROM regions r ORDER BY region`,
  );
  const events = eventsOf(rows);
  await store.execute("CREATE OR REPLACE TEMP TABLE region_events(region INTEGER, event INTEGER)");
  await insertRows(store, "region_events", [...events]);
  await store.execute(`
    UPDATE regions SET event = e.event FROM region_events e WHERE e.region = regions.region;
    DROP TABLE region_events;`);
}
