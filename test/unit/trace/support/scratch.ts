import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that is gone after the test. */
export function scratchFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "varscope-trace-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** An empty run directory: `path` and the trace folder inside it. */
export function scratchRun(): { path: string; traces: string } {
  const path = scratchFolder();
  const traces = join(path, "trace");
  mkdirSync(traces);
  return { path, traces };
}
