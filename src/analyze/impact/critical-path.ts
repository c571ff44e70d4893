import { completions, type Dependences } from "./dependences.ts";

/** Which time of a run nothing ran beside: had it been shorter, the run would have been. */
export interface CriticalPath {
  /** Per call, ns on the path: of the computation before it, and of the call itself without waiting. */
  before: Float64Array;
  inside: Float64Array;
  /** After the last call of the lane that ended last, ns. */
  tailNs: number;
  /** Where it begins and ends; the parts add up to the difference. */
  lanes: { first: number; last: number };
}

/**
 * Goes back from the end of the lane that ended last: a call that waited leads to the one that it waited for, any other to the call before it
 * (Böhme et al., "Scalable critical-path based performance analysis", IPDPS 2012, section III).
 *
 * @param run without waits that contradict causality
 */
export function criticalPath(run: Dependences): CriticalPath {
  const { enter, exit, laneStarts, laneBegins, laneEnds, waitsFor } = run;
  const complete = completions(run);
  const latest = lastSources(run, complete);
  const laneOf = lanesOf(laneStarts, enter.length);
  const before = new Float64Array(enter.length);
  const inside = new Float64Array(enter.length);
  const last = laneEnds.reduce((most, end, lane) => (end > laneEnds[most]! ? lane : most), 0);
  let first = last;
  let call = laneStarts[last + 1]! - 1;
  const tailNs = laneEnds[last]! - (call >= laneStarts[last]! ? exit[call]! : laneBegins[last]!);
  let time = laneEnds[last]! - tailNs;
  let jumped = false;
  for (let steps = 0; call >= laneStarts[first]! && steps <= 2 * enter.length; steps++) {
    // Coming from a call that waited, the path joins where this one began; its end was later.
    if (!jumped) {
      const group = latestWait(waitsFor, complete, call);
      if (group >= 0 && complete[group]! > enter[call]!) {
        inside[call]! += time - complete[group]!;
        time = complete[group]!;
        call = latest[group]!;
        first = laneOf[call]!;
        jumped = true;
        continue;
      }
      inside[call]! += time - enter[call]!;
      time = enter[call]!;
    }
    jumped = false;
    const previous = call > laneStarts[first]! ? exit[call - 1]! : laneBegins[first]!;
    before[call]! += time - previous;
    time = previous;
    call--;
  }
  return { before, inside, tailNs, lanes: { first, last } };
}

/** The group that was complete last of those that the call waits for; -1 if it waits for none. */
function latestWait(
  waitsFor: Dependences["waitsFor"],
  complete: Float64Array,
  call: number,
): number {
  let found = -1;
  for (let k = waitsFor.offsets[call]!; k < waitsFor.offsets[call + 1]!; k++) {
    const group = waitsFor.items[k]!;
    if (found < 0 || complete[group]! > complete[found]!) found = group;
  }
  return found;
}

/** Per group the source that began last. */
function lastSources({ sourceOf, enter, groups }: Dependences, complete: Float64Array): Int32Array {
  const latest = new Int32Array(groups).fill(-1);
  for (let call = 0; call < enter.length; call++) {
    for (let k = sourceOf.offsets[call]!; k < sourceOf.offsets[call + 1]!; k++) {
      const group = sourceOf.items[k]!;
      if (latest[group]! < 0 && complete[group] === enter[call]) latest[group] = call;
    }
  }
  return latest;
}

function lanesOf(laneStarts: Int32Array, calls: number): Int32Array {
  const laneOf = new Int32Array(calls);
  for (let lane = 0; lane + 1 < laneStarts.length; lane++)
    laneOf.fill(lane, laneStarts[lane], laneStarts[lane + 1]);
  return laneOf;
}
