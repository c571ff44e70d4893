import type { Store } from "../trace/store.ts";
import { insertRows } from "./columns.ts";
import { readHosts, scopeOf } from "./hosts.ts";
import type { Settings } from "./settings.ts";
import { ranksThatStood } from "./stopped-ranks.ts";

/** Calls in which ranks wait for each other, or for their messages. */
const WAITING = "'send', 'receive', 'sendrecv', 'wait', 'probe', 'collective', 'window_sync'";
/** A region of the rank over this share of the time says it already. */
const KNOWN = 0.5;

/** All ranks are inside of one long call each. */
interface Standstill {
  startNs: number;
  endNs: number;
}

interface LongCall extends Standstill {
  rank: number;
  usualNs: number;
}

/**
 * Whole jobs that stood still because a rank did: all ranks were inside of calls, each for longer than a spike, one of them without processor
 * time and all others on their cores or waiting for them, so they waited actively. That is a fact of the counters and needs neither repetition nor a
 * reference: a process that is stopped for once, in a call that varies too much to be judged.
 *
 * Stands beside blameStopped, which asks the same of stretches in which many calls were slow. Where ranks sleep while they wait, or a call may
 * sleep by itself (files), nothing is said.
 *
 * Reads `calls`, `states`, `ranks`, `regions`, the counters cpu_time and run_delay; adds to `regions` and `region_ranks`.
 */
export async function findStandingRanks(
  store: Store,
  settings: Settings,
  wallNs: number,
): Promise<void> {
  const least = Math.max(settings.minSpikeNs, settings.minSpikeShare * wallNs);
  const ranks = (await store.rows<{ rank: number }>("SELECT rank FROM ranks ORDER BY rank")).map(
    ({ rank }) => rank,
  );
  if (ranks.length < 2) return;
  const calls = await longCalls(store, least);
  for (const { startNs, endNs } of standstills(calls, ranks.length, least)) {
    const stood = await ranksThatStood(store, { startNs, endNs, ranks });
    const known = await ranksWithRegion(store, startNs, endNs);
    const news = stood.filter((rank) => !known.has(rank));
    if (news.length > 0) await write(store, calls, { startNs, endNs }, news, ranks);
  }
}

/** By start. `usualNs` is the median of the rank's calls of that state. */
async function longCalls(store: Store, least: number): Promise<LongCall[]> {
  return store.rows<Record<string, unknown> & LongCall>(`
    WITH long AS (
      SELECT c.rank, c.state, c.start_ns, c.end_ns FROM calls c JOIN states s USING (state)
       WHERE c.thread = 0 AND c.edge >= 0 AND s.category IN (${WAITING}) AND c.end_ns - c.start_ns >= ${least})
    SELECT l.rank, l.start_ns AS "startNs", l.end_ns AS "endNs", u.usual AS "usualNs"
      FROM long l
      JOIN (SELECT c.rank, c.state, median(c.end_ns - c.start_ns)::DOUBLE AS usual
              FROM calls c SEMI JOIN long USING (rank, state) WHERE c.thread = 0 GROUP BY c.rank, c.state) u
        ON u.rank = l.rank AND u.state = l.state
     ORDER BY l.start_ns, l.rank`);
}

/** Intervals of at least that length in which so many ranks are inside of one long call each. */
export function standstills(
  calls: readonly Omit<LongCall, "usualNs">[],
  ranks: number,
  least: number,
): Standstill[] {
  const moments = calls
    .flatMap(({ startNs, endNs }) => [
      { at: startNs, change: 1 },
      { at: endNs, change: -1 },
    ])
    .toSorted((a, b) => a.at - b.at || a.change - b.change);
  const found: Standstill[] = [];
  let inside = 0;
  let since = 0;
  for (const { at, change } of moments) {
    if (inside === ranks && at - since >= least) found.push({ startNs: since, endNs: at });
    inside += change;
    since = at;
  }
  return found;
}

async function ranksWithRegion(store: Store, startNs: number, endNs: number): Promise<Set<number>> {
  const rows = await store.rows<{ rank: number }>(`
    SELECT DISTINCT k.rank FROM regions r JOIN region_ranks k USING (region)
     WHERE k.role = 'slow'
       AND least(r.end_ns, ${endNs}) - greatest(r.start_ns, ${startNs}) >= ${KNOWN * (endNs - startNs)}`);
  return new Set(rows.map(({ rank }) => rank));
}

/** What was lost is the standstill without what the call usually takes; surely lost is what the rank had no processor for. */
async function write(
  store: Store,
  calls: readonly LongCall[],
  { startNs, endNs }: Standstill,
  stood: readonly number[],
  ranks: readonly number[],
): Promise<void> {
  const length = endNs - startNs;
  const members: { rank: number; reference: number; surely: number }[] = [];
  for (const rank of stood) {
    const call = calls.find(
      (one) => one.rank === rank && one.startNs <= startNs && one.endNs >= endNs,
    );
    const reference = Math.min(length, call?.usualNs ?? 0);
    const row = await store.row<{ ns: number }>(
      `SELECT delta::DOUBLE AS ns FROM counters_in(${rank}, 0, ${startNs}, ${endNs}) WHERE name = 'cpu_time'`,
    );
    members.push({ rank, reference, surely: Math.max(0, length - reference - (row?.ns ?? 0)) });
  }
  const total = (of: (one: (typeof members)[number]) => number) =>
    members.reduce((sum, one) => sum + of(one), 0);
  const reference = total((one) => one.reference);
  const observed = length * members.length;
  const { n } = (await store.row<{ n: number }>("SELECT count(*) AS n FROM regions"))!;
  const scope = scopeOf(stood, ranks, await readHosts(store));
  const numbers = [
    reference / observed,
    observed - reference,
    total((one) => one.surely),
    observed,
  ];
  await insertRows(store, "regions", [
    [n + 1, "communication", startNs, endNs, ...numbers, 0, scope, 0],
  ]);
  await insertRows(
    store,
    "region_ranks",
    members.map((one) => [n + 1, one.rank, "slow", length, one.reference, length - one.reference]),
  );
}
