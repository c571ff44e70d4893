import { expect, test } from "vitest";
import { readOptions } from "../../eval/main.ts";
import { atLeast, type Row, upTo } from "../../eval/row.ts";
import { met, table } from "../../eval/table.ts";

const row: Row = {
  part: "null",
  what: "runs without a region",
  bar: ">= 99 %",
  reaches: atLeast(99),
  values: { ours: 98.999, vapro: 0 },
  unit: "%",
  runs: 1000,
};

test("a bar that is not reached is a NO, however little is missing", () => {
  expect(met(row)).toBe("NO");
  expect(met({ ...row, values: { ours: 99 } })).toBe("yes");
  const line = table([row]).split("\n")[2]!;
  expect(line.split(/\s{2,}/)).toEqual([
    "null",
    "runs without a region",
    ">= 99 %",
    "98.999",
    "0.0",
    "-",
    "-",
    "-",
    "NO",
    "1000",
  ]);
});

test.each([
  [5.004, "<= 5 %", 5, "5.004"],
  [4.96, "<= 5 %", 5, "5.0"],
])("%s against %s", (ours, bar, most, text) => {
  const lines = table([{ ...row, bar, reaches: (value) => value <= most, values: { ours } }]);
  expect(lines.split("\n")[2]!.split(/\s{2,}/)[3]).toBe(text);
});

test("a row without a value of ours is not met, one without a bar says nothing", () => {
  expect(met({ ...row, values: { vapro: 100 } })).toBe("NO");
  const { reaches: _, ...open } = row;
  expect(met({ ...open, bar: "" })).toBe("");
});

test("quantiles are values that occur", () => {
  expect(upTo([4, 1, 3, 2], 0.5)).toBe(2);
  expect(upTo([4, 1, 3, 2], 0.9)).toBe(4);
  expect(upTo([], 0.5)).toBeNaN();
});

test.each([
  [["--runs", "none"], "--runs none: give a whole number"],
  [["--runs", "0"], "--runs 0: give a whole number from 1"],
  [["--only", "classes,nulls"], "--only nulls: give one or more of classes, null,"],
  [["--fast"], "--fast"],
])("%j is refused in one line", (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});

test("options", () => {
  expect(readOptions(["--quick", "--only", "power,null", "--seed", "7"])).toMatchObject({
    seed: 7,
    runs: 5,
    quick: true,
    only: ["power", "null"],
  });
});
