import { expect, test } from "vitest";
import { behind } from "../../eval/live/pace.ts";

/** Turns of 10 ms for 2 s, of 20 ms for 1 s, of 10 ms for 2 s. */
const TURNS = [
  ...Array.from({ length: 200 }, (_, i) => 10e6 * i),
  ...Array.from({ length: 50 }, (_, i) => 2e9 + 20e6 * i),
  ...Array.from({ length: 200 }, (_, i) => 3e9 + 10e6 * i),
];

test("half of the pace for a second is half a second behind", () => {
  expect(behind(TURNS, 2e9, 3e9)).toBeCloseTo(0.5, 6);
});

test("an interval like all others is nothing behind", () => {
  expect(behind(TURNS, 3.5e9, 4.5e9)).toBeCloseTo(0, 6);
});

test("a pause elsewhere does not change the usual pace", () => {
  const paused = TURNS.map((time) => (time > 4e9 ? time + 1e9 : time));
  expect(behind(paused, 2e9, 3e9)).toBeCloseTo(0.5, 6);
});

test("a stop loses all of its time", () => {
  const stopped = [
    ...Array.from({ length: 200 }, (_, i) => 10e6 * i),
    ...Array.from({ length: 200 }, (_, i) => 3.5e9 + 10e6 * i),
  ];
  // The turn before the stop ends after it: one turn at most is taken for lost.
  expect(behind(stopped, 2e9, 3.5e9)).toBeCloseTo(1.5, 1);
});

test("too little outside of the interval says nothing", () => {
  expect(behind(TURNS.slice(0, 220), 0, 1.9e9)).toBeUndefined();
});
