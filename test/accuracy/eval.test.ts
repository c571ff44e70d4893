import { expect, test } from "vitest";
import { evaluateAll } from "../eval/main.ts";
import { analysesAgree, contentOf } from "../eval/parts/determinism.ts";
import { noiseOf, stencil, writer } from "../eval/programs.ts";
import { RULES, withRun } from "../eval/run.ts";
import { simulate } from "../eval/simulate/simulate.ts";
import { met, table } from "../eval/table.ts";

const QUICK = { seed: 3, runs: 1, ranks: 2, minutes: 1, quick: true, json: undefined };

test("a quick run of the kit: every row has a value, and the plain cases are right", async () => {
  const rows = await evaluateAll({ ...QUICK, only: ["classes", "null", "power", "coverage"] });
  const [, ...lines] = table(rows).split("\n\n")[0]!.split("\n");
  expect(lines).toHaveLength(rows.length + 1);
  for (const row of rows) expect(row.values.ours, row.what).toBeTypeOf("number");
  const of = (what: string) => rows.find((row) => row.what.includes(what))!;
  expect(met(of("one work with 5 % noise"))).toBe("yes");
  expect(met(of("after other calls"))).toBe("yes");
  expect(met(of("without a region"))).toBe("yes");
  expect(met(of("parts against rank-time"))).toBe("yes");
  // Seeds by time cut one work with 5 % noise into several.
  expect(of("one work with 5 % noise").values["vapro-time"]!).toBeLessThan(0.9);
});

test("disturbances are found, and scored, for every rule", async () => {
  const { regions } = await import("../eval/parts/regions.ts");
  const rows = await regions({ ...QUICK, done: () => undefined });
  const scenarios = rows[0]!.details!["scenarios"] as Record<
    string,
    Record<string, { true: number }>
  >;
  for (const [name, of] of Object.entries(scenarios)) {
    expect(Object.keys(of), name).toEqual([...RULES]);
    const expected = name.includes("twice") || name.includes("two bursts") ? 2 : 1;
    for (const rule of RULES) expect(of[rule]!.true, name).toBe(expected);
  }
  expect(rows.find(({ what }) => what === "precision, by region")!.values.ours).toBeGreaterThan(80);
});

test("two analyses of one trace leave the same tables", async () => {
  const noise = noiseOf("vm", 0.03, 8e6);
  const program = writer(4, 120, 10e6);
  expect(await analysesAgree(simulate({ seed: 9, program, noise }))).toBe(true);
});

test("the comparison of tables sees a call that took a nanosecond longer", async () => {
  const simulation = simulate({
    seed: 9,
    program: stencil(2, 30, 5e6, 1e6),
    noise: noiseOf("normal", 0.03, 5e6),
  });
  const before = await withRun(simulation, contentOf);
  simulation.ranks[1]!.endNs[7]! += 1;
  expect(await withRun(simulation, contentOf)).not.toBe(before);
});
