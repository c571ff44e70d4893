import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildReport } from "../../../src/report/build-report.ts";
import type { Report } from "../../../src/report/model.ts";
import { renderText } from "../../../src/report/text/text.ts";
import { runDirectory } from "../../../src/trace/run-directory.ts";
import type { Store } from "../../../src/trace/store.ts";
import { DISTURBED_RUN, storeWith } from "./hand-made.ts";
import { randomReport } from "./random-report.ts";

let store: Store;
let report: Report;
beforeAll(async () => {
  store = await storeWith(DISTURBED_RUN);
  report = await buildReport({ store, directory: runDirectory("/runs/one"), record: undefined });
});
afterAll(() => store.close());

const plain = (changed: Partial<Report> = {}) =>
  renderText({ ...report, ...changed }, { width: 80, color: false });

const judging = (percent: number) => ({
  ...report.quality,
  coverage: { ...report.quality.coverage, percent },
});

describe("the text report", () => {
  it("says first what came of it, then the rest in order", () => {
    const text = plain();
    expect(text.split("\n\n")[0]?.replaceAll("\n", " ")).toBe(
      "1 variance region: rank 1 ran at 50 % of its speed from 4.0 s to 6.0 s and lost 1.00 s.",
    );
    const places = [
      "Run\n",
      "Variance regions\n",
      "Differences between ranks",
      "Speed over time: compute",
      "Speed over time: communication",
      "Coverage: v-sensors judge 80 %",
      "v-sensors\n",
      "Calls: 610 intercepted = 600 recorded + 6 sampled out + 4 lost",
      "Overhead: 0.03 %",
    ].map((heading) => text.indexOf(heading));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it("tells a region with its ranks, hosts, times and victims", () => {
    const text = plain().replaceAll(/\n +/g, " ");
    expect(text).toContain("1. compute, rank 1 on node2 from 4.0 s to 6.0 s at 50 % of its speed");
    expect(text).toContain("lost 1.00 s of rank-time (95 % interval 0.90 to 1.10 s)");
    expect(text).toContain("only waited meanwhile: rank 0");
  });

  it("lists what is rare but long", () => {
    expect(plain().replaceAll(/\n +/g, " ")).toContain(
      "compute MPI_Waitall > MPI_Allreduce: 2 times on 2 ranks, 50.0 ms in all; the longest 30.0 ms at 9.0 s on rank 1",
    );
  });

  it("says where time alone tells nothing", () => {
    const [first, ...rest] = report.sensors;
    const text = plain({ sensors: [{ ...first!, verdict: "undecided" }, ...rest] });
    // 14 of 16 s judged.
    expect(text.replaceAll(/\n +/g, " ")).toContain(
      "88 % of the judged time: some ranks or phases",
    );
    expect(plain()).not.toContain("of the judged time");
  });

  it("draws the slow time of rank 1 and marks what is unknown", () => {
    const rows = plain()
      .split("\n")
      .filter((line) => /^ {2}[01] \|/.test(line));
    // 74 columns for 10 bins: columns 30 to 44 start in bins 4 and 5, 67 and later in bin 9.
    const [fine, slow, unknown] = [".".repeat(67), "*".repeat(15), "?".repeat(7)];
    expect(rows[0]).toBe(`  0 |${fine}${unknown}|`);
    expect(rows[1]).toBe(`  1 |${".".repeat(30)}${slow}${".".repeat(22)}${unknown}|`);
    expect(rows[2]).toBe(`  0 |${"-".repeat(74)}|`);
    expect(rows[3]).toBe(`  1 |${"?".repeat(74)}|`);
  });

  it("shows a ledger that adds up", () => {
    const lines = plain().split("\n");
    const start = lines.findIndex((line) => line.startsWith("Coverage"));
    const table = lines
      .slice(start + 1, start + 9)
      .map((line) => line.match(/[\d.]+/g)?.map(Number));
    const total = table.pop() ?? [];
    const sum = (column: number) => table.reduce((all, row) => all + (row?.[column] ?? NaN), 0);
    expect(total).toEqual([20, 100]);
    expect(sum(0)).toBeCloseTo(20, 6);
    expect(sum(1)).toBeCloseTo(100, 6);
  });

  it("says undecided where time cannot decide", () => {
    const text = plain().replaceAll(/\n +/g, " ");
    expect(text).toContain("rank 1 takes 13 % longer for compute than the others throughout");
    expect(text).toContain("undecided");
  });

  it("gives a plain all-clear only when there is something to judge by", () => {
    expect(plain({ regions: [] })).toMatch(/^No variance found: v-sensors judge 80 % of rank-time/);
    expect(plain({ regions: [], quality: judging(8) })).toMatch(
      /^No variance found, but v-sensors judge only 8.0 % of rank-time/,
    );
    expect(plain({ regions: [], quality: judging(0.2) })).toMatch(/^Cannot tell: .*0.2 %/);
    expect(plain({ regions: [], sensors: [] })).toMatch(/^Cannot tell: /);
  });

  it("says NOT COMPLETE and why", () => {
    const run = {
      ...report.run,
      complete: false,
      ranks: 4,
      unfinishedRanks: [1],
      missingRanks: [2, 3],
      exitCode: 137,
    };
    const text = plain({ run }).replaceAll(/\n +/g, " ");
    expect(text).toContain("NOT COMPLETE: rank 1 ended without MPI_Finalize");
    expect(text).toContain("no trace of ranks 2-3; the command ended with status 137");
    expect(text).toContain("The run is not complete");
  });

  it("is the same text with and without colour", () => {
    const colored = renderText(report, { width: 80, color: true });
    expect(colored).toContain("\x1b[");
    expect(stripVTControlCharacters(colored)).toBe(plain());
    expect(plain()).not.toContain("\x1b");
  });
});

describe("any report", () => {
  const seeds = Array.from({ length: 30 }, (_, seed) => seed);

  it.each([60, 80, 97, 120])("keeps every line within %i cells", (width) => {
    for (const seed of seeds) {
      const lines = renderText(randomReport(seed), { width, color: false }).split("\n");
      expect({ seed, tooWide: lines.filter((line) => cells(line) > width) }).toEqual({
        seed,
        tooWide: [],
      });
    }
  });

  it("lets no control character of a name through", () => {
    for (const seed of seeds) {
      const text = renderText(randomReport(seed), { width: 80, color: false });
      // oxlint-disable-next-line no-control-regex
      expect(text.match(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/u)).toBeNull();
    }
  });

  it("is the same text with and without colour", () => {
    for (const seed of seeds) {
      const random = randomReport(seed);
      const colored = renderText(random, { width: 80, color: true });
      expect(stripVTControlCharacters(colored)).toBe(
        renderText(random, { width: 80, color: false }),
      );
    }
  });

  it("is not long, whatever the number of ranks", () => {
    for (const seed of seeds) {
      const lines = renderText(randomReport(seed), { width: 80, color: false }).split("\n");
      expect(lines.length).toBeLessThan(400);
    }
  });
});

/**
 * Cells of a line counted apart from the code under test: wide means East Asian wide or an emoji.
 */
function cells(line: string): number {
  const segments = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(line)];
  const wide = /\p{Emoji_Presentation}|\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|ー/u;
  return segments.reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0);
}
