import { expect, test } from "vitest";
import { loopStates } from "../../../src/analyze/loop-states.ts";

/** `turns` iterations of what `body` does. */
function run(turns: number, body: (turn: number) => number[]): number[] {
  return Array.from({ length: turns }, (_, turn) => body(turn)).flat();
}

test("a state of the outer loop counts it, though branches and inner loops vary", () => {
  const sequence = run(40, (turn) => [
    1,
    ...(turn % 7 === 3 ? [9] : []),
    ...Array.from({ length: 1 + (turn % 3) }, () => [5, 6]).flat(),
    2,
  ]);
  // 1 and 2 take turns in the outer loop, 5 and 6 in the inner one, which has more calls.
  expect(loopStates(sequence)).toEqual([5, 1]);
});

test("a state that now and then comes twice is of no loop", () => {
  expect(loopStates(run(40, (turn) => (turn === 20 ? [1, 1, 2] : [1, 2])))).toEqual([]);
});

test("too few calls are no loop", () => {
  expect(loopStates(run(7, () => [1, 2]))).toEqual([]);
});
