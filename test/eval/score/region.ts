/** A stretch of one rank's time, ns. */
export interface Part {
  rank: number;
  startNs: number;
  endNs: number;
}

/** Where performance was low, as truth or as found. Parts do not overlap. */
export interface Region {
  kind: string;
  parts: Part[];
  /** Rank-ns. */
  lostNs: number;
  /** What is claimed to hold the true loss in 95 % of cases. */
  interval?: [number, number];
}

/** Rank-time that the parts cover, ns; where several do it counts once. */
export function area(parts: readonly Part[]): number {
  return union(parts).reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
}

/** Rank-time that both cover, ns. */
export function sharedArea(a: readonly Part[], b: readonly Part[]): number {
  const byRank = new Map<number, Part[]>();
  for (const part of union(b)) byRank.set(part.rank, [...(byRank.get(part.rank) ?? []), part]);
  let sum = 0;
  for (const one of union(a)) {
    for (const other of byRank.get(one.rank) ?? []) {
      const shared = Math.min(one.endNs, other.endNs) - Math.max(one.startNs, other.startNs);
      sum += Math.max(0, shared);
    }
  }
  return sum;
}

/** Shared rank-time over that of either; 0 if both are empty. */
export function intersectionOverUnion(a: readonly Part[], b: readonly Part[]): number {
  const shared = sharedArea(a, b);
  const either = area(a) + area(b) - shared;
  return either > 0 ? shared / either : 0;
}

/** Disjoint parts that cover the same, by rank and time. */
function union(parts: readonly Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts.toSorted((a, b) => a.rank - b.rank || a.startNs - b.startNs)) {
    const last = out.at(-1);
    if (last && last.rank === part.rank && part.startNs <= last.endNs) {
      last.endNs = Math.max(last.endNs, part.endNs);
    } else out.push({ ...part });
  }
  return out;
}
