import { Random } from "../../accuracy/noise.ts";
import { noiseOf, writer } from "../programs.ts";
import { atLeast, atMost, forRules, mean, type Row, type Settings, upTo } from "../row.ts";
import { evaluate, RULES, type Rule } from "../run.ts";
import { type RegionScore, scoreRegions, sumScores } from "../score/regions.ts";
import { type Disturbed, injected, INJECTED } from "./injected.ts";

/** Labelled injections: what is found, where, and how much is said to be lost. */
export async function regions({ seed, runs, quick, done }: Settings): Promise<Row[]> {
  const scores = new Map<string, Map<Rule, RegionScore[]>>();
  const scenarios = INJECTED.filter((one) => !(quick && one.large));
  const each = Math.ceil(runs / 4);
  let all = 0;
  for (const scenario of scenarios) {
    const ofRule = new Map(RULES.map((rule) => [rule, [] as RegionScore[]]));
    scores.set(scenario.name, ofRule);
    for (let i = 0; i < (scenario.large ? 1 : each); i++) {
      const { truth, verdicts } = await evaluate(disturbedRun(scenario, seed + i, quick));
      for (const rule of RULES) ofRule.get(rule)!.push(scoreRegions(truth, verdicts[rule].regions));
      all++;
      done(`regions: ${scenario.name}`);
    }
  }
  const total = (rule: Rule) => sumScores([...scores.values()].flatMap((of) => of.get(rule)!));
  const totals = new Map(RULES.map((rule) => [rule, total(rule)]));
  return rows((value) => forRules(RULES, (rule) => value(totals.get(rule)!)), all, {
    scenarios: Object.fromEntries(
      [...scores].map(([name, of]) => [
        name,
        Object.fromEntries([...of].map(([rule, list]) => [rule, sumScores(list)])),
      ]),
    ),
  });
}

function disturbedRun(scenario: Disturbed, seed: number, quick: boolean) {
  const random = new Random(seed * 17 + 5);
  const program = writer(scenario.ranks, scenario.steps * (quick ? 0.5 : 1), scenario.workNs);
  const [shape, share] = (
    [
      ["normal", 0.02],
      ["lognormal", 0.03],
      ["vm", 0.02],
      ["periodic", 0.02],
      ["heavy", 0.02],
    ] as const
  )[seed % 5]!;
  return {
    seed,
    program,
    noise: noiseOf(shape, share, 0.6 * scenario.workNs),
    injections: injected(scenario, program, random),
  };
}

type Values = (value: (score: RegionScore) => number | undefined) => Row["values"];

function rows(values: Values, runs: number, details: Record<string, unknown>): Row[] {
  const share = (part: number, whole: number) => (whole > 0 ? (100 * part) / whole : undefined);
  const percent = { part: "regions", unit: "%" as const, runs };
  const bar95 = { ...percent, bar: ">= 95 %", reaches: atLeast(95) };
  return [
    {
      ...bar95,
      what: "precision, by region",
      values: values((score) => share(score.matched, score.found)),
      details,
    },
    {
      ...bar95,
      what: "recall, by region",
      values: values((score) => share(score.matched, score.true)),
    },
    {
      ...bar95,
      what: "precision, by second",
      values: values((score) => share(score.sharedNs, score.foundNs)),
    },
    {
      ...bar95,
      what: "recall, by second",
      values: values((score) => share(score.sharedNs, score.trueNs)),
    },
    {
      ...percent,
      what: "intersection over union, mean",
      bar: ">= 0.8",
      reaches: atLeast(0.8),
      unit: "",
      values: values((score) => mean(score.overlaps)),
    },
    {
      ...percent,
      what: "lost seconds: error, median",
      bar: "<= 5 %",
      reaches: atMost(5),
      values: values((score) => 100 * upTo(score.errors.map(Math.abs), 0.5)),
    },
    {
      ...percent,
      what: "lost seconds: error, 9 of 10 regions",
      bar: "<= 5 %",
      reaches: atMost(5),
      values: values((score) => 100 * upTo(score.errors.map(Math.abs), 0.9)),
    },
    {
      ...percent,
      what: "lost seconds: 95 % intervals hold the truth",
      bar: "93 to 97 %",
      reaches: (value) => value >= 93 && value <= 97,
      values: values((score) => share(score.covered, score.intervals)),
    },
  ];
}
