import { expect, test } from "vitest";
import { compareEvidence } from "../../../src/analyze/rank-evidence.ts";

/** Logs of durations, of which `slow` of 10 are `by` longer. */
function probes(rank: number, slow: number, by: number) {
  const logs = Array.from({ length: 40 }, (_, i) => (i % 10 < slow ? by : 0) + 0.001 * (i % 7));
  return { rank, kind: "memory", logs };
}

test("a rank whose probes met slow memory more often than others' is not slower throughout", () => {
  const [, other] = compareEvidence([probes(0, 4, 0.6), probes(1, 6, 0.6)], []);
  expect(other!.probes[0]!.difference).toBeLessThan(0.01);
});

test("one whose quickest probes are slower, too, is", () => {
  const [, other] = compareEvidence([probes(0, 4, 0.6), probes(1, 10, 0.6)], []);
  expect(other!.probes[0]!.difference).toBeGreaterThan(0.55);
});
