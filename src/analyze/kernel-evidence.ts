import type { Store } from "../trace/store.ts";
import type { EvidenceRegion } from "./evidence-regions.ts";
import { groupRows } from "./peers.ts";

/** Counters of the kernel that are looked at; times explain a share of a loss, counts do not. */
const TIMES = ["run_delay", "steal_time"];
const COUNTS = ["involuntary_switches"];
/** Share of a region that readings must cover. */
const COVERED = 0.5;
/** A loss is laid to what makes up this share of it. */
const EXPLAINED = 0.5;
/** Share of the run that must be left outside, for that to say what is usual. */
const LEFT = 0.1;
/** Stands for the whole run where regions are numbered from 1. */
const WHOLE_RUN = 0;

/** What a counter counted on a region's ranks together. */
interface Counted extends Record<string, unknown> {
  region: number;
  name: string;
  ranks: number;
  delta: number;
  least: number;
  most: number;
}

/** Rows of `region_evidence`, one per region and counter that all of its ranks have. */
export async function kernelEvidence(
  store: Store,
  regions: readonly EvidenceRegion[],
  wallNs: number,
): Promise<(number | string | null)[][]> {
  const counted = groupRows(await countedIn(store, regions, wallNs), ({ region }) => region);
  return regions.flatMap((region) =>
    (counted.get(region.region) ?? [])
      .filter(({ ranks }) => ranks === region.ranks.length)
      .map((one) => rowOf(one, region, wallNs)),
  );
}

function rowOf(
  { name, delta, least, most, whole }: Counted & { whole: number },
  { region, startNs, endNs, lostNs }: EvidenceRegion,
  wallNs: number,
): (number | string | null)[] {
  const left = wallNs - (endNs - startNs);
  const rest = Math.max(0, whole - delta);
  const usual = left >= LEFT * wallNs ? (rest * (endNs - startNs)) / left : null;
  const share = (ns: number) => (TIMES.includes(name) && lostNs > 0 ? ns / lostNs : null);
  const explained = share(delta);
  return [
    region,
    "kernel",
    name,
    "self",
    null,
    null,
    delta,
    usual,
    usual !== null && usual > 0 ? delta / usual : null,
    share(least),
    share(most),
    explained,
    explained === null ? "counted" : explained >= EXPLAINED ? "explains" : "does_not_explain",
  ];
}

/** The numbers of the macro counters_in for all regions and ranks in one query, as many regions may have many ranks. */
function countedIn(
  store: Store,
  regions: readonly EvidenceRegion[],
  wallNs: number,
): Promise<(Counted & { whole: number })[]> {
  const ranks = [...new Set(regions.flatMap((one) => one.ranks))];
  const wanted = [
    ...ranks.map((rank) => [WHOLE_RUN, rank, 0, Math.round(wallNs)]),
    ...regions.flatMap(({ region, startNs, endNs, ranks: own }) =>
      own.map((rank) => [region, rank, Math.round(startNs), Math.round(endNs)]),
    ),
  ];
  const names = [...TIMES, ...COUNTS];
  return store.rows(`
    WITH wanted(region, rank, from_ns, to_ns) AS (VALUES ${wanted.map((one) => `(${one.join(", ")})`).join(", ")}),
    rates AS (
      SELECT rank, name, start_ns, end_ns, delta FROM counter_rates JOIN counters USING (counter)
       WHERE thread = 0 AND name IN (${names.map((name) => `'${name}'`).join(", ")}) AND rank IN (${ranks.join(", ")})),
    by_rank AS (
      SELECT region, rank, name,
             sum(round(delta * (least(end_ns, to_ns) - greatest(start_ns, from_ns))
                 / greatest(end_ns - start_ns, 1))::BIGINT)::DOUBLE AS delta,
             coalesce(sum(delta) FILTER (start_ns >= from_ns AND end_ns <= to_ns), 0)::DOUBLE AS least,
             sum(delta)::DOUBLE AS most,
             sum(least(end_ns, to_ns) - greatest(start_ns, from_ns)) / any_value(greatest(to_ns - from_ns, 1)) AS covered
        FROM wanted JOIN rates USING (rank) WHERE end_ns > from_ns AND start_ns < to_ns GROUP BY region, rank, name)
    SELECT b.region::INTEGER AS region, b.name, count(*)::INTEGER AS ranks, sum(b.delta ORDER BY rank) AS delta,
           sum(b.least ORDER BY rank) AS least, sum(b.most ORDER BY rank) AS most, sum(w.delta ORDER BY rank) AS whole
      FROM by_rank b JOIN (FROM by_rank WHERE region = ${WHOLE_RUN}) w USING (rank, name)
     WHERE b.region <> ${WHOLE_RUN} AND b.covered >= ${COVERED} GROUP BY b.region, b.name
     ORDER BY b.region, list_position([${names.map((name) => `'${name}'`).join(", ")}], b.name)`);
}
