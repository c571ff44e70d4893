import { exactClusters, seedClusters, windowClusters } from "./clusters.ts";
import type { Fragments, Job } from "./job.ts";
import { type Judged, verdictOf } from "./judged-map.ts";
import type { Verdict } from "./verdict.ts";

/** Length of a bin in the VAPRO client's heat map. */
const BIN_NS = 1e9;
/** Records of communication that are added up before they are normalised, where a cluster has more. */
const SMOOTHED = 16;

/**
 * Vapro (Zheng et al., PPoPP 2022; Zhai et al., TPDS 33(12), 2022; where these were not at hand, the public client): fragments of each element of the graph
 * are clustered by workload; calls by partner and size exactly. Performance is shortest / elapsed time within a cluster.
 * Ranks are taken together, as its servers do.
 *
 * @param workload of each computation: retired instructions, or what stands for them
 */
export function vapro(job: Job, workload: ArrayLike<number>): Verdict {
  return judge(job, workload, seedClusters);
}

/** The same with the public client's windows in place of seeds. */
export function vaproClient(job: Job, workload: ArrayLike<number>): Verdict {
  return judge(job, workload, windowClusters);
}

function judge(job: Job, workload: ArrayLike<number>, cluster: typeof seedClusters): Verdict {
  const classes = new Int32Array(job.compute.n).fill(-1);
  let next = 0;
  for (const members of bySnippet(job.compute)) {
    const found = cluster(
      members.map((i) => workload[i]!),
      next,
    );
    members.forEach((i, k) => {
      classes[i] = found[k]!;
      next = Math.max(next, found[k]! + 1);
    });
  }
  return verdictOf(
    job,
    {
      compute: { classes, performance: againstShortest(elapsed(job.compute), classes) },
      communication: calls(job.communication, true),
      io: calls(job.io, false),
    },
    BIN_NS,
  );
}

function calls(fragments: Fragments, smooth: boolean): Judged {
  const keys = Array.from(
    fragments.snippet,
    (snippet, i) => `${snippet} ${fragments.bytes[i]} ${fragments.peer[i]}`,
  );
  const classes = exactClusters(keys);
  const times = smooth ? smoothed(fragments, classes) : elapsed(fragments);
  return { classes, performance: againstShortest(times, classes) };
}

/** Performance by the shortest time of the class; NaN in none. */
export function againstShortest(times: Float64Array, classes: Int32Array): Float64Array {
  const shortest = new Map<number, number>();
  classes.forEach((one, i) => {
    if (one >= 0) shortest.set(one, Math.min(shortest.get(one) ?? Infinity, times[i]!));
  });
  return times.map((time, i) => {
    if (classes[i]! < 0) return Number.NaN;
    return time > 0 ? shortest.get(classes[i]!)! / time : 1;
  });
}

export function elapsed({ start, end }: Fragments): Float64Array {
  return end.map((to, i) => to - start[i]!);
}

/** Elapsed time added up over the last records of a rank in a class. Of the first few, which have no full window, the mean times its length. */
function smoothed(fragments: Fragments, classes: Int32Array): Float64Array {
  const out = elapsed(fragments);
  const sizes = new Map<number, number>();
  for (const one of classes) sizes.set(one, (sizes.get(one) ?? 0) + 1);
  const windows = new Map<string, number[]>();
  for (let i = 0; i < fragments.n; i++) {
    if (classes[i]! < 0 || sizes.get(classes[i]!)! <= SMOOTHED) continue;
    const key = `${classes[i]} ${fragments.rank[i]}`;
    const window = windows.get(key) ?? [];
    window.push(out[i]!);
    if (window.length > SMOOTHED) window.shift();
    windows.set(key, window);
    out[i] = (window.reduce((a, b) => a + b, 0) * SMOOTHED) / window.length;
  }
  return out;
}

/** Positions of the fragments of each snippet. */
export function bySnippet({ n, snippet }: Fragments): number[][] {
  const groups = new Map<number, number[]>();
  for (let i = 0; i < n; i++) {
    const group = groups.get(snippet[i]!);
    if (group) group.push(i);
    else groups.set(snippet[i]!, [i]);
  }
  return [...groups.values()];
}
