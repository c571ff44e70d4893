import type { LabelledProgram } from "./labelled.ts";
import { noiseOf } from "./labelled-programs.ts";
import type { Random } from "./noise.ts";

const MS = 1e6;

type Spec = Omit<LabelledProgram, "ranks" | "steps">;

/** A work whose time is `ns` of a random amount, and what of the call tells the amount. */
function growing(
  ns: (x: number) => number,
  amount: (random: Random) => number,
  call: (x: number) => { bytes?: number; tag?: number; completed?: number },
): Spec {
  return {
    noise: noiseOf(0.03),
    step: (_, __, random) => {
      const x = amount(random);
      return [
        { work: "grows", ns: ns(x), call: 1, ...call(x) },
        { work: "rest", ns: 0.5 * MS, call: 2 },
      ];
    },
  };
}

/** A whole number from a range. */
const whole = (low: number, high: number) => (random: Random) =>
  low + Math.floor((high - low) * random.uniform());

export interface GrowingProgram {
  program: Spec;
  amount: string;
  form: string;
}

/** Programs with one work that varies with something known. */
export const GROWING: Record<string, GrowingProgram> = {
  "linear in bytes that never repeat": {
    program: growing(
      (x) => 2e5 + 100 * x,
      whole(1000, 30_000),
      (bytes) => ({ bytes }),
    ),
    amount: "bytes",
    form: "linear",
  },
  "n log n in bytes": {
    program: growing(
      (x) => 40 * x * Math.log2(x),
      whole(20, 4000),
      (bytes) => ({ bytes }),
    ),
    amount: "bytes",
    form: "n log n",
  },
  "square of bytes": {
    program: growing(
      (x) => 0.5 * x * x,
      whole(400, 4000),
      (bytes) => ({ bytes }),
    ),
    amount: "bytes",
    form: "power",
  },
  "linear in a tag": {
    program: growing(
      (x) => 3e5 + 5e4 * x,
      whole(1, 40),
      (tag) => ({ tag }),
    ),
    amount: "tag",
    form: "linear",
  },
  "linear in the number of completed requests": {
    program: growing(
      (x) => 2e5 * x,
      whole(1, 9),
      (completed) => ({ completed }),
    ),
    amount: "completed",
    form: "linear",
  },
};
