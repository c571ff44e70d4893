import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { packageRoot } from "../../../src/launch/installation.ts";

const folder = mkdtempSync(join(tmpdir(), "varscope-summary-"));
const results = join(folder, "results.json");
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const good = { status: "passed", assertionResults: [{ status: "passed" }, { status: "pending" }] };
const bad = { status: "failed", assertionResults: [{ status: "passed" }, { status: "failed" }] };
const unloadable = { status: "failed", assertionResults: [] };

/** The last line of `npm test` must never call a failure a success. */
test.each([
  {
    name: "all well",
    suites: [good],
    vitest: "0",
    steps: "0",
    line: "1 passed, 0 failed, 1 skipped",
  },
  {
    name: "a failed test",
    suites: [good, bad],
    vitest: "1",
    steps: "0",
    line: "2 passed, 1 failed, 1 skipped",
  },
  {
    name: "a file that cannot be loaded",
    suites: [good, unloadable],
    vitest: "1",
    steps: "0",
    line: "1 passed, 1 failed, 1 skipped",
  },
  {
    name: "a failed check",
    suites: [good],
    vitest: "0",
    steps: "1",
    line: "1 passed, 1 failed, 1 skipped",
  },
  {
    name: "an error outside of tests",
    suites: [good],
    vitest: "1",
    steps: "0",
    line: "1 passed, 1 failed, 1 skipped",
  },
  {
    name: "stopped and no results",
    suites: undefined,
    vitest: "124",
    steps: "0",
    line: "0 passed, 1 failed, 0 skipped",
  },
])("$name", ({ suites, vitest, steps, line }) => {
  writeFileSync(results, suites ? JSON.stringify({ testResults: suites }) : "{");
  const words = ["--import", "tsx", "scripts/test-summary.ts", results, vitest, steps];
  const { stdout, status } = spawnSync(process.execPath, words, {
    cwd: packageRoot(),
    encoding: "utf8",
  });
  expect(stdout).toBe(`${line}\n`);
  expect(status).toBe(line.includes(" 0 failed") ? 0 : 1);
});
