import { describe, expect, test } from "vitest";
import { findPeriod, type Repeats } from "../../../src/analyze/periods.ts";
import { randomFrom } from "../../../src/analyze/statistics.ts";

/** Executions on `ranks` ranks, `turns` each; `log` says how much longer than usual one takes. */
function repeats(
  ranks: number,
  turns: number,
  seed: number,
  noise: number,
  log: (rank: number, turn: number) => number,
): Repeats {
  const random = randomFrom(seed);
  const all = Array.from({ length: ranks * turns }, (_, i) => {
    const [rank, turn] = [Math.floor(i / turns), i % turns];
    const normal = random() + random() + random() + random() - 2;
    return { rank, turn, logNs: 14 + log(rank, turn) + noise * 1.73 * normal };
  });
  return {
    rank: all.map(({ rank }) => rank),
    turn: all.map(({ turn }) => turn),
    segment: all.map(({ turn }) => Math.floor((12 * turn) / turns)),
    segments: 12,
    logNs: all.map(({ logNs }) => logNs),
  };
}

const slow = (rank: number, turn: number) => (rank === 1 && turn > 200 && turn < 400 ? 0.6 : 0);

const own = (rank: number, turn: number) => (rank === 0 && turn % 3 === 0 ? 0.1 : 0);

// A clock that ticks every 5.84 executions from another moment on each rank, and loses step with them.
const ticks = (rank: number, turn: number) => Math.floor((turn + 1.7 * rank) / 5.84);
const hit = (rank: number, turn: number) => (ticks(rank, turn + 1) > ticks(rank, turn) ? 0.1 : 0);

const everyTenth = (turns: number) =>
  findPeriod(repeats(16, turns, 1, 0.01, (_, turn) => (turn % 10 === 0 ? 0.2 : 0)))?.period;

describe("findPeriod", () => {
  test.each([2, 3, 7, 24])("every n-th is 5 percent longer, n = %i", (period) => {
    const found = findPeriod(
      repeats(4, 600, period, 0.03, (_, turn) => (turn % period === 1 ? 0.05 : 0)),
    );
    expect(found?.period).toBe(period);
  });

  test("a rank that is slow for a while hides nothing", () => {
    const found = findPeriod(
      repeats(4, 600, 1, 0.02, (rank, turn) => slow(rank, turn) + (turn % 3 === 0 ? 0.05 : 0)),
    );
    expect(found?.period).toBe(3);
  });

  test("noise has no period: 200 works of 100 to 900 executions", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const noise = seed % 2 === 0 ? 0.05 : 0.01;
      expect(findPeriod(repeats(4, 25 * (1 + (seed % 9)), seed, noise, () => 0))).toBeUndefined();
    }
  });

  test("interruptions at equal times have none", () => {
    for (const turns of [50, 125, 500, 2500]) {
      for (const ranks of [1, 2, 4])
        expect(findPeriod(repeats(ranks, turns, turns, 0.002, hit))).toBeUndefined();
    }
  });

  test("what one rank alone does every third time is not told", () => {
    expect(findPeriod(repeats(4, 300, 1, 0.02, own))).toBeUndefined();
  });

  test("fewer than eight periods are too few", () => {
    expect(everyTenth(79)).toBeUndefined();
    expect(everyTenth(90)).toBe(10);
  });
});
