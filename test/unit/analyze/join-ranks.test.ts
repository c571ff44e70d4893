import { expect, test } from "vitest";
import { type Draft, joinRanks } from "../../../src/analyze/join-ranks.ts";

function draft(rank: number, startNs: number, endNs: number, loss = 100): Draft {
  return { ranks: [rank], startNs, endNs, loss, chance: 0.001 / loss };
}

test("ranks slow at the same time are one region", () => {
  const joined = joinRanks([draft(4, 100, 200, 50), draft(2, 105, 210), draft(3, 98, 190)]);
  expect(joined).toEqual([
    { ranks: [2, 3, 4], startNs: 98, endNs: 210, loss: 250, chance: 0.00001 },
  ]);
});

test("two bursts of one rank stay two", () => {
  expect(joinRanks([draft(1, 0, 100), draft(1, 150, 250)])).toHaveLength(2);
});

test("a long interval does not swallow a short one, nor one that only touches it", () => {
  expect(joinRanks([draft(1, 0, 1000), draft(2, 400, 500)])).toHaveLength(2);
  expect(joinRanks([draft(1, 0, 100), draft(2, 90, 190)])).toHaveLength(2);
});
