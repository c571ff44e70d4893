/**
 * Prints `N passed, N failed, N skipped` from vitest's JSON results and exits 1 unless all is well.
 *
 * Usage: test-summary.ts RESULTS VITEST_EXIT_STATUS FAILED_STEPS
 */
import { readFileSync } from "node:fs";

interface Results {
  testResults: { status: string; assertionResults: { status: string }[] }[];
}

const [file = "", vitestStatus = "1", failedSteps = "0"] = process.argv.slice(2);
const count = { passed: 0, failed: Number(failedSteps), skipped: 0 };

for (const suite of readResults(file)?.testResults ?? []) {
  for (const { status } of suite.assertionResults) {
    if (status === "passed" || status === "failed") count[status] += 1;
    else count.skipped += 1;
  }
  // A file that cannot even be loaded has no tests to count, but it has failed.
  const blamed = suite.assertionResults.some(({ status }) => status === "failed");
  if (suite.status === "failed" && !blamed) count.failed += 1;
}
// vitest also fails for errors outside of tests, and when it was stopped.
if (vitestStatus !== "0" && count.failed === Number(failedSteps)) count.failed += 1;

console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exitCode = count.failed === 0 ? 0 : 1;

function readResults(path: string): Results | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Results;
  } catch {
    return undefined;
  }
}
