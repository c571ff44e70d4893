import { Random } from "../../accuracy/noise.ts";
import { noiseOf, writer } from "../programs.ts";
import { atLeast, atMost, forRules, mean, type Row, type Settings, upTo } from "../row.ts";
import { evaluate, RULES, type Rule } from "../run.ts";
import type { Region } from "../score/region.ts";
import { type RegionScore, scoreRegions, sumScores } from "../score/regions.ts";
import type { Scenario } from "../simulate/simulate.ts";
import { type Disturbed, INJECTED } from "./injected.ts";

/** Scores of one run by one rule: of all kinds, and of computation alone. */
interface Scores {
  all: RegionScore;
  compute: RegionScore;
}

/** Labelled injections: what is found, where, and how much is said to be lost. */
export async function regions({ seed, runs, quick, done }: Settings): Promise<Row[]> {
  const scores = new Map<string, Map<Rule, Scores[]>>();
  const each = Math.ceil(runs / 4);
  let total = 0;
  for (const scenario of INJECTED.filter((one) => !(quick && one.large))) {
    const ofRule = new Map(RULES.map((rule) => [rule, [] as Scores[]]));
    scores.set(scenario.name, ofRule);
    for (let i = 0; i < (scenario.large ? 1 : each); i++) {
      const { truth, verdicts } = await evaluate(disturbedRun(scenario, seed + i, quick));
      for (const rule of RULES) ofRule.get(rule)!.push(bothScores(truth, verdicts[rule].regions));
      total++;
      done(`regions: ${scenario.name}`);
    }
  }
  const details = Object.fromEntries(
    [...scores].map(([name, of]) => [
      name,
      Object.fromEntries(
        [...of].map(([rule, list]) => [rule, sumScores(list.map(({ all }) => all))]),
      ),
    ]),
  );
  const sum = (rule: Rule, which: keyof Scores) =>
    sumScores([...scores.values()].flatMap((of) => of.get(rule)!.map((one) => one[which])));
  const all = new Map(RULES.map((rule) => [rule, sum(rule, "all")]));
  const compute = new Map(RULES.map((rule) => [rule, sum(rule, "compute")]));
  return [
    ...rows(valuesOf(all), total, { scenarios: details }),
    ...computeRows(valuesOf(compute), total),
  ];
}

function bothScores(truth: readonly Region[], found: readonly Region[]): Scores {
  return {
    all: scoreRegions(truth, found),
    compute: scoreRegions(truth.filter(ofComputation), found.filter(ofComputation)),
  };
}

function ofComputation({ kind }: Region): boolean {
  return kind === "compute";
}

const NOISES = [
  ["normal", 0.02],
  ["lognormal", 0.03],
  ["vm", 0.02],
  ["periodic", 0.02],
  ["heavy", 0.02],
] as const;

function disturbedRun(scenario: Disturbed, seed: number, quick: boolean): Scenario {
  const steps = quick ? scenario.steps / 2 : scenario.steps;
  const program = writer(scenario.ranks, steps, scenario.workNs);
  const [shape, share] = NOISES[seed % NOISES.length]!;
  return {
    seed,
    program,
    noise: noiseOf(shape, share, 0.6 * scenario.workNs),
    injections: scenario.make(program, new Random(seed * 17 + 5)),
  };
}

type Values = (value: (score: RegionScore) => number | undefined) => Row["values"];

function valuesOf(scores: ReadonlyMap<Rule, RegionScore>): Values {
  return (value) => forRules(RULES, (rule) => value(scores.get(rule)!));
}

const precision = ({ matched, found }: RegionScore) => percent(matched, found);
const recall = (score: RegionScore) => percent(score.matched, score.true);

function percent(part: number, whole: number): number | undefined {
  return whole > 0 ? (100 * part) / whole : undefined;
}

function rows(values: Values, runs: number, details: Record<string, unknown>): Row[] {
  const common = { part: "regions", unit: "%" as const, runs };
  const bar95 = { ...common, bar: ">= 95 %", reaches: atLeast(95) };
  const bar5 = { ...common, bar: "<= 5 %", reaches: atMost(5) };
  const error = (share: number) => values(({ errors }) => 100 * upTo(errors.map(Math.abs), share));
  return [
    { ...bar95, what: "precision, by region", values: values(precision), details },
    { ...bar95, what: "recall, by region", values: values(recall) },
    {
      ...bar95,
      what: "precision, by second",
      values: values(({ sharedNs, foundNs }) => percent(sharedNs, foundNs)),
    },
    {
      ...bar95,
      what: "recall, by second",
      values: values(({ sharedNs, trueNs }) => percent(sharedNs, trueNs)),
    },
    {
      ...common,
      what: "intersection over union, mean",
      bar: ">= 0.8",
      reaches: atLeast(0.8),
      unit: "",
      values: values(({ overlaps }) => mean(overlaps)),
    },
    { ...bar5, what: "lost seconds: error, median", values: error(0.5) },
    { ...bar5, what: "lost seconds: error, 9 of 10 regions", values: error(0.9) },
    {
      ...common,
      what: "lost seconds: 95 % intervals hold the truth",
      bar: "93 to 97 %",
      reaches: (value) => value >= 93 && value <= 97,
      values: values(({ covered, intervals }) => percent(covered, intervals)),
    },
  ];
}

/** Published rules take waiting for slow calls; this shows what they do without. */
function computeRows(values: Values, runs: number): Row[] {
  const common = { part: "regions", unit: "%" as const, runs, bar: "" };
  return [
    { ...common, what: "precision, computation alone", values: values(precision) },
    { ...common, what: "recall, computation alone", values: values(recall) },
  ];
}
