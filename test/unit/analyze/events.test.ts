import { expect, test } from "vitest";
import { eventsOf, type Occurrence } from "../../../src/analyze/events.ts";

function region(
  number: number,
  kind: string,
  startNs: number,
  endNs: number,
  ranks: number[],
  lostNs = 100 - number,
): Occurrence {
  return { region: number, kind, startNs, endNs, ranks, lostNs };
}

const numbers = (regions: Occurrence[]) => [...eventsOf(regions)].toSorted(([a], [b]) => a - b);

test("kinds that are slow on a rank at the same time are one event", () => {
  const regions = [
    region(1, "compute", 0, 100, [1, 2]),
    region(2, "io", 60, 120, [2]),
    region(3, "compute", 300, 400, [2]),
  ];
  expect(numbers(regions)).toEqual([
    [1, 1],
    [2, 1],
    [3, 2],
  ]);
});

test("not with other ranks, at other times, nor regions of one kind", () => {
  const regions = [
    region(1, "compute", 0, 100, [1]),
    region(2, "io", 0, 100, [2]),
    region(3, "io", 95, 195, [1]),
    region(4, "compute", 0, 100, [3]),
  ];
  expect(new Set(eventsOf(regions).values()).size).toBe(4);
});

test("a third one joins two", () => {
  const regions = [
    region(1, "compute", 0, 100, [1]),
    region(2, "compute", 0, 100, [2]),
    region(3, "communication", 10, 90, [1, 2]),
  ];
  expect(new Set(eventsOf(regions).values())).toEqual(new Set([1]));
});

test("events are numbered by the time lost in all their regions", () => {
  const regions = [
    region(1, "compute", 0, 100, [1], 50),
    region(2, "compute", 200, 300, [1], 40),
    region(3, "io", 200, 300, [1], 30),
  ];
  expect(numbers(regions)).toEqual([
    [1, 2],
    [2, 1],
    [3, 1],
  ]);
});
