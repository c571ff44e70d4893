import type { LabelledCall, LabelledProgram } from "./labelled.ts";
import type { Noise, NoiseShape } from "./noise.ts";

export function noiseOf(share: number, shape: NoiseShape = "lognormal"): Noise {
  return { shape, share, spikeChance: 0, spikeNs: [1e5, 1e6], wander: 0 };
}

const MS = 1e6;

/** A step that computes `works` in turn, each ended by the same call (state 1), and a reduction (state 2). */
function turns(works: readonly Partial<LabelledCall>[]): () => LabelledCall[] {
  return () => [
    ...works.map((one, i) => ({ work: `turn ${i}`, ns: MS, call: 1, ...one })),
    { work: "rest", ns: 0.5 * MS, call: 2 },
  ];
}

type Spec = Omit<LabelledProgram, "ranks" | "steps">;

/** Programs with known work classes; ranks and steps are chosen by the test. */
export const LABELLED: Record<string, Spec> = {
  "5 % apart by position, 1.5 % noise": {
    noise: noiseOf(0.015),
    step: turns([{}, { work: "b" }, { work: "c", ns: 1.05 * MS }, { work: "d", ns: 0.5 * MS }]),
  },
  "5 % apart by position, 3 % noise": {
    noise: noiseOf(0.03),
    step: turns([{}, { work: "b" }, { work: "c", ns: 1.05 * MS }, { work: "d", ns: 0.5 * MS }]),
  },
  "5 % apart by position in a long period": {
    noise: noiseOf(0.03),
    step: turns(
      Array.from({ length: 12 }, (_, i) =>
        i === 0 ? {} : i % 3 === 1 ? { work: "long", ns: 1.05 * MS } : { work: "short" },
      ),
    ),
  },
  "5 % apart by tag, 3 % noise": {
    noise: noiseOf(0.03),
    step: (_, __, random) => {
      const tag = random.uniform() < 0.4 ? 7 : 3;
      return [
        { work: `tag ${tag}`, ns: tag === 7 ? 1.05 * MS : MS, call: 1, tag },
        { work: "rest", ns: 0.5 * MS, call: 2 },
      ];
    },
  },
  "5 % apart by partner, heavy noise": {
    noise: noiseOf(0.02, "heavy"),
    step: (rank) => [
      { work: "left", ns: MS, call: 1, peer: rank - 1 },
      { work: "right", ns: 1.05 * MS, call: 1, peer: rank + 1 },
      { work: "again left", ns: 0.95 * MS, call: 1, peer: rank - 1 },
      { work: "rest", ns: 0.5 * MS, call: 2 },
    ],
  },
  "5 % apart by tag and partner together": {
    noise: noiseOf(0.02),
    step: (rank, _, random) => {
      const tag = random.uniform() < 0.5 ? 1 : 2;
      const side = random.uniform() < 0.5 ? 1 : -1;
      const ns = MS * 1.05 ** ((tag === 1 ? 0 : 1) + (side === 1 ? 0 : 2));
      return [
        { work: `${tag} ${side}`, ns, call: 1, tag, peer: rank + side },
        { work: "rest", ns: 0.5 * MS, call: 2 },
      ];
    },
  },
  "10 % apart by time alone, 1.5 % noise": {
    noise: noiseOf(0.015),
    step: (_, __, random) => {
      const long = random.uniform() < 0.5;
      return [
        { work: long ? "long" : "short", ns: (long ? 1.1 : 1) * MS, call: 1 },
        { work: "rest", ns: 0.5 * MS, call: 2 },
      ];
    },
  },
  "10 % apart by time alone, one in five, normal noise": {
    noise: noiseOf(0.015, "normal"),
    step: (_, __, random) => {
      const long = random.uniform() < 0.2;
      return [
        { work: long ? "long" : "short", ns: (long ? 1.1 : 1) * MS, call: 1 },
        { work: "rest", ns: 0.5 * MS, call: 2 },
      ];
    },
  },
  "one work with 5 % noise": {
    noise: noiseOf(0.05),
    step: (rank, _, random) => [
      { work: "one", ns: MS, call: 1, tag: Math.floor(4 * random.uniform()), peer: rank + 1 },
      { work: "two", ns: MS, call: 1, tag: 1, peer: rank - 1 },
      { work: "rest", ns: 0.5 * MS, call: 2 },
    ],
  },
  "one work with 5 % heavy noise and many contexts": {
    noise: noiseOf(0.05, "heavy"),
    step: turns(Array.from({ length: 8 }, (_, i) => (i === 0 ? {} : { work: "one", tag: i }))),
  },
  "one work, a rank slow for a third of the run": {
    noise: noiseOf(0.03),
    slow: (rank, share) => (rank === 1 && share > 0.3 && share < 0.63 ? 1.6 : 1),
    step: turns(Array.from({ length: 6 }, (_, i) => (i === 0 ? {} : { work: "one", tag: i % 2 }))),
  },
  "one work, all slow for a while, tags change with it": {
    noise: noiseOf(0.03),
    slow: (_, share) => (share > 0.4 && share < 0.6 ? 1.3 : 1),
    step: (_, step) => [
      { work: "one", ns: MS, call: 1, tag: step % 10 < 5 ? 1 : 2 },
      { work: "rest", ns: 0.5 * MS, call: 2 },
    ],
  },
};
