import { describe, expect, test } from "vitest";
import { fitGrowth, type Form, type Point, timeAt, timeSql } from "../../../src/analyze/growth.ts";
import { randomFrom } from "../../../src/analyze/statistics.ts";
import { Store } from "../../../src/trace/store.ts";

function points(ns: (x: number) => number, noise = 0.03, count = 60, seed = 1): Point[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, i) => {
    const x = 100 + 70 * i;
    return { x, ns: ns(x) * (1 + noise * 3.46 * (random() - 0.5)), n: 1 + (i % 5) };
  });
}

function straight(x: number): number {
  return 1e5 + 400 * x;
}

describe("fitGrowth", () => {
  const cases: [Form, (x: number) => number][] = [
    ["constant", () => 1e6],
    ["linear", (x) => 2e5 + 300 * x],
    ["n log n", (x) => 50 * x * Math.log2(x)],
    ["power", (x) => 0.2 * x ** 2],
  ];
  test.each(cases)("recognises %s, and predicts it at 3 %% noise too", (form, ns) => {
    for (let seed = 1; seed <= 20; seed++) {
      // At 3 % noise n log n and n^1.15 cannot be told apart over a range like this.
      expect(fitGrowth(points(ns, 0.005, 60, seed)).form).toBe(form);
      const growth = fitGrowth(points(ns, 0.03, 60, seed));
      expect(growth.form === "constant").toBe(form === "constant");
      for (const x of [200, 1500, 4000])
        expect(Math.abs(timeAt(growth, x) / ns(x) - 1)).toBeLessThan(0.04);
    }
  });

  test("a fifth of the points disturbed by twice their time changes little", () => {
    const list = points(straight);
    for (let i = 2; i < list.length; i += 5) list[i]!.ns *= 2;
    const growth = fitGrowth(list);
    expect(growth.form).toBe("linear");
    for (const x of [200, 1500, 4000])
      expect(Math.abs(timeAt(growth, x) / straight(x) - 1)).toBeLessThan(0.05);
  });

  test("four amounts are too few, and a growth of 3 % is none", () => {
    expect(fitGrowth(points((x) => 1000 * x, 0.01, 4)).form).toBe("constant");
    expect(fitGrowth(points((x) => 1e6 * (1 + x / 140_000), 0.005, 60)).form).toBe("constant");
  });

  test("work that falls with the amount has no negative time", () => {
    const growth = fitGrowth(points((x) => 5e9 / x));
    for (const x of [1, 100, 1e6, 1e9]) expect(timeAt(growth, x)).toBeGreaterThanOrEqual(1);
  });

  test("SQL says the same", async () => {
    const store = await Store.open(":memory:", { threads: 1 });
    try {
      for (const [, ns] of cases) {
        const growth = fitGrowth(points(ns));
        for (const x of [0, 1, 5, 1000, 2 ** 40]) {
          const row = await store.row<{ ns: number }>(
            `SELECT ${timeSql(growth, `${x}::BIGINT`)} AS ns`,
          );
          expect(Math.abs(row!.ns / timeAt(growth, x) - 1)).toBeLessThan(1e-9);
        }
      }
    } finally {
      store.close();
    }
  });
});
