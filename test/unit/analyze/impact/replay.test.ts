import { expect, test } from "vitest";
import { criticalPath } from "../../../../src/analyze/impact/critical-path.ts";
import { type Dependences, listsOf } from "../../../../src/analyze/impact/dependences.ts";
import { durations, replay, withoutViolations } from "../../../../src/analyze/impact/replay.ts";
import { Random } from "../../../accuracy/noise.ts";
import { call, measured, randomProgram } from "./programs.ts";

/** Rank 0 computes 100, sends; rank 1 computes 30, receives, computes 50, sends; rank 2 receives. A chain of two messages. */
const chain = [
  [call(100, 1, [0])],
  [call(30, 2, [], [0]), call(50, 1, [1])],
  [call(10, 2, [], [1])],
];

test("a chain: who waits is told from who works, and a delay goes through", () => {
  const run = measured(chain, 2);
  // By hand: receive of rank 1 ends at 102, its send begins at 152; rank 2 ends its receive at 154.
  expect([...run.exit]).toEqual([101, 102, 153, 154]);
  const times = durations(run);
  expect([...times.before]).toEqual([100, 30, 50, 10]);
  expect([...times.inside]).toEqual([1, 2, 1, 2]);
  expect(replay(run, times).endNs).toBe(159);
  // With rank 0 done after 60 everything is 40 earlier; with 20, rank 1's own 30 bind it: 70 earlier.
  const with0 = (ns: number) => ({ ...times, before: times.before.with(0, ns) });
  expect(replay(run, with0(60)).endNs).toBe(119);
  expect(replay(run, with0(20)).endNs).toBe(89);
});

test("a delay that was absorbed costs nothing", () => {
  // Rank 1 would have waited for 70 anyway, so 40 less of its own work gain nothing.
  const run = measured(chain, 2);
  const times = durations(run);
  expect(replay(run, { ...times, before: times.before.with(1, 0) }).endNs).toBe(159);
});

test("a barrier waits for the last, whoever that is", () => {
  const members = [10, 40, 25].map((before) => [call(before, 3, [0], [0]), call(7, 0)]);
  const run = measured(members, 1);
  expect(Array.from(run.exit.filter((_, i) => i % 2 === 0))).toEqual([43, 43, 43]);
  const times = durations(run);
  // Without 30 of rank 1's work rank 2 is the last: 25 + 3 + 7 + 5.
  expect(replay(run, { ...times, before: times.before.with(2, 10) }).endNs).toBe(40);
});

test("waits against causality bind nothing and are counted", () => {
  const run = measured(chain, 2);
  run.exit[1] = 90; // received before rank 0 sent it at 100
  expect(durations(run).violations).toBe(1);
  const rest = withoutViolations(run);
  expect(durations(rest).violations).toBe(0);
  expect(replay(rest, durations(rest)).endNs).toBe(159);
});

test("a circle of waits between calls of no length is let go, not waited for", () => {
  const circle = measured([[call(10, 0)], [call(10, 0)]], 2);
  circle.sourceOf = listsOf(4, [], []);
  const two: Dependences = {
    ...circle,
    laneStarts: Int32Array.from([0, 2, 4]),
    laneBegins: new Float64Array(2),
    laneEnds: Float64Array.from([20, 20]),
    enter: Float64Array.from([10, 10, 10, 10]),
    exit: Float64Array.from([10, 10, 10, 10]),
    // Each lane's first call waits for the other's second.
    sourceOf: listsOf(4, [1, 3], [0, 1]),
    waitsFor: listsOf(4, [0, 2], [1, 0]),
    groups: 2,
  };
  const { endNs, circles } = replay(two, durations(two));
  expect([endNs, circles]).toEqual([20, 1]);
});

test("replay gives the measured run, and that of a changed program, whatever the program", () => {
  const random = new Random(5);
  for (let i = 0; i < 60; i++) {
    const { lanes, groups } = randomProgram(random);
    const run = measured(lanes, groups);
    const times = durations(run);
    expect(times.violations).toBe(0);
    expect(replay(run, times)).toMatchObject({ endNs: Math.max(...run.laneEnds), circles: 0 });
    const changed = lanes.map((calls) =>
      calls.map((one) => Object.assign({}, one, { before: Math.floor(random.uniform() * 51) })),
    );
    const before = Float64Array.from(changed.flat(), (one) => one.before);
    expect(replay(run, { before, inside: times.inside }).endNs).toBe(
      Math.max(...measured(changed, groups).laneEnds),
    );
  }
});

test("the critical path of a chain is what the last rank's end depended on", () => {
  const run = measured(chain, 2);
  const path = criticalPath(run);
  // Rank 0's 100, then rank 1's receive (2) and 50, then rank 2's receive (2) and its last 5.
  expect([...path.before]).toEqual([100, 0, 50, 0]);
  expect([...path.inside]).toEqual([0, 2, 0, 2]);
  expect(path).toMatchObject({ tailNs: 5, lanes: { first: 0, last: 2 } });
});

test("whatever the program, the critical path is as long as the run, and shortening anything else gains nothing", () => {
  const random = new Random(7);
  for (let i = 0; i < 50; i++) {
    const { lanes, groups } = randomProgram(random);
    const run = measured(lanes, groups);
    const path = criticalPath(run);
    const sum = [...path.before, ...path.inside].reduce((a, b) => a + b, path.tailNs);
    const end = Math.max(...run.laneEnds);
    expect(sum).toBe(end);
    const times = durations(run);
    const shortened = times.before.map((ns, at) => (path.before[at]! > 0 ? ns : 0));
    expect(replay(run, { before: shortened, inside: times.inside }).endNs).toBe(end);
  }
});
