import { Random } from "../../accuracy/noise.ts";
import { chain, noiseOf, routing, unequalWork } from "../programs.ts";
import { atLeast, forRules, percentOf, type Row, type Settings } from "../row.ts";
import { evaluate, type Outcome, RULES, type Rule } from "../run.ts";
import { intersectionOverUnion } from "../score/region.ts";
import type { Program } from "../simulate/program.ts";

const RANKS = 16;
const WORK_NS = 20e6;
/** Share of the run, and nothing else, that a region must cover to name a rank as slow throughout. */
const THROUGHOUT = 0.8;

/** Programs whose ranks have unequal work: never variance. */
export async function controls({ seed, runs, quick, done }: Settings): Promise<Row[]> {
  const steps = quick ? 200 : 600;
  const programs: [string, (seed: number) => Program][] = [
    ["unequal work", () => unequalWork(RANKS, steps, WORK_NS)],
    ["routing as in mixtures of experts", (one) => routing(RANKS, steps, WORK_NS, one)],
  ];
  const rows: Row[] = [];
  for (const [name, program] of programs) {
    const outcomes: Outcome[] = [];
    for (let i = 0; i < runs; i++) {
      const shape = (["lognormal", "vm"] as const)[i % 2]!;
      outcomes.push(
        await evaluate({
          seed: seed + i,
          program: program(seed + i),
          noise: noiseOf(shape, 0.02, WORK_NS),
        }),
      );
      done(`controls: ${name}`);
    }
    const none = (kinds: string[]) =>
      forRules(RULES, (rule) =>
        percentOf(outcomes, ({ verdicts }) =>
          verdicts[rule].regions.every(({ kind }) => !kinds.includes(kind)),
        ),
      );
    const row = { part: "imbalance", unit: "%" as const, runs };
    rows.push(
      {
        ...row,
        what: `${name}: no region`,
        bar: "100 %",
        reaches: atLeast(100),
        values: none(["compute", "communication", "io"]),
      },
      { ...row, what: `${name}: none of computation`, bar: "", values: none(["compute"]) },
    );
  }
  return rows;
}

interface Whole {
  name: string;
  worksNs: number[];
  host: boolean;
}

const WHOLE: Whole[] = [
  { name: "a rank slow throughout, several snippets", worksNs: [9e6, 4e6, 5e6, 2e6], host: false },
  { name: "a host slow throughout, several snippets", worksNs: [9e6, 4e6, 5e6, 2e6], host: true },
  { name: "a rank slow throughout, one snippet", worksNs: [20e6], host: false },
];

/** A rank or host that is 10 to 50 % slower from start to end. */
export async function throughout({ seed, runs, quick, done }: Settings): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, worksNs, host } of WHOLE) {
    const outcomes: Outcome[] = [];
    for (let i = 0; i < runs; i++) {
      const random = new Random(seed * 13 + i);
      const first = Math.floor(random.uniform() * RANKS);
      const ranks = host ? Array.from({ length: 4 }, (_, k) => 4 * (first >> 2) + k) : [first];
      outcomes.push(
        await evaluate({
          seed: seed + i,
          program: { ...chain(RANKS, quick ? 100 : 400, worksNs), ranksPerHost: 4 },
          noise: noiseOf(i % 2 === 0 ? "normal" : "lognormal", 0.02, 5e6),
          injections: [
            {
              kind: "compute",
              ranks,
              startNs: -1e9,
              endNs: 1e15,
              form: "slow",
              factor: 1.1 + 0.4 * random.uniform(),
            },
          ],
        }),
      );
      done(name);
    }
    const several = worksNs.length > 1;
    rows.push({
      part: "imbalance",
      what: `${name}: ${several ? "named slow" : "undecided"}`,
      bar: "100 %",
      reaches: atLeast(100),
      values: several
        ? forRules(RULES, (rule) => percentOf(outcomes, (outcome) => named(outcome, rule)))
        : { ours: percentOf(outcomes, undecided) },
      unit: "%",
      runs,
    });
  }
  return rows;
}

function named({ verdicts, truth }: Outcome, rule: Rule): boolean {
  return verdicts[rule].regions.some(
    (region) =>
      region.kind === "compute" &&
      intersectionOverUnion(region.parts, truth[0]!.parts) >= THROUGHOUT,
  );
}

function undecided({ verdicts, imbalances, truth }: Outcome): boolean {
  const slow = truth[0]!.parts.map(({ rank }) => rank);
  return (
    verdicts.ours.regions.length === 0 &&
    slow.every((rank) =>
      imbalances.some((one) => one.verdict === "undecided" && one.ranks.includes(rank)),
    )
  );
}
