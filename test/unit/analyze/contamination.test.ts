import { expect, test } from "vitest";
import { blockMeans } from "../../../src/analyze/block-means.ts";
import { surplusFactors } from "../../../src/analyze/contamination.ts";
import { BINS_PER_E } from "../../../src/analyze/settings.ts";
import { cellsOf, durations } from "./cells.ts";

const MS = 1e6;
const CUT = Math.floor(Math.log(2.5 * MS) * BINS_PER_E);

/** Factors where each fifth fragment takes 5 ms, the others 1 ms; `slowed` are short ones that took 5 ms, too. */
function factorsOf(slowed: (rank: number, block: number, i: number) => boolean): Float64Array {
  const cells = cellsOf(
    durations(2, 20, 20, (rank, block, i) => (i % 5 === 0 || slowed(rank, block, i) ? 5 : 1) * MS),
  );
  const below = blockMeans(cells, -Infinity, CUT);
  const upper = blockMeans(cells, CUT, Infinity);
  return surplusFactors(below, upper, Float64Array.of(MS, MS), Float64Array.of(5 * MS, 5 * MS));
}

test("usual shares leave the reference alone", () => {
  expect(new Set(factorsOf(() => false))).toEqual(new Set([1]));
});

test("a surplus on one rank for some time is judged by the work below", () => {
  // In blocks 8 to 12 of rank 1, 8 of 20 are slow by work or disturbance: 4 of them should be, 4 are of 1 ms.
  const factors = factorsOf(
    (rank, block, i) => rank === 1 && block >= 8 && block <= 12 && i % 5 === 1,
  );
  const expected = (4 * 5 + 4 * 1) / (8 * 5);
  for (const factor of factors.slice(29, 32)) expect(factor).toBeCloseTo(expected, 9);
  // The first and last disturbed block may be too little to tell.
  expect(new Set([...factors.slice(0, 28), ...factors.slice(33)])).toEqual(new Set([1]));
});

test("a phase of all ranks is the program's", () => {
  expect(new Set(factorsOf((_, block, i) => block >= 8 && block <= 12 && i % 5 === 1))).toEqual(
    new Set([1]),
  );
});
