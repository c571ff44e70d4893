import type { Store } from "../trace/store.ts";
import { loopStates } from "./loop-states.ts";
import { CLEARLY_MORE, findPeriod } from "./periods.ts";
import { type SampledCalls, sampleCalls } from "./sampled-calls.ts";

/** What counts iterations: executions of an edge, or calls of a state. */
export interface Counter {
  what: "edge" | "state";
  number: number;
}

/** A key whose time depends on the iteration modulo a period. */
export interface Turns {
  key: number;
  counter: Counter;
  period: number;
}

/** Sampled fragments of a key, by rank and time, and how much each of its counters had counted. */
interface Sampled {
  rank: number[];
  segment: number[];
  logNs: number[];
  counters: Counter[];
  turns: number[][];
}

/**
 * Looks, in a sample of calls, for keys whose time depends on the iteration modulo a period (every third step does more).
 * Iterations are counted, alike on all ranks, by what may stand for them: the key's own snippet, the calls at its ends,
 * and calls that loops make once per iteration. Behind a gap, where calls were left out, a rank has lost count.
 *
 * Reads calls, `gaps`, temporary `candidates`, `work_keys`, `key_map`.
 *
 * @param segments equal parts of a key's lifetime
 */
export async function findTurns(store: Store, segments: number): Promise<Turns[]> {
  const calls = await sampleCalls(store, segments);
  const edges = await store.rows<{ edge: number; from: number }>(
    'SELECT edge, from_state AS "from" FROM edges',
  );
  const gaps = await store.rows<{ rank: number; ns: number }>(
    "SELECT rank, min(start_ns)::DOUBLE AS ns FROM gaps WHERE thread = 0 GROUP BY rank",
  );
  const counting = new Counting(
    calls,
    new Map(edges.map(({ edge, from }) => [edge, from])),
    new Map(gaps.map(({ rank, ns }) => [rank, ns])),
  );
  return [...counting.keys()]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([key, sampled]) => {
      const turns = turnsOf(sampled, segments);
      return turns ? [{ key, ...turns }] : [];
    });
}

/** The counter and the period that tell most. */
function turnsOf(
  sampled: Sampled,
  segments: number,
): { counter: Counter; period: number } | undefined {
  let best: { counter: Counter; period: number; gain: number } | undefined;
  for (const [i, counter] of sampled.counters.entries()) {
    const turn = sampled.turns[i]!;
    if (sampled.turns.slice(0, i).some((other) => countsAlike(other, turn))) continue;
    const found = findPeriod({ ...sampled, segments, turn });
    if (found && found.gain > (best ? best.gain + CLEARLY_MORE : 0)) best = { counter, ...found };
  }
  return best;
}

function countsAlike(a: readonly number[], b: readonly number[]): boolean {
  const apart = a[0]! - b[0]!;
  return a.every((turn, i) => turn === b[i]! + apart);
}

function nameOf({ what, number }: Counter): string {
  return `${what} ${number}`;
}

/** Goes through sampled calls and counts. */
class Counting {
  private readonly calls: SampledCalls;
  private readonly fromState: ReadonlyMap<number, number>;
  /** When a rank lost count. */
  private readonly lost: ReadonlyMap<number, number>;
  private readonly loops: readonly number[];
  private readonly counts = new Map<string, number>();
  private readonly skipped = new Map<string, SampledCalls["skipped"]>();
  private readonly found = new Map<number, Sampled>();

  constructor(
    calls: SampledCalls,
    fromState: ReadonlyMap<number, number>,
    lost: ReadonlyMap<number, number>,
  ) {
    this.calls = calls;
    this.fromState = fromState;
    this.lost = lost;
    this.loops = loopStates(calls.state.subarray(0, firstStretch(calls)));
    for (const one of calls.skipped) {
      const name = `${one.rank} ${one.stretch}`;
      const list = this.skipped.get(name);
      if (list) list.push(one);
      else this.skipped.set(name, [one]);
    }
  }

  keys(): Map<number, Sampled> {
    const { calls } = this;
    let [rank, stretch] = [-1, -1];
    for (let i = 0; i < calls.rank.length; i++) {
      if (calls.rank[i] !== rank) {
        [rank, stretch] = [calls.rank[i]!, -1];
        this.counts.clear();
      }
      while (stretch < calls.stretch[i]!) {
        stretch++;
        for (const { edge, state, n } of this.skipped.get(`${rank} ${stretch}`) ?? [])
          this.count(edge, state, n);
      }
      this.count(calls.edge[i]!, calls.state[i]!, 1);
      if (calls.startNs[i]! >= (this.lost.get(rank) ?? Number.POSITIVE_INFINITY)) continue;
      this.add(i, calls.computeKey[i]!, calls.computeSegment[i]!, calls.computeNs[i]!, true);
      this.add(i, calls.callKey[i]!, calls.callSegment[i]!, calls.callNs[i]!, false);
    }
    return this.found;
  }

  private count(edge: number, state: number, n: number): void {
    for (const name of [`edge ${edge}`, `state ${state}`])
      this.counts.set(name, (this.counts.get(name) ?? 0) + n);
  }

  private add(i: number, key: number, segment: number, ns: number, isCompute: boolean): void {
    if (key < 0) return;
    let one = this.found.get(key);
    if (!one) {
      const counters = this.countersOf(this.calls.edge[i]!, this.calls.state[i]!, isCompute);
      const turns = counters.map(() => []);
      this.found.set(key, (one = { rank: [], segment: [], logNs: [], counters, turns }));
    }
    one.rank.push(this.calls.rank[i]!);
    one.segment.push(segment);
    one.logNs.push(Math.log(Math.max(1, ns)));
    for (const [c, counter] of one.counters.entries())
      one.turns[c]!.push(this.counts.get(nameOf(counter)) ?? 0);
  }

  /** Of a snippet, in the order in which they are preferred. */
  private countersOf(edge: number, state: number, isCompute: boolean): Counter[] {
    const states = isCompute ? [state, this.fromState.get(edge) ?? state] : [state];
    const own: Counter[] = isCompute ? [{ what: "edge", number: edge }] : [];
    const all = new Set([...states, ...this.loops]);
    return [...own, ...[...all].map((number) => ({ what: "state" as const, number }))];
  }
}

/** How many calls belong to the first stretch of the first rank. */
function firstStretch({ rank, stretch }: SampledCalls): number {
  let n = 0;
  while (n < rank.length && rank[n] === rank[0] && stretch[n] === stretch[0]) n++;
  return n;
}
