/** Fragments a cluster needs to be used (VAPRO client: at least 5 records). */
const MEMBERS = 5;

/**
 * Vapro's clustering (Zheng et al., PPoPP 2022, clustering of fragments by workload): in ascending order of workload, the smallest in no cluster yet
 * becomes a seed and takes all within 5 % of it. Returns the cluster of each of `members`, from `first` on; -1 where it has too few.
 */
export function seedClusters(workload: ArrayLike<number>, first: number): Int32Array {
  const order = ascending(workload);
  const out = new Int32Array(workload.length).fill(-1);
  let next = first;
  for (let from = 0; from < order.length; ) {
    const limit = 1.05 * workload[order[from]!]!;
    let to = from;
    while (to < order.length && workload[order[to]!]! <= limit) to++;
    if (to - from >= MEMBERS) {
      for (let k = from; k < to; k++) out[order[k]!] = next;
      next++;
    }
    from = to;
  }
  return out;
}

/**
 * The public VAPRO client's: a window of +-2 % round each record; of overlapping windows the larger stays. One with 5 records and more
 * whose spread is below 4 % of its midpoint is a cluster. What lies in none is judged by none.
 */
export function windowClusters(workload: ArrayLike<number>, first: number): Int32Array {
  const order = ascending(workload);
  const value = (k: number) => workload[order[k]!]!;
  const windows: { from: number; to: number }[] = [];
  for (let k = 0, from = 0, to = 0; k < order.length; k++) {
    while (value(from) < 0.98 * value(k)) from++;
    while (to < order.length && value(to) <= 1.02 * value(k)) to++;
    windows.push({ from, to });
  }
  windows.sort((a, b) => b.to - b.from - (a.to - a.from) || a.from - b.from);
  const taken = new Uint8Array(order.length);
  const out = new Int32Array(workload.length).fill(-1);
  let next = first;
  for (const { from, to } of windows) {
    // A window that is at least as large covers one end of any that it overlaps.
    if (taken[from] || taken[to - 1]) continue;
    taken.fill(1, from, to);
    const spread = value(to - 1) - value(from);
    if (to - from < MEMBERS || spread > (0.04 * (value(to - 1) + value(from))) / 2) continue;
    for (let k = from; k < to; k++) out[order[k]!] = next;
    next++;
  }
  return out;
}

function ascending(values: ArrayLike<number>): number[] {
  return Array.from({ length: values.length }, (_, i) => i).toSorted(
    (a, b) => values[a]! - values[b]! || a - b,
  );
}

/** Clusters of at least 5 fragments whose keys are equal. */
export function exactClusters(keys: readonly string[]): Int32Array {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const numbers = new Map<string, number>();
  return Int32Array.from(keys, (key) => {
    if (counts.get(key)! < MEMBERS) return -1;
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key)!;
  });
}
