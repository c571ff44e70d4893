import { describe, expect, test } from "vitest";
import { maximalSegments, RunningMaximum, type Segment } from "../../../src/analyze/segments.ts";
import { randomFrom } from "../../../src/analyze/statistics.ts";

/** By definition: the best segment (shortest, leftmost), then the same left and right of it. */
function byDefinition(scores: number[], from = 0, to = scores.length): Segment[] {
  let best: Segment | undefined;
  for (let a = from; a < to; a++) {
    let score = 0;
    for (let b = a; b < to; b++) {
      score += scores[b]!;
      const shorter = best && b + 1 - a < best.to - best.from;
      if (score > 0 && (!best || score > best.score || (score === best.score && shorter))) {
        best = { from: a, to: b + 1, score };
      }
    }
  }
  if (!best) return [];
  return [...byDefinition(scores, from, best.from), best, ...byDefinition(scores, best.to, to)];
}

describe("maximalSegments", () => {
  test("the example of Ruzzo & Tompa 1999", () => {
    const found = maximalSegments([4, -5, 3, -3, 1, 2, -2, 2, -2, 1, 5]);
    expect(found.map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [2, 3],
      [4, 11],
    ]);
    expect(found.map(({ score }) => score)).toEqual([4, 3, 7]);
  });

  test("agrees with the definition on random scores", () => {
    const random = randomFrom(11);
    for (let round = 0; round < 400; round++) {
      // Multiples of irrational-looking steps: ties between different segments do not occur.
      const scores = Array.from({ length: 1 + Math.floor(random() * 25) }, () => random() - 0.55);
      const found = maximalSegments(scores);
      const expected = byDefinition(scores);
      expect(found.map(({ from, to }) => [from, to])).toEqual(
        expected.map(({ from, to }) => [from, to]),
      );
      found.forEach(({ score }, i) => expect(score).toBeCloseTo(expected[i]!.score, 9));
    }
  });

  test("nothing positive, nothing found", () => {
    expect(maximalSegments([-1, 0, -2])).toEqual([]);
    expect(maximalSegments([])).toEqual([]);
  });
});

test("RunningMaximum is the score of the best segment", () => {
  const random = randomFrom(5);
  for (let round = 0; round < 100; round++) {
    const scores = Array.from({ length: 20 }, () => random() - 0.5);
    const running = new RunningMaximum();
    for (const score of scores) running.add(score);
    const best = Math.max(0, ...byDefinition(scores).map(({ score }) => score));
    expect(running.best).toBeCloseTo(best, 9);
  }
});
