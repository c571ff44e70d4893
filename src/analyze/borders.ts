import type { Store } from "../trace/store.ts";
import type { Candidate } from "./candidates.ts";
import type { Heat } from "./heat.ts";
import { fragmentsInside } from "./judged.ts";

/** Bins on each side of a border in which it is looked for. */
const REACH = 3;

/**
 * Borders of a candidate to a fragment, ns: of the fragments around each border, the interval starts and ends
 * where the sum of (observed - (1 + threshold) * reference) turns, the least-squares change point of
 * two levels.
 */
export async function refineBorders(
  store: Store,
  heat: Heat,
  one: Candidate,
): Promise<{ startNs: number; endNs: number }> {
  const middle = (one.from + one.to) / 2;
  const around = async (bin: number) => {
    const low = bin === one.from ? bin - REACH : Math.max(bin - REACH, Math.floor(middle));
    const high = bin === one.from ? Math.min(bin + REACH, Math.ceil(middle)) : bin + REACH;
    const rank = heat.ranks[one.rank]!;
    return fragmentsInside(store, heat.kind, rank, low * heat.binNs, high * heat.binNs);
  };
  const first = await around(one.from);
  const last = await around(one.to);
  const startNs = first.start[turn(first, one.threshold, false)] ?? one.from * heat.binNs;
  const endNs = last.end[turn(last, one.threshold, true) - 1] ?? one.to * heat.binNs;
  return endNs > startNs
    ? { startNs, endNs }
    : { startNs: one.from * heat.binNs, endNs: one.to * heat.binNs };
}

/** Number of fragments before the running sum is lowest (start) or highest (end of the interval). */
function turn(
  { start, end, reference }: { start: Float64Array; end: Float64Array; reference: Float64Array },
  threshold: number,
  highest: boolean,
): number {
  let sum = 0;
  let best = 0;
  let at = 0;
  for (let i = 0; i < start.length; i++) {
    sum += end[i]! - start[i]! - (1 + threshold) * reference[i]!;
    if (highest ? sum > best : sum < best) {
      best = sum;
      at = i + 1;
    }
  }
  return at;
}
