import { type Dependences, listsOf } from "../../../../src/analyze/impact/dependences.ts";
import type { Random } from "../../../accuracy/noise.ts";

export interface Call {
  before: number;
  inside: number;
  sourceOf: number[];
  waitsFor: number[];
}

/**
 * When each call begins and ends, by going over all of them until nothing changes any more: slow, and written from the definition of a group
 * alone. Tail: every lane computes 5 ns at its end.
 */
export function settle(
  lanes: readonly Call[][],
  groups: number,
): { enter: number[][]; exit: number[][] } {
  const enter = lanes.map((calls) => calls.map(() => 0));
  const exit = lanes.map((calls) => calls.map(() => 0));
  for (let changed = true; changed; ) {
    changed = false;
    const complete = Array.from({ length: groups }, (_, group) =>
      Math.max(
        0,
        ...lanes.flatMap((calls, lane) =>
          calls.map((call, i) => (call.sourceOf.includes(group) ? enter[lane]![i]! : 0)),
        ),
      ),
    );
    for (const [lane, calls] of lanes.entries()) {
      for (const [i, call] of calls.entries()) {
        const begin = (i > 0 ? exit[lane]![i - 1]! : 0) + call.before;
        const end =
          Math.max(begin, ...call.waitsFor.map((group) => complete[group]!)) + call.inside;
        changed ||= begin !== enter[lane]![i] || end !== exit[lane]![i];
        enter[lane]![i] = begin;
        exit[lane]![i] = end;
      }
    }
  }
  return { enter, exit };
}

export function measured(lanes: readonly Call[][], groups: number): Dependences {
  const { enter, exit } = settle(lanes, groups);
  const starts = [0];
  for (const calls of lanes) starts.push(starts.at(-1)! + calls.length);
  const flat = lanes.flat();
  const rows = (pick: (call: Call) => number[]) => {
    const pairs = flat.flatMap((call, i) => pick(call).map((group) => [i, group] as const));
    return listsOf(
      flat.length,
      pairs.map(([call]) => call),
      pairs.map(([, group]) => group),
    );
  };
  return {
    laneStarts: Int32Array.from(starts),
    laneBegins: new Float64Array(lanes.length),
    laneEnds: Float64Array.from(exit, (times) => (times.at(-1) ?? 0) + 5),
    enter: Float64Array.from(enter.flat()),
    exit: Float64Array.from(exit.flat()),
    sourceOf: rows(({ sourceOf }) => sourceOf),
    waitsFor: rows(({ waitsFor }) => waitsFor),
    groups,
  };
}

export const call = (
  before: number,
  inside: number,
  sourceOf: number[] = [],
  waitsFor: number[] = [],
) => ({
  before,
  inside,
  sourceOf,
  waitsFor,
});

/** Programs of messages, collectives with and without root, and calls that wait for several. */
export function randomProgram(random: Random): { lanes: Call[][]; groups: number } {
  const index = (n: number) => Math.floor(random.uniform() * n);
  const lanes: Call[][] = Array.from({ length: 2 + index(4) }, () => []);
  let groups = 0;
  const time = (most: number) => index(most + 1);
  for (let i = 0; i < 30; i++) {
    const kind = index(3);
    const group = groups++;
    if (kind === 0) {
      for (const calls of lanes) calls.push(call(time(50), time(3), [group], [group]));
    } else if (kind === 1) {
      const root = index(lanes.length);
      for (const [lane, calls] of lanes.entries()) {
        calls.push(
          call(time(50), time(3), lane === root ? [group] : [], lane === root ? [] : [group]),
        );
      }
    } else {
      const [from, to] = [index(lanes.length), index(lanes.length)];
      lanes[from]!.push(call(time(50), time(3), [group]));
      const open = [group];
      if (from !== to && index(2) === 0) {
        lanes[from]!.push(call(time(5), time(3), [groups]));
        open.push(groups++);
      }
      lanes[to]!.push(call(time(50), time(3), [], open));
    }
  }
  return { lanes, groups };
}
