import { Random } from "../../accuracy/noise.ts";
import { noiseOf, stencil } from "../programs.ts";
import { atLeast, forRules, percentOf, type Row, type Settings } from "../row.ts";
import { evaluate, type Outcome, RULES, type Rule } from "../run.ts";
import { intersectionOverUnion } from "../score/region.ts";

const RANKS = 4;
const WORK_NS = 10e6;
/** Fragments of the disturbed class that are slow. */
const SLOW = 20;
const FACTOR = 1.05;
const NOISE = 0.03;
/** So weak a slow-down has no sharp borders: this overlap counts as found. */
const FOUND = 0.3;

/** How often a slow-down of 5 % over 20 fragments of one rank is found in 3 % of noise. */
export async function power({ seed, runs, quick, done }: Settings): Promise<Row[]> {
  const outcomes: Outcome[] = [];
  for (let i = 0; i < runs; i++) {
    const random = new Random(seed + 31 * i);
    const steps = Math.round((quick ? 150 : 100) * (quick ? 1 : 10 ** random.uniform()));
    // The second computation is short, so that 20 fragments of the first are all there is.
    const program = stencil(RANKS, steps, 0.98 * WORK_NS, 0.02 * WORK_NS);
    const startNs = WORK_NS * (0.1 * steps + random.uniform() * (0.8 * steps - SLOW));
    outcomes.push(
      await evaluate({
        seed: seed + i,
        program,
        noise: noiseOf(i % 2 === 0 ? "normal" : "lognormal", NOISE, WORK_NS),
        injections: [
          {
            kind: "compute",
            ranks: [Math.floor(random.uniform() * RANKS)],
            startNs,
            // A step lasts as long as its slowest rank.
            endNs: startNs + SLOW * WORK_NS * (FACTOR + NOISE),
            form: "slow",
            factor: FACTOR,
          },
        ],
      }),
    );
    done("power");
  }
  return [
    {
      part: "power",
      what: "5 % slower for 20 fragments at 3 % noise: found",
      bar: ">= 90 %",
      reaches: atLeast(90),
      values: forRules(RULES, (rule) => percentOf(outcomes, (outcome) => found(outcome, rule))),
      unit: "%",
      runs,
    },
  ];
}

function found({ verdicts, truth }: Outcome, rule: Rule): boolean {
  return verdicts[rule].regions.some(
    (region) =>
      region.kind === "compute" && intersectionOverUnion(region.parts, truth[0]!.parts) >= FOUND,
  );
}
