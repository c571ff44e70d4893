import { noiseOf, NOISES, stencil } from "../programs.ts";
import { atLeast, atMost, forRules, mean, percentOf, type Row, type Settings } from "../row.ts";
import { evaluate, type Outcome, RULES, type Rule } from "../run.ts";

const RANKS = 4;
/** Every null run lasts as long, however many records it has. */
const RUN_NS = 10e9;
const SIZES = [50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000];
const LARGEST = 200_000;
/** One run in so many has the most records. */
const LARGE_EVERY = 40;

/** An undisturbed run with `size` fragments per class. */
function undisturbed(seed: number, size: number, shape: (typeof NOISES)[number], share: number) {
  const steps = Math.ceil(size / RANKS);
  const workNs = RUN_NS / steps;
  return evaluate({
    seed,
    program: stencil(RANKS, steps, 0.8 * workNs, 0.2 * workNs),
    noise: noiseOf(shape, share, workNs),
  });
}

/** False alarms: runs of every noise shape, 1 to 5 %, 50 to 200,000 records per class. */
export async function nulls({ seed, runs, quick, done }: Settings): Promise<Row[]> {
  const outcomes: (Outcome & { shape: string; size: number; share: number })[] = [];
  for (let i = 0; i < runs; i++) {
    const shape = NOISES[i % NOISES.length]!;
    const share = 0.01 * (1 + (Math.floor(i / NOISES.length) % 5));
    const large = !quick && i % LARGE_EVERY === LARGE_EVERY - 1;
    const size = large ? LARGEST : SIZES[(i * 7) % (quick ? 5 : SIZES.length)]!;
    const outcome = await undisturbed(seed + i, size, shape, share);
    // Classes and labels of many large runs would not fit into memory.
    for (const verdict of Object.values(outcome.verdicts)) verdict.classes = [];
    outcomes.push({ ...outcome, labels: [], shape, size, share });
    done(`null: ${shape} noise, ${size} records`);
  }
  const withRegion = outcomes.filter(({ verdicts }) => verdicts.ours.regions.length > 0);
  const flagged = (rule: Rule) =>
    100 * mean(outcomes.map(({ verdicts }) => verdicts[rule].flagged));
  return [
    {
      ...common(outcomes),
      what: "runs without a region",
      bar: ">= 99 %",
      reaches: atLeast(99),
      values: forRules(RULES, (rule) =>
        percentOf(outcomes, ({ verdicts }) => verdicts[rule].regions.length === 0),
      ),
      details: {
        withRegion: withRegion.map(({ shape, size, share, verdicts }) => ({
          shape,
          records: size,
          share,
          regions: verdicts.ours.regions,
        })),
      },
    },
    {
      ...common(outcomes),
      what: "the same, computation alone",
      bar: "",
      values: forRules(RULES, (rule) =>
        percentOf(outcomes, ({ verdicts }) =>
          verdicts[rule].regions.every((region) => region.kind !== "compute"),
        ),
      ),
    },
    {
      ...common(outcomes),
      what: "bins flagged",
      bar: "<= 1 %",
      reaches: atMost(1),
      values: forRules(RULES, flagged),
    },
  ];
}

function common(outcomes: readonly unknown[]) {
  return { part: "null", unit: "%" as const, runs: outcomes.length };
}

/** How far mean performance moves with the number of records, at 3 % noise; the worst noise shape. */
export async function records({ seed, runs, quick, done }: Settings): Promise<Row[]> {
  const sizes = quick ? [50, 500] : [50, 500, 5000, 50_000, LARGEST];
  const shapes = quick ? NOISES.slice(0, 2) : NOISES;
  const means: Record<string, Record<number, Partial<Record<Rule, number>>>> = {};
  let all = 0;
  for (const shape of shapes) {
    const of: Record<number, Partial<Record<Rule, number>>> = {};
    means[shape] = of;
    for (const size of sizes) {
      // Few records say little, so several such runs are averaged.
      const repeats = size > 5000 ? 1 : Math.min(5, Math.ceil(runs / 8));
      const performances: Record<Rule, number>[] = [];
      for (let i = 0; i < repeats; i++) {
        const { verdicts } = await undisturbed(seed + i, size, shape, 0.03);
        performances.push(
          Object.fromEntries(RULES.map((rule) => [rule, verdicts[rule].performance])) as Record<
            Rule,
            number
          >,
        );
        all++;
        done(`records: ${shape} noise, ${size} records`);
      }
      of[size] = forRules(RULES, (rule) => mean(performances.map((one) => one[rule])));
    }
  }
  const moves = (rule: Rule): number =>
    Math.max(
      ...Object.values(means).map((bySize) => {
        const values = Object.values(bySize).map((of) => of[rule]!);
        return 100 * (Math.max(...values) - Math.min(...values));
      }),
    );
  return [
    {
      part: "null",
      what: `performance moves, ${sizes[0]} to ${sizes.at(-1)!.toLocaleString("en")} records`,
      bar: "< 1 point",
      reaches: (value) => value < 1,
      values: forRules(RULES, moves),
      unit: "points",
      runs: all,
      details: { means },
    },
  ];
}
