import * as programs from "../programs.ts";
import { atMost, forRules, mean, type Row, type Settings } from "../row.ts";
import { evaluate, type Outcome, RULES, type Rule } from "../run.ts";
import type { Program } from "../simulate/program.ts";

/** How much of the run each rule judges, and whether the ledger's parts add up. */
export async function coverage({ seed, quick, done }: Settings): Promise<Row[]> {
  const steps = quick ? 100 : 500;
  const all: [string, Program][] = [
    ["stencil", programs.stencil(8, steps, 8e6, 2e6)],
    ["stencil that writes", programs.writer(8, steps, 10e6)],
    ["unequal work", programs.unequalWork(8, steps, 10e6)],
    ["routing", programs.routing(8, steps, 10e6, seed)],
  ];
  const outcomes: [string, Outcome][] = [];
  for (const [name, program] of all) {
    const noise = programs.noiseOf("vm", 0.02, 8e6);
    outcomes.push([name, await evaluate({ seed, program, noise })]);
    done(`coverage: ${name}`);
  }
  return [
    {
      part: "coverage",
      what: "ledger: parts against rank-time, worst",
      bar: "<= 0.1 %",
      reaches: atMost(0.1),
      values: { ours: 100 * Math.max(...outcomes.map(([, outcome]) => outcome.ledgerError)) },
      unit: "%",
      runs: outcomes.length,
    },
    {
      part: "coverage",
      what: "rank-time judged, mean of four programs",
      bar: "",
      values: forRules(RULES, (rule) =>
        mean(outcomes.map(([, outcome]) => percentOf(outcome, rule))),
      ),
      unit: "%",
      runs: outcomes.length,
      details: Object.fromEntries(
        outcomes.map(([name, outcome]) => [
          name,
          forRules(RULES, (rule) => percentOf(outcome, rule)),
        ]),
      ),
    },
  ];
}

function percentOf(outcome: Outcome, rule: Rule): number {
  return 100 * outcome.verdicts[rule].coverage;
}
