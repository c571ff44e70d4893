import { describe, expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import { type LabelledProgram, labelledStore, scoreClasses } from "./labelled.ts";
import { noiseOf } from "./labelled-programs.ts";

const MS = 1e6;

/** Every third step is 5 % longer; both calls, and so all edges, look the same in all steps. */
function everyThird(steps: number): LabelledProgram {
  return {
    ranks: 4,
    steps,
    noise: noiseOf(0.02),
    step: (_, step) => [
      { work: step % 3 === 0 ? "long" : "short", ns: (step % 3 === 0 ? 1.05 : 1) * MS, call: 1 },
      { work: "rest", ns: 0.5 * MS, call: 2 },
    ],
  };
}

/** Every fourth step is 5 % longer, and before some steps, other ones on each rank, there is one more call. */
function behindBranches(steps: number): LabelledProgram {
  return {
    ranks: 4,
    steps,
    noise: noiseOf(0.02),
    step: (_, step, random) => {
      const extra = random.uniform() < 0.4;
      const long = step % 4 === 0;
      return [
        ...(extra ? [{ work: "extra", ns: 0.3 * MS, call: 3 }] : []),
        { work: `${extra} ${long}`, ns: (long ? 1.05 : 1) * MS, call: 1 },
        { work: "rest", ns: 0.5 * MS, call: 2 },
      ];
    },
  };
}

describe("works told apart by the iteration they are done in", () => {
  // The last is more than is looked at as a whole: iterations are counted over what is left out.
  test.each([100, 30_000])("every third of %i steps", async (steps) => {
    const { v, classes } = await scoreClasses(everyThird(steps));
    expect(v).toBeGreaterThan(0.95);
    expect(classes.filter(({ basis }) => basis === "turn")).toHaveLength(2);
  });

  test("behind branches that are taken now and then", async () => {
    const { v } = await scoreClasses(behindBranches(500));
    expect(v).toBeGreaterThan(0.95);
  });

  test.each([
    [0.3, 0, 0],
    [0.95, 2, 0.95 * 2400],
  ])("calls left out from this share of the run on: %f", async (share, told, fragmentsTold) => {
    const { store } = await labelledStore(everyThird(600));
    try {
      await store.execute(`INSERT INTO gaps
        SELECT rank, 0, (${share} * end_ns)::BIGINT, (${share} * end_ns)::BIGINT + 1000, 7 FROM ranks`);
      await analyze(store);
      const classes = await store.rows<{ fragments: number }>(
        "SELECT fragments FROM work_classes WHERE kind = 'compute' AND basis = 'turn'",
      );
      expect(classes).toHaveLength(told);
      const judged = classes.reduce((sum, { fragments }) => sum + fragments, 0);
      // Of 2400 in all: what comes after is not guessed.
      expect(Math.abs(judged - fragmentsTold)).toBeLessThan(12);
    } finally {
      store.close();
    }
  });
});
