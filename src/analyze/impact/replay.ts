import { completions, type Dependences, type Lists } from "./dependences.ts";

/** Time that calls take by themselves, ns. */
export interface Durations {
  /** Computation before the call. */
  before: Float64Array;
  /** Of the call, what is not waiting for others. */
  inside: Float64Array;
  /** Waits that contradict causality (the call ended before what it waits for had begun): they bind nothing. */
  violations: number;
}

/** What a run would have taken. */
export interface Replay {
  /** End of the last lane, ns. */
  endNs: number;
  laneEnds: Float64Array;
  /** Calls that could never end because of a circle of waits; they were let go. 0 but for calls of no length. */
  circles: number;
}

/** Splits measured times into work and waiting. */
export function durations(run: Dependences): Durations {
  const { enter, exit, laneStarts, laneBegins, waitsFor } = run;
  const complete = completions(run);
  const before = new Float64Array(enter.length);
  const inside = new Float64Array(enter.length);
  let violations = 0;
  for (let lane = 0; lane + 1 < laneStarts.length; lane++) {
    let last = laneBegins[lane]!;
    for (let call = laneStarts[lane]!; call < laneStarts[lane + 1]!; call++) {
      before[call] = enter[call]! - last;
      let begin = enter[call]!;
      for (let k = waitsFor.offsets[call]!; k < waitsFor.offsets[call + 1]!; k++) {
        const time = complete[waitsFor.items[k]!]!;
        if (time > exit[call]!) violations++;
        else if (time > begin) begin = time;
      }
      inside[call] = exit[call]! - begin;
      last = exit[call]!;
    }
  }
  return { before, inside, violations };
}

/** Waits that the measured times allow: all but those that contradict causality. */
export function withoutViolations(run: Dependences): Dependences {
  const { exit, waitsFor } = run;
  const complete = completions(run);
  const offsets = new Int32Array(waitsFor.offsets.length);
  const items = new Int32Array(waitsFor.items.length);
  let kept = 0;
  for (let call = 0; call < exit.length; call++) {
    for (let k = waitsFor.offsets[call]!; k < waitsFor.offsets[call + 1]!; k++) {
      if (complete[waitsFor.items[k]!]! <= exit[call]!) items[kept++] = waitsFor.items[k]!;
    }
    offsets[call + 1] = kept;
  }
  return Object.assign({}, run, { waitsFor: { offsets, items: items.subarray(0, kept) } });
}

/**
 * Runs the job again on paper: every computation and every transfer takes what `times` says, and waits follow from who comes last. With
 * the measured durations it gives the measured run. The same idea as Dimemas' replay (Badia et al. 2003), without a model of the network:
 * transfers keep their length.
 *
 * @param run without waits that contradict causality
 */
export function replay(run: Dependences, times: Pick<Durations, "before" | "inside">): Replay {
  return new Replayer(run, times).run();
}

class Replayer {
  private readonly dependences: Dependences;
  private readonly times: Pick<Durations, "before" | "inside">;
  private readonly complete: Float64Array;
  private readonly missing: Int32Array;
  /** Per lane: its next call, whether that has begun, and its time. */
  private readonly next: Int32Array;
  private readonly begun: Uint8Array;
  private readonly now: Float64Array;
  /** Lanes that wait for a group, as chains: first of the group, next of the lane; -1 ends. */
  private readonly firstWaiter: Int32Array;
  private readonly nextWaiter: Int32Array;
  private readonly ready: number[];

  constructor(run: Dependences, times: Pick<Durations, "before" | "inside">) {
    this.dependences = run;
    this.times = times;
    const lanes = run.laneBegins.length;
    this.complete = new Float64Array(run.groups).fill(Number.NEGATIVE_INFINITY);
    this.missing = sourceCounts(run.sourceOf, run.groups);
    this.next = run.laneStarts.slice(0, lanes);
    this.begun = new Uint8Array(lanes);
    this.now = run.laneBegins.slice();
    this.firstWaiter = new Int32Array(run.groups).fill(-1);
    this.nextWaiter = new Int32Array(lanes).fill(-1);
    this.ready = Array.from({ length: lanes }, (_, lane) => lanes - 1 - lane);
  }

  run(): Replay {
    const { laneStarts, laneEnds, exit, laneBegins } = this.dependences;
    let circles = 0;
    for (;;) {
      for (let lane = this.ready.pop(); lane !== undefined; lane = this.ready.pop())
        this.advance(lane);
      const stuck = this.stuckLane();
      if (stuck < 0) break;
      circles++;
      this.letGo(stuck);
    }
    const ends = this.now.map((time, lane) => {
      const [from, to] = [laneStarts[lane]!, laneStarts[lane + 1]!];
      return time + laneEnds[lane]! - (to > from ? exit[to - 1]! : laneBegins[lane]!);
    });
    return { endNs: ends.reduce((a, b) => Math.max(a, b), 0), laneEnds: ends, circles };
  }

  /** As far as it gets without waiting for another lane. */
  private advance(lane: number): void {
    const { laneStarts, waitsFor } = this.dependences;
    const last = laneStarts[lane + 1]!;
    for (let call = this.next[lane]!; call < last; call++) {
      this.next[lane] = call;
      if (!this.begun[lane]) this.begin(lane, call);
      let time = this.now[lane]!;
      for (let k = waitsFor.offsets[call]!; k < waitsFor.offsets[call + 1]!; k++) {
        const group = waitsFor.items[k]!;
        if (this.missing[group]! > 0) {
          this.nextWaiter[lane] = this.firstWaiter[group]!;
          this.firstWaiter[group] = lane;
          return;
        }
        if (this.complete[group]! > time) time = this.complete[group]!;
      }
      this.now[lane] = time + this.times.inside[call]!;
      this.begun[lane] = 0;
    }
    this.next[lane] = last;
  }

  private begin(lane: number, call: number): void {
    const { sourceOf } = this.dependences;
    const time = this.now[lane]! + this.times.before[call]!;
    this.now[lane] = time;
    this.begun[lane] = 1;
    for (let k = sourceOf.offsets[call]!; k < sourceOf.offsets[call + 1]!; k++) {
      const group = sourceOf.items[k]!;
      if (time > this.complete[group]!) this.complete[group] = time;
      this.missing[group]! -= 1;
      if (this.missing[group] === 0) this.wake(group);
    }
  }

  private wake(group: number): void {
    for (let lane = this.firstWaiter[group]!; lane >= 0; ) {
      const following = this.nextWaiter[lane]!;
      this.nextWaiter[lane] = -1;
      this.ready.push(lane);
      lane = following;
    }
    this.firstWaiter[group] = -1;
  }

  /** Of the lanes that have not come to their end, the one whose next call was the first to end as measured; -1 if there is none. */
  private stuckLane(): number {
    const { laneStarts, exit } = this.dependences;
    let found = -1;
    for (let lane = 0; lane < this.next.length; lane++) {
      if (this.next[lane]! >= laneStarts[lane + 1]!) continue;
      if (found < 0 || exit[this.next[lane]!]! < exit[this.next[found]!]!) found = lane;
    }
    return found;
  }

  /** What it waits for counts as complete. */
  private letGo(lane: number): void {
    const { waitsFor } = this.dependences;
    const call = this.next[lane]!;
    for (let k = waitsFor.offsets[call]!; k < waitsFor.offsets[call + 1]!; k++) {
      const group = waitsFor.items[k]!;
      if (this.missing[group]! <= 0) continue;
      this.missing[group] = 0;
      this.wake(group);
    }
  }
}

function sourceCounts({ items }: Lists, groups: number): Int32Array {
  const counts = new Int32Array(groups);
  for (let i = 0; i < items.length; i++) counts[items[i]!]! += 1;
  return counts;
}
