/** A known disturbance of one rank: the truth that the analysis has to find. */
export interface Disturbance {
  rank: number;
  startNs: number;
  endNs: number;
  /**
   * slow: computes `factor` times slower. hog: shares its core in slices of 4 ms with factor - 1 others, or the share of
   * one with that weight. pause: does nothing.
   */
  kind: "slow" | "hog" | "pause";
  factor?: number;
  /** hog: length of the program's slices, if not 4 ms. */
  sliceNs?: number;
}

const SLICE_NS = 4e6;

/** Time at which a rank that starts at `from` has done `work` ns of undisturbed computation. */
export function advance(from: number, work: number, disturbances: readonly Disturbance[]): number {
  let now = from;
  let left = work;
  for (const stretch of stretches(from, disturbances)) {
    const possible = (stretch.to - now) * stretch.speed;
    if (possible >= left) return now + left / stretch.speed;
    left -= possible;
    now = stretch.to;
  }
  return now + left;
}

interface Stretch {
  to: number;
  speed: number;
}

/** Stretches of constant speed from a time on; after the last one it is undisturbed. */
function* stretches(from: number, disturbances: readonly Disturbance[]): Generator<Stretch> {
  for (const one of disturbances) {
    if (one.endNs <= from) continue;
    if (one.startNs > from) yield { to: one.startNs, speed: 1 };
    const factor = one.factor ?? 2;
    if (one.kind === "pause") yield { to: one.endNs, speed: 0 };
    else if (one.kind === "slow") yield { to: one.endNs, speed: 1 / factor };
    else {
      const slice = one.sliceNs ?? SLICE_NS;
      const period = factor * slice;
      for (
        let cycle = Math.floor((Math.max(from, one.startNs) - one.startNs) / period);
        ;
        cycle++
      ) {
        const start = one.startNs + cycle * period;
        if (start >= one.endNs) break;
        const away = Math.min(one.endNs, start + period - slice);
        if (away > from) yield { to: away, speed: 0 };
        const back = Math.min(one.endNs, start + period);
        if (back > from) yield { to: back, speed: 1 };
      }
    }
  }
}
