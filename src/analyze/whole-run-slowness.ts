import type { Store } from "../trace/store.ts";
import { insertRows } from "./columns.ts";
import { materialLoss } from "./candidates.ts";
import { readEvidence } from "./rank-evidence.ts";
import { judgeRanks, type RankSpeed } from "./rank-speeds.ts";
import { numberRegions } from "./regions.ts";
import type { Settings } from "./settings.ts";
import { readSnippetTimes, readVaryingTimes, type SnippetTime } from "./snippet-times.ts";

/** A rank that was slow throughout, with the time of its computation that can be compared or judged. */
interface SlowRank extends RankSpeed {
  host: string;
  startNs: number;
  endNs: number;
  /** Undisturbed time at the rank's own level (of work that varies: all), and what it would be at its peers' speed, ns. */
  ownNs: number;
  fairNs: number;
}

/** A rank that waited is listed from this share of the largest loss on, as in the pass that finds waiting. */
const LISTED = 0.1;
/** Quantile of the normal distribution that a 95 % interval reaches to. */
const REACH = 1.96;

/**
 * Pass 7. Ranks and hosts that were slow from start to end, as against those with more work: the same work took longer
 * than on the other ranks, and probes, waiting for a core, or several snippets alike say that the machine did it.
 *
 * Such ranks set their own reference in pass 3, so here their references are taken down to what the work would have taken on
 * their peers' cores. What a region of pass 5 lost on them is beyond the level that they had throughout.
 *
 * Work that varies is compared, too, by its mean over the run, but only the machine's own word (probes, waiting) counts then.
 *
 * Reads `work_classes`, `rank_references`, `probes`, `counter_samples`, temporary `vectors`, `work_keys` and `work_cells`; writes `rank_speeds`, and for ranks that
 * were slow `regions` and `region_ranks`; changes `rank_references`, `judges`, `work_classes` and `bins` of these.
 */
export async function findWholeRunSlowness(
  store: Store,
  settings: Settings,
  wallNs: number,
): Promise<void> {
  const varying = await readVaryingTimes(store);
  const varies = new Set(varying.map(({ snippet }) => snippet));
  const steady = (await readSnippetTimes(store)).filter(({ snippet }) => !varies.has(snippet));
  const times = [...steady, ...varying];
  const evidence = await readEvidence(store);
  const probes = await store.row<{ n: number }>("SELECT count(*) AS n FROM probes");
  const judged = judgeRanks(
    times,
    evidence,
    settings.minSlowness,
    settings.maxChance,
    probes!.n > 0,
  );
  const slow = await materialOnes(store, judged, times, materialLoss(settings, wallNs));
  const regionOf = await writeSlowRegions(store, slow);
  await insertRows(
    store,
    "rank_speeds",
    judged.map((one) => [
      one.rank,
      one.excess,
      one.error,
      one.probes,
      one.runDelay,
      one.verdict === "slow" && !regionOf.has(one.rank) ? "usual" : one.verdict,
      one.evidence,
      one.slowdown,
      regionOf.get(one.rank) ?? null,
    ]),
  );
  if (slow.length === 0) return;
  await lowerReferences(store);
  await numberRegions(store);
}

async function materialOnes(
  store: Store,
  judged: readonly RankSpeed[],
  times: readonly SnippetTime[],
  leastNs: number,
): Promise<SlowRank[]> {
  const rows = await store.rows<
    Record<string, unknown> & Pick<SlowRank, "rank" | "host" | "startNs" | "endNs">
  >(`
    SELECT r.rank, r.host, greatest(0, min(v.first_ns))::DOUBLE AS "startNs", r.end_ns::DOUBLE AS "endNs"
      FROM ranks r JOIN vectors v ON v.rank = r.rank AND v.kind = 'compute'
     GROUP BY r.rank, r.host, r.end_ns ORDER BY r.rank`);
  const of = new Map(rows.map((row) => [row.rank, row]));
  const ownNs = new Map<number, number>();
  for (const { rank, ns } of times) ownNs.set(rank, (ownNs.get(rank) ?? 0) + ns);
  return judged.flatMap((one) => {
    const row = of.get(one.rank);
    if (one.verdict !== "slow" || !row) return [];
    const own = ownNs.get(one.rank)!;
    const fairNs = own / (1 + one.slowdown);
    return own - fairNs < leastNs ? [] : [{ ...one, ...row, ownNs: own, fairNs }];
  });
}

/** One region per host; returns the region of each rank. */
async function writeSlowRegions(
  store: Store,
  slow: readonly SlowRank[],
): Promise<Map<number, number>> {
  const regionOf = new Map<number, number>();
  const { next } = (await store.row<{ next: number }>(
    "SELECT coalesce(max(region), 0)::INTEGER + 1 AS next FROM regions",
  ))!;
  const hosts = [...new Set(slow.map(({ host }) => host))];
  const calls = await communicationOf(store);
  for (const [i, host] of hosts.entries()) {
    const ranks = await absorb(
      store,
      slow.filter((one) => one.host === host),
    );
    const number = next + i;
    await writeRegion(store, number, ranks);
    for (const { rank, ownNs, fairNs } of ranks) {
      regionOf.set(rank, number);
      await insertRows(store, "region_ranks", [
        [number, rank, "slow", ownNs, fairNs, ownNs - fairNs],
      ]);
    }
    const waiting = waitingFor(ranks, slow, calls);
    await insertRows(
      store,
      "region_ranks",
      waiting.map(({ rank, ns, waitedNs }) => [
        number,
        rank,
        "waiting",
        ns,
        ns - waitedNs,
        waitedNs,
      ]),
    );
  }
  return regionOf;
}

/**
 * A rank that is slow throughout and slower still for most of the time has one region, not two: takes regions of pass 5
 * out that cover at least half of the run and no other ranks, and adds what these lost.
 */
async function absorb(store: Store, ranks: readonly SlowRank[]): Promise<SlowRank[]> {
  const start = Math.min(...ranks.map(({ startNs }) => startNs));
  const end = Math.max(...ranks.map(({ endNs }) => endNs));
  const members = ranks.map(({ rank }) => rank).join(", ");
  const inside = await store.rows<{ region: number; rank: number; lost: number }>(`
    SELECT region, rank, k.lost_ns AS lost FROM regions r JOIN region_ranks k USING (region)
     WHERE kind = 'compute' AND 2 * (r.end_ns - r.start_ns) >= ${end - start} AND role = 'slow'
       AND region NOT IN (SELECT region FROM region_ranks WHERE role = 'slow' AND rank NOT IN (${members}))
     ORDER BY region, rank`);
  const taken = [...new Set(inside.map(({ region }) => region))];
  if (taken.length === 0) return [...ranks];
  await store.execute(`
    DELETE FROM regions WHERE region IN (${taken.join(", ")});
    DELETE FROM region_ranks WHERE region IN (${taken.join(", ")});`);
  return ranks.map((one) => {
    const more = inside.filter(({ rank }) => rank === one.rank);
    return { ...one, ownNs: one.ownNs + more.reduce((sum, { lost }) => sum + lost, 0) };
  });
}

/** The interval comes from how far apart ranks are that do the same. */
async function writeRegion(
  store: Store,
  region: number,
  ranks: readonly SlowRank[],
): Promise<void> {
  const sum = (of: (one: SlowRank) => number) => ranks.reduce((all, one) => all + of(one), 0);
  const lostBy = (errors: number) =>
    sum(({ ownNs, fairNs, error }) => Math.max(0, ownNs - fairNs * Math.exp(-errors * error)));
  const own = sum(({ ownNs }) => ownNs);
  const fair = sum(({ fairNs }) => fairNs);
  const start = Math.min(...ranks.map(({ startNs }) => startNs));
  const end = Math.max(...ranks.map(({ endNs }) => endNs));
  const chance = Math.min(...ranks.map((one) => one.chance));
  await store.execute(`
    INSERT INTO regions (region, kind, start_ns, end_ns, performance, lost_ns, lost_low_ns, lost_high_ns, significance)
    VALUES (${region}, 'compute', ${Math.round(start)}, ${Math.round(end)}, ${fair / own}, ${own - fair},
            ${lostBy(-REACH)}, ${lostBy(REACH)}, ${chance})`);
}

interface Communication {
  rank: number;
  ns: number;
}

async function communicationOf(store: Store): Promise<Communication[]> {
  return store.rows<Record<string, unknown> & Communication>(`
    SELECT rank, sum(total_ns)::DOUBLE AS ns FROM vectors WHERE kind = 'communication'
     GROUP BY rank ORDER BY rank`);
}

/**
 * Ranks that only waited for these: slow ranks come last, so their own communication is what transfer needs, and what others
 * have beyond it is waiting, at most what the slowest lost.
 */
function waitingFor(
  ranks: readonly SlowRank[],
  slow: readonly SlowRank[],
  calls: readonly Communication[],
): { rank: number; ns: number; waitedNs: number }[] {
  const largest = Math.max(...ranks.map(({ ownNs, fairNs }) => ownNs - fairNs));
  const isSlow = new Set(slow.map(({ rank }) => rank));
  const needed = Math.min(...calls.filter(({ rank }) => isSlow.has(rank)).map(({ ns }) => ns));
  return calls
    .filter(({ rank }) => !isSlow.has(rank))
    .map(({ rank, ns }) => ({ rank, ns, waitedNs: Math.min(largest, Math.max(0, ns - needed)) }))
    .filter(({ waitedNs }) => waitedNs >= LISTED * largest);
}

/** Judges all computation of slow ranks by their peers' speed from here on. */
async function lowerReferences(store: Store): Promise<void> {
  const computing = "class IN (SELECT class FROM work_classes WHERE kind = 'compute')";
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE slow_ranks AS
      SELECT rank, 1 / (1 + slowdown) AS speed FROM rank_speeds WHERE region IS NOT NULL;
    UPDATE work_classes SET
           reference_low_ns = reference_low_ns * (1 - m.extra / m.fragments / reference_ns),
           reference_high_ns = reference_high_ns * (1 - m.extra / m.fragments / reference_ns),
           reference_ns = reference_ns - m.extra / m.fragments, lost_ns = lost_ns + m.extra
      FROM (SELECT class, sum(fragments)::DOUBLE AS fragments,
                   coalesce(sum(fragments * reference_ns * (1 - s.speed) ORDER BY rank), 0) AS extra
              FROM rank_references LEFT JOIN slow_ranks s USING (rank) GROUP BY class) m
     WHERE m.class = work_classes.class AND kind = 'compute' AND status = 'vsensor' AND m.extra > 0;
    UPDATE rank_references SET reference_ns = reference_ns * s.speed, low_ns = low_ns * s.speed,
           high_ns = high_ns * s.speed
      FROM slow_ranks s WHERE s.rank = rank_references.rank AND ${computing};
    UPDATE judges SET reference_ns = reference_ns * s.speed, allowed_ns = allowed_ns * s.speed
      FROM slow_ranks s WHERE s.rank = judges.rank AND kind = 'compute';
    UPDATE bins SET reference_ns = reference_ns * s.speed, allowed_ns = allowed_ns * s.speed
      FROM slow_ranks s WHERE s.rank = bins.rank AND kind = 'compute';
    DROP TABLE slow_ranks;`);
}
