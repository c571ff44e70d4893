import { describe, expect, it } from "vitest";
import type { Heatmap, Region } from "../../../src/report/model.ts";
import { poolHeatmap } from "../../../src/report/text/heatmap-grid.ts";
import { drawHeatmap } from "../../../src/report/text/heatmap.ts";
import {
  formatBytes,
  formatCount,
  formatMoment,
  formatPercent,
  formatSeconds,
  formatSecondsRange,
  roundToSum,
} from "../../../src/report/text/numbers.ts";
import { rankRanges, ranksInWords } from "../../../src/report/text/ranks.ts";
import { createStyle } from "../../../src/report/text/style.ts";
import { layoutTable } from "../../../src/report/text/table.ts";
import {
  clipEnd,
  clipMiddle,
  displayWidth,
  printable,
  wrap,
} from "../../../src/report/text/width.ts";
import { randomNumbers } from "./random-report.ts";

describe("numbers", () => {
  it.each<[number, string]>([
    [0, "0 s"],
    [8.5e-7, "850 ns"],
    [0.001_214, "1.21 ms"],
    [0.999_6, "1.00 s"],
    [16.23, "16.2 s"],
    [99.97, "100 s"],
    [7203.4, "7,203 s"],
  ])("formats %f seconds as %s", (seconds, text) => expect(formatSeconds(seconds)).toBe(text));

  it.each<[number, string]>([
    [0, "0 %"],
    [0.001, "below 0.01 %"],
    [0.02, "0.02 %"],
    [0.4, "0.4 %"],
    [9.96, "10 %"],
    [51.6, "52 %"],
    [99.98, "99.9 %"],
    [100, "100 %"],
  ])("formats %f percent as %s", (percent, text) => expect(formatPercent(percent)).toBe(text));

  it("formats moments to the length of the run", () => {
    expect(formatMoment(6.12, 16)).toBe("6.1 s");
    expect(formatMoment(0.0123, 0.2)).toBe("12.3 ms");
    expect(formatMoment(0.0123, 0.003)).toBe("12.30 ms");
    expect(formatMoment(1.234, 4)).toBe("1.23 s");
    expect(formatMoment(3601.4, 7200)).toBe("3,601 s");
    expect(formatMoment(-0.01, 16)).toBe("0.0 s");
  });

  it("formats counts, bytes and ranges", () => {
    expect(formatCount(81_204)).toBe("81,204");
    expect(formatBytes(999)).toBe("999 B");
    expect(formatBytes(1_240_000)).toBe("1.24 MB");
    expect(formatBytes(999_900)).toBe("1.00 MB");
    expect(formatSecondsRange(0.9, 1.1)).toBe("0.90 to 1.10 s");
  });

  it("rounds parts so that they add up", () => {
    expect(roundToSum([1 / 3, 1 / 3, 1 / 3], 0.1).map((part) => part.toFixed(1))).toEqual([
      "0.4",
      "0.3",
      "0.3",
    ]);
    const random = randomNumbers(1);
    for (let round = 0; round < 200; round++) {
      const shares = Array.from({ length: 7 }, random);
      const total = shares.reduce((sum, part) => sum + part, 0);
      const percents = shares.map((share) => (100 * share) / total);
      const rounded = roundToSum(percents, 0.1);
      expect(rounded.reduce((sum, part) => sum + part, 0)).toBeCloseTo(100, 6);
      for (const [at, part] of rounded.entries()) {
        expect(Math.abs(part - (percents[at] ?? 0))).toBeLessThanOrEqual(0.1);
      }
    }
  });
});

describe("ranks in words", () => {
  it.each<[number[], string]>([
    [[1], "1"],
    [[0, 1], "0-1"],
    [[0, 1, 2, 3, 7], "0-3,7"],
    [[0, 2, 4, 6, 8], "0-8:2"],
    [[0, 5], "0,5"],
    [[7, 3, 3], "3,7"],
    [[], ""],
  ])("writes %j as %s", (ranks, text) => expect(rankRanges(ranks)).toBe(text));

  it("loses no rank, whatever the set", () => {
    const random = randomNumbers(2);
    for (let round = 0; round < 300; round++) {
      const ranks = Array.from({ length: 40 }, (_, rank) => rank).filter(() => random() < 0.5);
      const read = rankRanges(ranks)
        .split(",")
        .filter((part) => part !== "")
        .flatMap((part) => {
          const [range = "", stride = "1"] = part.split(":");
          const [first = 0, last = first] = range.split("-").map(Number);
          const count = (last - first) / Number(stride) + 1;
          return Array.from({ length: count }, (_, at) => first + at * Number(stride));
        });
      expect(read).toEqual(ranks);
    }
  });

  it("stays short", () => {
    const scattered = Array.from({ length: 4096 }, (_, rank) => rank).filter((r) => r % 7 < 2);
    expect(ranksInWords(scattered, 4096).length).toBeLessThan(70);
    expect(ranksInWords([0, 1], 2)).toBe("both ranks");
    expect(ranksInWords([0, 1, 2], 3)).toBe("all 3 ranks");
  });
});

describe("width", () => {
  it("counts cells", () => {
    expect(displayWidth("abc")).toBe(3);
    expect(displayWidth("größe")).toBe(5);
    expect(displayWidth("データ")).toBe(6);
    expect(displayWidth("e\u0301")).toBe(1);
  });

  it("makes control characters visible", () => {
    expect(printable("a\x1b[31mb\u202e")).toBe("a\\x1b[31mb\\u202e");
  });

  it("cuts at the end and in the middle", () => {
    expect(clipEnd("abcdefghij", 7)).toBe("abcd...");
    expect(clipMiddle("/a/very/long/path/program", 14)).toBe("/a/v...program");
    expect(clipMiddle("データデータ", 9)).toBe("デ...ータ");
  });

  it("wraps between words, cuts long ones, and keeps numbers with their units", () => {
    expect(wrap("one two three", 9, "- ", "  ")).toEqual(["- one two", "  three"]);
    expect(wrap("abcdefghijkl", 7, "  ")).toEqual(["  abcde", "  fghij", "  kl"]);
    expect(wrap("at 52 % of", 6)).toEqual(["at", "52 %", "of"]);
    expect(wrap("", 10, "- ")).toEqual([]);
  });

  it("cuts the widest flexible column of a table", () => {
    const columns = [
      { title: "name", flexible: true },
      { title: "n", right: true },
    ];
    // 16 cells: 2 for the number, 2 between, so 12 for the name: 3 + dots + 6.
    expect(layoutTable(columns, [["abcdefghijklmnop", "12"]], 16, "")).toEqual([
      "name           n",
      "abc...klmnop  12",
    ]);
  });
});

const region = (fields: Partial<Region>): Region => ({
  id: 1,
  kind: "compute",
  event: 1,
  scope: "ranks",
  ranks: [],
  hosts: [],
  startSeconds: 0,
  endSeconds: 1,
  performance: 0.5,
  lostSeconds: 1,
  lostInterval: [1, 1],
  iterations: null,
  runImpactSeconds: null,
  runImpactInterval: null,
  significance: 0.01,
  culprits: [],
  victims: [],
  throughout: [],
  evidence: [],
  causes: [],
  advice: "Look.",
  ...fields,
});

const map = (performance: (number | null)[][]): Heatmap => ({
  kind: "compute",
  startSeconds: 0,
  binSeconds: 1,
  ranks: performance.map((_, rank) => rank),
  performance,
});

describe("heat map", () => {
  it("pools time by the mean of the known bins", () => {
    const grid = poolHeatmap(map([[1, 0.5, null, 1, null, null]]), [], 10, 3);
    expect(grid.rows[0]?.cells).toEqual([0.75, 1, null]);
    expect(grid.columnSeconds).toBe(2);
  });

  it("pools ranks by the worst of them", () => {
    const grid = poolHeatmap(map([[1], [0.4], [null], [0.9], [null], [null]]), [], 3, 1);
    expect(grid.rows.map(({ ranks, cells }) => [ranks, cells])).toEqual([
      [[0, 1], [0.4]],
      [[2, 3], [0.9]],
      [[4, 5], [null]],
    ]);
  });

  it("does not let a short region vanish in a long column", () => {
    const performance = [Array.from({ length: 100 }, (_, bin) => (bin === 41 ? 0.1 : 1))];
    const slow = region({ ranks: [0], startSeconds: 41, endSeconds: 42 });
    expect(poolHeatmap(map(performance), [], 1, 2).rows[0]?.cells[0]).toBeCloseTo(0.982, 9);
    expect(poolHeatmap(map(performance), [slow], 1, 2).rows[0]?.cells).toEqual([0.1, 1]);
  });

  it("marks each level, and unknown by a mark of its own", () => {
    const cells = [1.3, 0.9, 0.89, 0.75, 0.6, 0.4, 0.2, 0.19, 0, null];
    const lines = drawHeatmap(map([cells]), [], createStyle(false), 16, 5);
    expect(lines.find((line) => line.includes("0 |"))).toBe("  0 |..--+*#@@?|");
  });

  it("groups 4,096 ranks and says so", () => {
    const performance = Array.from({ length: 4096 }, (_, rank) => [rank === 1000 ? 0.3 : 1]);
    const lines = drawHeatmap(map(performance), [], createStyle(false), 80, 16);
    const rows = lines.filter((line) => line.includes("|"));
    expect(rows).toHaveLength(16);
    expect(lines[0]).toContain("the worst of up to 256 ranks");
    expect(rows.filter((line) => line.includes("#"))).toEqual([rows[3]]);
    expect(rows[3]).toMatch(/^ {3,}768-1023 \|#+\|$/);
  });

  it("draws nothing where there is nothing", () => {
    expect(drawHeatmap(map([]), [], createStyle(false), 80, 16)).toEqual([]);
  });
});
