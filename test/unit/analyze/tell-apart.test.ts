import { describe, expect, test } from "vitest";
import { randomFrom } from "../../../src/analyze/statistics.ts";
import { type ContextRows, tellApart } from "../../../src/analyze/tell-apart.ts";

interface Fragment {
  rank: number;
  segment: number;
  value: number;
  ns: number;
}

/** One row per fragment: the function under test must not depend on how rows are summed up. */
function rowsOf(fragments: readonly Fragment[]): { rows: ContextRows; value: number[] } {
  const logs = fragments.map(({ ns }) => Math.log(ns));
  return {
    rows: {
      rank: fragments.map(({ rank }) => rank),
      segment: fragments.map(({ segment }) => segment),
      n: fragments.map(() => 1),
      sumLog: logs,
      sumWide: logs,
      sumNs: fragments.map(({ ns }) => ns),
    },
    value: fragments.map(({ value }) => value),
  };
}

function simulated(
  count: number,
  seed: number,
  noise: number,
  factor: (rank: number, segment: number, value: number) => number,
  values = 2,
): Fragment[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, i) => {
    const rank = i % 4;
    const segment = Math.floor((12 * i) / count);
    const value = Math.floor(values * random());
    const jitter = 1 + noise * (random() + random() + random() + random() - 2) * 1.73;
    return { rank, segment, value, ns: 1e6 * factor(rank, segment, value) * jitter };
  });
}

function groupsOf(list: readonly Fragment[]): number {
  const { rows, value } = rowsOf(list);
  return tellApart(rows, value)?.count ?? 1;
}

function slow(rank: number, segment: number): number {
  return rank === 1 && segment >= 4 && segment < 8 ? 2 : 1;
}

describe("tellApart", () => {
  test("5 % apart at 3 % noise are two works", () => {
    const list = simulated(2000, 1, 0.03, (_, __, value) => (value === 0 ? 1 : 1.05));
    const { rows, value } = rowsOf(list);
    const groups = tellApart(rows, value)!;
    expect(groups.count).toBe(2);
    expect(groups.of.get(0)).not.toBe(groups.of.get(1));
  });

  test("one work stays one, with any noise, number of values and seed", () => {
    for (let seed = 1; seed <= 40; seed++) {
      for (const values of [2, 5, 30])
        expect(groupsOf(simulated(1500, seed, 0.05, () => 1, values))).toBe(1);
    }
  });

  test("three works behind six values are three groups", () => {
    const level = [1, 1.1, 1.2, 1, 1.1, 1.2];
    const { rows, value } = rowsOf(simulated(6000, 2, 0.03, (_, __, v) => level[v]!, 6));
    const { of, count } = tellApart(rows, value)!;
    expect(count).toBe(3);
    for (const v of [0, 1, 2]) expect(of.get(v)).toBe(of.get(v + 3));
  });

  test("a rank slow for a while, in all values alike, splits nothing", () => {
    expect(groupsOf(simulated(4000, 3, 0.03, slow))).toBe(1);
  });

  test("nor does one whose value comes up mostly while it is slow", () => {
    const list = simulated(4000, 4, 0.03, (_, segment) => (segment >= 6 ? 1.5 : 1));
    for (const [i, one] of list.entries()) {
      const usual = Number(one.segment >= 6);
      one.value = i % 10 === 0 ? 1 - usual : usual;
    }
    expect(groupsOf(list)).toBe(1);
  });

  test("a difference in one part of the run, or on one rank, is none of work", () => {
    expect(groupsOf(simulated(4000, 5, 0.02, (_, s, v) => (s < 4 && v === 1 ? 1.3 : 1)))).toBe(1);
    expect(groupsOf(simulated(4000, 6, 0.02, (r, _, v) => (r === 2 && v === 1 ? 1.3 : 1)))).toBe(1);
  });

  test("values that never meet in one part of the run cannot be compared", () => {
    const list = simulated(4000, 7, 0.02, (_, s) => (s < 6 ? 1 : 1.4));
    for (const one of list) one.value = one.segment < 6 ? 0 : 1;
    expect(groupsOf(list)).toBe(1);
  });

  test("below 2.5 % it is one work", () => {
    expect(groupsOf(simulated(20_000, 8, 0.01, (_, __, v) => (v === 0 ? 1 : 1.015)))).toBe(1);
  });
});
