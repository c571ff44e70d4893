import type { Store } from "../trace/store.ts";
import { CALL_MATCH } from "./work-cells.ts";
import { insertRows } from "./columns.ts";

interface Interval {
  region: number;
  start: number;
  end: number;
  /** Largest loss of one of its slow ranks, ns. */
  loss: number;
  slow: number[];
}

/** A rank is listed as waiting from this share of the largest loss. */
const LISTED = 0.1;

/**
 * Pass 6. Who waited while others worked slowly.
 *
 * In a region of computation or I/O, a rank whose own work was fine needs as much communication per progress as elsewhere;
 * progress is the reference time of its computations. What its calls took beyond that is waiting, at most the loss
 * of the slowest rank. Transfer and waiting are not told apart yet.
 *
 * Reads `calls`, classes, `bins`, `regions`; adds `region_ranks` with role waiting, and writes temporary `waits`: per
 * region and rank, waiting by the ledger part that it is taken from.
 */
export async function findWaiting(store: Store, binNs: number): Promise<void> {
  await store.execute(
    "CREATE OR REPLACE TEMP TABLE waits(rank INTEGER, part VARCHAR, waiting_ns DOUBLE)",
  );
  const intervals = await store.rows<Record<string, unknown> & Interval>(`
    SELECT region, start_ns AS start, end_ns AS "end", max(k.lost_ns) AS loss, list(rank ORDER BY rank) AS slow
      FROM regions JOIN region_ranks k USING (region) WHERE kind <> 'communication' GROUP BY ALL ORDER BY region`);
  if (intervals.length === 0) return;
  const inside = await Promise.all(intervals.map((one) => insideOf(store, one, binNs)));
  const usual = await usualRates(store, inside);
  const members: (string | number)[][] = [];
  const waits: (string | number)[][] = [];
  for (const [i, one] of intervals.entries()) {
    const slow = new Set(one.slow);
    for (const [rank, { parts, reference }] of inside[i]!) {
      if (slow.has(rank)) continue;
      const observed = parts.reduce((sum, [, ns]) => sum + ns, 0);
      const expected = (usual.get(rank) ?? 0) * reference;
      const waiting = Math.min(one.loss, Math.max(0, observed - expected));
      if (waiting < LISTED * one.loss) continue;
      members.push([one.region, rank, "waiting", observed, observed - waiting, waiting]);
      const share = waiting / observed;
      for (const [part, ns] of parts) waits.push([rank, part, ns * share]);
    }
  }
  await insertRows(store, "region_ranks", members);
  await insertRows(store, "waits", waits);
}

/** Per rank: communication by ledger part, and progress, ns. */
type Inside = Map<number, { parts: [string, number][]; reference: number }>;

async function insideOf(store: Store, { start, end }: Interval, binNs: number): Promise<Inside> {
  const calls = await store.rows<{ rank: number; part: string; ns: number }>(`
    SELECT c.rank, if(r.class IS NULL, coalesce(nullif(w.status, 'vsensor'), 'too_few_repeats'), w.status) AS part,
           sum(least(c.end_ns, ${end}) - greatest(c.start_ns, ${start}))::DOUBLE AS ns
      FROM calls c JOIN state_kinds k ON k.state = c.state AND k.kind = 'communication'
      LEFT JOIN (SELECT m.*, w.from_ns, w.to_ns, w.status FROM class_works m JOIN work_classes w USING (class)
                  WHERE m.kind = 'communication') w
        ON ${CALL_MATCH.replaceAll("m.", "w.")}
       AND c.end_ns - c.start_ns >= w.from_ns * w.scale AND c.end_ns - c.start_ns < w.to_ns * w.scale
      LEFT JOIN rank_references r ON r.class = w.class AND r.rank = c.rank
     WHERE c.thread = 0 AND c.edge >= 0 AND c.end_ns > ${start} AND c.start_ns < ${end}
     GROUP BY 1, 2 ORDER BY 1, 2`);
  const length = `${binNs}::BIGINT`;
  const progress = await store.rows<{ rank: number; ns: number }>(`
    SELECT rank, sum(round(reference_ns * greatest(0, least((bin + 1) * ${length}, ${end})
                     - greatest(bin * ${length}, ${start})) / ${binNs})::BIGINT)::DOUBLE AS ns
      FROM bins WHERE kind = 'compute' AND bin >= ${Math.floor(start / binNs)} AND bin * ${length} < ${end}
     GROUP BY rank`);
  const inside: Inside = new Map(
    progress.map((row) => [row.rank, { parts: [], reference: row.ns }]),
  );
  for (const { rank, part, ns } of calls) {
    const entry = inside.get(rank) ?? { parts: [], reference: 0 };
    entry.parts.push([part, ns]);
    inside.set(rank, entry);
  }
  return inside;
}

/** Communication per progress of each rank outside of all regions. */
async function usualRates(store: Store, inside: readonly Inside[]): Promise<Map<number, number>> {
  const rows = await store.rows<{ rank: number; calls: number; reference: number }>(`
    SELECT v.rank, v.calls, coalesce(b.reference, 0) AS reference
      FROM (SELECT rank, sum(total_ns)::DOUBLE AS calls FROM vectors WHERE kind = 'communication' GROUP BY rank) v
      LEFT JOIN (SELECT rank, sum(reference_ns::BIGINT)::DOUBLE AS reference FROM bins
                  WHERE kind = 'compute' GROUP BY rank) b USING (rank)`);
  return new Map(
    rows.map(({ rank, calls, reference }) => {
      let [time, progress] = [calls, reference];
      for (const one of inside) {
        const entry = one.get(rank);
        if (!entry) continue;
        time -= entry.parts.reduce((sum, [, ns]) => sum + ns, 0);
        progress -= entry.reference;
      }
      return [rank, progress > 0 ? Math.max(0, time) / progress : 0];
    }),
  );
}
