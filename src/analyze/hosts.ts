import type { Store } from "../trace/store.ts";
import type { Part } from "./judged.ts";
import type { Draft } from "./join-ranks.ts";
import { quantile } from "./statistics.ts";

/** Which ranks a region is about; see `scopeOf`. */
export type Scope = "ranks" | "host" | "job";

/** A rank of a host where others are slow is slow, too, if its excess is this share of theirs (median). */
const ALIKE = 0.5;
/** Ranks of a host that must be slow before the others are looked at: this share of them, and two. */
const ENOUGH = 0.5;

/** World ranks by host. */
export type Hosts = ReadonlyMap<string, readonly number[]>;

export async function readHosts(store: Store): Promise<Hosts> {
  const rows = await store.rows<{ host: string; rank: number }>(
    "SELECT host, rank FROM ranks ORDER BY host, rank",
  );
  const hosts = new Map<string, number[]>();
  for (const { host, rank } of rows) hosts.set(host, [...(hosts.get(host) ?? []), rank]);
  return hosts;
}

/**
 * What explains which ranks are slow: `job`, all of them are; `host`, all ranks of one or more hosts are, and none of
 * another; `ranks`, neither. A host with one rank cannot be told from its rank.
 *
 * @param judged ranks that can be judged at all: those that cannot are not missed
 */
export function scopeOf(ranks: readonly number[], judged: readonly number[], hosts: Hosts): Scope {
  const slow = new Set(ranks);
  const known = new Set(judged);
  if (ranks.length > 1 && judged.every((rank) => slow.has(rank))) return "job";
  for (const members of hosts.values()) {
    const own = members.filter((rank) => known.has(rank) || slow.has(rank));
    const hit = own.filter((rank) => slow.has(rank)).length;
    if (hit > 0 && (own.length < 2 || hit < own.length)) return "ranks";
  }
  return "host";
}

/**
 * The ranks of a region, and those that share a host with at least two and half of the host's ranks in it and are slow like
 * them, though not enough to be found alone.
 *
 * @param parts time of the region's kind inside it
 * @param taken ranks that are in another region at that time
 */
export function completeHosts(
  { ranks }: Draft,
  parts: readonly Part[],
  hosts: Hosts,
  taken: ReadonlySet<number>,
): number[] {
  const excess = excessByRank(parts);
  const slow = new Set(ranks);
  const bar =
    ALIKE *
    quantile(
      [...slow].map((rank) => excess.get(rank) ?? 0),
      0.5,
    );
  const added = [...hosts.values()].flatMap((members) => {
    const own = members.filter((rank) => excess.has(rank));
    const hit = own.filter((rank) => slow.has(rank)).length;
    if (hit < 2 || hit < ENOUGH * own.length) return [];
    return own.filter(
      (rank) => !slow.has(rank) && !taken.has(rank) && excess.get(rank)! >= Math.max(bar, 0),
    );
  });
  return [...ranks, ...added].toSorted((a, b) => a - b);
}

/** Observed / reference time - 1 of each rank. */
function excessByRank(parts: readonly Part[]): Map<number, number> {
  const sums = new Map<number, { observed: number; reference: number }>();
  for (const { rank, observed, reference } of parts) {
    const sum = sums.get(rank) ?? { observed: 0, reference: 0 };
    sums.set(rank, {
      observed: sum.observed + observed,
      reference: sum.reference + reference,
    });
  }
  return new Map(
    [...sums]
      .filter(([, { reference }]) => reference > 0)
      .map(([rank, { observed, reference }]) => [rank, observed / reference - 1]),
  );
}
