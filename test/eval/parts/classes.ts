import * as programs from "../programs.ts";
import { atLeast, forRules, mean, type Row, type Settings } from "../row.ts";
import { evaluate, RULES } from "../run.ts";
import { vMeasure } from "../score/v-measure.ts";
import type { Program } from "../simulate/program.ts";

const SCENARIOS: [string, string, number, (steps: number) => Program][] = [
  [
    "two works 10 % apart, by time alone",
    "0.95",
    0.015,
    (steps) => programs.twoWorks(steps, 0.1, programs.scattered),
  ],
  [
    "5 % apart, after other calls",
    "0.95",
    0.02,
    (steps) => programs.afterDifferentCalls(steps, 0.05),
  ],
  [
    "5 % apart, over other paths",
    "0.95",
    0.02,
    (steps) => programs.overDifferentPaths(steps, 0.05),
  ],
  [
    "5 % apart, every third step",
    "0.95",
    0.02,
    (steps) => programs.twoWorks(steps, 0.05, (step) => step % 3 === 0),
  ],
  ["one work with 5 % noise", "0.95", 0.05, (steps) => programs.stencil(4, steps, 5e6, 1e6)],
];

/** V-measure of work classes on labelled programs without counters. */
export async function classes({ seed, runs, quick, done }: Settings): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, bar, share, program] of SCENARIOS) {
    const scores: number[][] = [];
    const each = Math.ceil(runs / SCENARIOS.length);
    for (let i = 0; i < each; i++) {
      const shape = (["normal", "lognormal"] as const)[i % 2]!;
      const outcome = await evaluate({
        seed: seed + i,
        program: program(quick ? 200 : 1000),
        noise: programs.noiseOf(shape, share, 5e6),
      });
      scores.push(RULES.map((rule) => vMeasure(outcome.labels, outcome.verdicts[rule].classes)));
      done(`classes: ${what}`);
    }
    rows.push({
      part: "classes",
      what: `V-measure: ${what}`,
      bar: `>= ${bar}`,
      reaches: atLeast(Number(bar)),
      values: forRules(RULES, (rule) => mean(scores.map((of) => of[RULES.indexOf(rule)]!))),
      unit: "",
      runs: each,
    });
  }
  return rows;
}
