import { describe, expect, test } from "vitest";
import { compareRanks } from "../../../src/analyze/imbalances.ts";
import type { SnippetTime } from "../../../src/analyze/snippet-times.ts";

function time(rank: number, ns: number, more: Partial<SnippetTime> = {}): SnippetTime {
  return { snippet: 1, rank, ns, fragments: 100, vectors: "8 8", ...more };
}

describe("compareRanks", () => {
  test("equal ranks are balanced", () => {
    expect(compareRanks([time(0, 1000), time(1, 1050), time(2, 990)], 0.1, 10)).toEqual([]);
  });

  test("one slower rank of four: cost above the median of the others, undecided", () => {
    const found = compareRanks(
      [time(0, 1000), time(1, 1500), time(2, 1000), time(3, 1000)],
      0.1,
      10,
    );
    expect(found).toEqual([{ ranks: [1], excessPercent: 50, costNs: 500, verdict: "undecided" }]);
  });

  test("of two ranks the slower is odd", () => {
    expect(compareRanks([time(0, 1300), time(1, 1000)], 0.1, 10)).toEqual([
      { ranks: [0], excessPercent: 30, costNs: 300, verdict: "undecided" },
    ]);
  });

  test("more fragments or other sizes make it an imbalance", () => {
    const more = compareRanks([time(0, 1300, { fragments: 130 }), time(1, 1000)], 0.1, 10);
    expect(more[0]!.verdict).toBe("imbalance");
    const larger = compareRanks(
      [time(0, 1300, { vectors: "16 16" }), time(1, 1000), time(2, 1000)],
      0.1,
      10,
    );
    expect(larger[0]!.verdict).toBe("imbalance");
  });

  test("ranks alike are listed together, others apart", () => {
    const times = [1000, 1000, 1000, 1000, 1000, 1500, 1550, 3000].map((ns, rank) =>
      time(rank, ns),
    );
    expect(compareRanks(times, 0.1, 10).map(({ ranks }) => ranks)).toEqual([[7], [5, 6]]);
  });

  test("a snippet that few ranks have is not compared; a cost too small is not listed", () => {
    expect(
      compareRanks([time(0, 1000, { snippet: 2 }), time(1, 1000), time(2, 1000)], 0.1, 10),
    ).toEqual([]);
    expect(compareRanks([time(0, 1300), time(1, 1000)], 0.1, 301)).toEqual([]);
  });
});
