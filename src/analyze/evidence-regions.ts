import type { Store } from "../trace/store.ts";
import { groupRows } from "./peers.ts";

/** A region with the ranks whose probes and counters are looked at. */
export interface EvidenceRegion {
  region: number;
  startNs: number;
  endNs: number;
  performance: number;
  /** Slow ranks, at most MOST_RANKS with the largest losses, ascending. */
  ranks: number[];
  /** What these lost together, ns. */
  lostNs: number;
  /** All slow ranks. */
  all: number[];
  /**
   * Of a region over nearly the whole run: ranks that no region calls slow meanwhile, at most MOST_RANKS, on the same hosts if
   * these have enough of them. Else none: a core that is slower throughout does not make its rank slow for a while.
   */
  peers: number[];
}

/** A region of this share of the run leaves nothing to compare its ranks' probes with. */
const NEARLY_ALL = 0.8;
/** More ranks than these tell no more. */
const MOST_RANKS = 64;
/** Peers that hosts of a region must have, for others not to be asked. */
const ENOUGH_PEERS = 3;

interface Row extends Record<string, unknown> {
  region: number;
  startNs: number;
  endNs: number;
  performance: number;
  rank: number;
  lost: number;
}

/** Regions of all kinds, by number. */
export async function readEvidenceRegions(store: Store, wallNs: number): Promise<EvidenceRegion[]> {
  const rows = await store.rows<Row>(`
    SELECT region, start_ns::DOUBLE AS "startNs", end_ns::DOUBLE AS "endNs", r.performance, k.rank, k.lost_ns AS lost
      FROM regions r JOIN region_ranks k USING (region) WHERE role = 'slow' ORDER BY region, k.lost_ns DESC, k.rank`);
  const hosts = await store.rows<{ rank: number; host: string }>(
    "SELECT rank, host FROM ranks ORDER BY rank",
  );
  const members = groupRows(rows, ({ region }) => region);
  return [...members.values()].map((own) => {
    const { region, startNs, endNs, performance } = own[0]!;
    const most = own.slice(0, MOST_RANKS);
    const slow = new Set(
      rows.filter((one) => one.startNs < endNs && one.endNs > startNs).map(({ rank }) => rank),
    );
    return {
      region,
      startNs,
      endNs,
      performance,
      ranks: most.map(({ rank }) => rank).toSorted((a, b) => a - b),
      lostNs: most.reduce((sum, { lost }) => sum + lost, 0),
      all: own.map(({ rank }) => rank),
      peers: endNs - startNs >= NEARLY_ALL * wallNs ? peersOf(own, slow, hosts) : [],
    };
  });
}

function peersOf(
  own: readonly Row[],
  slow: ReadonlySet<number>,
  hosts: readonly { rank: number; host: string }[],
): number[] {
  const members = new Set(own.map(({ rank }) => rank));
  const here = new Set(hosts.filter(({ rank }) => members.has(rank)).map(({ host }) => host));
  const others = hosts.filter(({ rank }) => !slow.has(rank));
  const near = others.filter(({ host }) => here.has(host));
  const chosen = near.length >= ENOUGH_PEERS ? near : others;
  const every = Math.ceil(chosen.length / MOST_RANKS);
  return chosen.filter((_, i) => i % every === 0).map(({ rank }) => rank);
}
