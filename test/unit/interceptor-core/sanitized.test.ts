import { expect, test } from "vitest";
import { decodeTrace } from "./decode.ts";
import { buildDriver, runDriver, temporaryFolder, type Variant } from "./run-driver.ts";

const folder = temporaryFolder();
const NOT_POSSIBLE_HERE = 77;

/** Scenarios with their arguments; traces of those in `elsewhere` are not in the trace folder. */
const scenarios: [name: string, argument: number][] = [
  ["calls", 5000],
  ["unmapped", 5000],
  ["threads", 5000],
  ["short-threads", 60],
  ["busy-finish", 3000],
  ["kill", 200_000],
  ["full-disk", 200_000],
  ["size-limit", 200_000],
  ["fill-up", 399],
  ["close-all", 200_000],
  ["fork", 4000],
  ["fork-locked", 10],
  ["signals", 100_000],
  ["signals", 100_001],
  ["leave", 20],
  ["counters", 4],
  ["counter-threads", 60],
];

/** TSan does not support threads made after a fork, and reports calls from handlers that interrupt it. */
const unfit: Record<string, string[]> = {
  threads: ["fork", "fork-locked"],
  addresses: [],
  plain: [],
};

const cases = (["addresses", "threads"] as Variant[]).flatMap((variant) =>
  scenarios
    .filter(([name]) => !unfit[variant]?.includes(name))
    .map(([name, argument]) => [variant, name, argument] as const),
);

test.each(cases)("the sanitizer of %s finds nothing in %s %i", (variant, name, argument) => {
  const run = runDriver(buildDriver(variant), folder, name, argument);
  if (run.status === NOT_POSSIBLE_HERE) return;
  expect(run.stderr).toBe("");
  expect(run.status).toBe(0);
  expect(decodeTrace(name === "full-disk" ? run.out : run.trace).staging.length).toBeGreaterThan(0);
});
