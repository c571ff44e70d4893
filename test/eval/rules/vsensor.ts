import type { Fragments, Job } from "./job.ts";
import { type Judged, verdictOf } from "./judged-map.ts";
import { againstShortest, bySnippet, elapsed } from "./vapro.ts";
import type { Verdict } from "./verdict.ts";

/** vSensor's heat map, and the slice over which records are averaged. */
const BIN_NS = 200e6;
const SLICE_NS = 1e6;

/** What vSensor's compiler pass would know from the source of a program: work of each computation, by rank and start. */
export interface Source {
  /** Number of the work that it does. */
  label: ArrayLike<number>;
  /** Amount of work. */
  workNs: ArrayLike<number>;
  /** Whether the work is a counted loop over a fixed body. */
  trips: ArrayLike<boolean>;
}

/**
 * vSensor (Tang et al., PPoPP 2018; Zhai et al., TPDS 33(12), 2022, DOI 10.1109/TPDS.2022.3158742, v-sensor identification, regular workload, smoothing and normalisation):
 * a snippet whose work never changes is a sensor; one whose work is a counted loop is one, too, its time divided by the
 * count. Records are averaged over 1 ms; performance is fastest / observed. Ranks are compared only if they do the
 * same work. Calls: size and partner must not change.
 *
 * The compiler pass is replaced by `source`: it misses nothing that is fixed. External sensors are left out. No threshold is published; Vapro's is used.
 */
export function vSensor(job: Job, source: Source): Verdict {
  return verdictOf(
    job,
    {
      compute: computations(job.compute, source),
      communication: calls(job.communication),
      io: calls(job.io),
    },
    BIN_NS,
  );
}

function computations(fragments: Fragments, { label, workNs, trips }: Source): Judged {
  const classes = new Int32Array(fragments.n).fill(-1);
  const times = elapsed(fragments);
  let next = 0;
  for (const members of bySnippet(fragments)) {
    if (members.every((i) => trips[i])) {
      for (const i of members) {
        classes[i] = next;
        times[i]! /= Math.max(1, workNs[i]!);
      }
      next++;
      continue;
    }
    const ranks = new Map<number, Set<number>>();
    for (const i of members) {
      const rank = fragments.rank[i]!;
      ranks.set(rank, (ranks.get(rank) ?? new Set()).add(label[i]!));
    }
    if ([...ranks.values()].some((labels) => labels.size > 1)) continue;
    const same = new Set([...ranks.values()].map(([...labels]) => labels[0])).size === 1;
    const numbers = new Map([...ranks.keys()].map((rank, k) => [rank, same ? next : next + k]));
    next += same ? 1 : ranks.size;
    for (const i of members) classes[i] = numbers.get(fragments.rank[i]!)!;
  }
  return { classes, performance: againstShortest(averaged(fragments, times, classes), classes) };
}

function calls(fragments: Fragments): Judged {
  const classes = new Int32Array(fragments.n).fill(-1);
  let next = 0;
  for (const members of bySnippet(fragments)) {
    const [first] = members;
    const sizes = members.every((i) => fragments.bytes[i] === fragments.bytes[first!]);
    const partners = new Map<number, number>();
    const fixed = members.every((i) => {
      const rank = fragments.rank[i]!;
      if (!partners.has(rank)) partners.set(rank, fragments.peer[i]!);
      return partners.get(rank) === fragments.peer[i];
    });
    if (!sizes || !fixed) continue;
    for (const i of members) classes[i] = next;
    next++;
  }
  const times = averaged(fragments, elapsed(fragments), classes);
  return { classes, performance: againstShortest(times, classes) };
}

/** Each time replaced by the mean of its rank and class in its slice. */
function averaged(fragments: Fragments, times: Float64Array, classes: Int32Array): Float64Array {
  const sums = new Map<string, { total: number; n: number }>();
  const sliceOf = (i: number) =>
    `${classes[i]} ${fragments.rank[i]} ${Math.floor(fragments.start[i]! / SLICE_NS)}`;
  for (let i = 0; i < fragments.n; i++) {
    const slice = sums.get(sliceOf(i)) ?? { total: 0, n: 0 };
    slice.total += times[i]!;
    slice.n++;
    sums.set(sliceOf(i), slice);
  }
  return times.map((_, i) => {
    const { total, n } = sums.get(sliceOf(i))!;
    return total / n;
  });
}
