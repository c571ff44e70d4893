import { expect } from "vitest";
import { recordedCounts, runCounted } from "../../mpi/support/count.ts";
import { type Outcome, run, type RunOptions } from "../../mpi/support/jobs.ts";
import type { TraceFile } from "../../mpi/support/trace-file.ts";

/** Lines in any order: ranks write as they come. Process numbers, which launchers tell, are left out. */
export function lines(text: string): string[] {
  return text
    .replaceAll(/PID \d+/g, "PID")
    .split("\n")
    .toSorted();
}

export function said({ stdout, status }: Outcome): { status: number | null; said: string[] } {
  return { status, said: lines(stdout) };
}

/**
 * Runs a command with and without varscope: output and status must be the same, and each call of each process recorded,
 * by the count of a library of its own.
 * @returns the traces, by rank
 */
export function checkSame(
  command: string[],
  counter: string,
  options: RunOptions = {},
): TraceFile[] {
  const plain = run(command, options);
  const traced = runCounted(command, counter, options);
  expect(said(traced)).toEqual(said(plain));
  for (const file of traced.files) {
    expect(recordedCounts(file)).toEqual(traced.counted.get(file.pid));
    expect(file).toMatchObject({ finalized: true, lost: 0, sampledOut: 0, problems: [] });
    expect(file.intercepted).toBe(file.records.length);
  }
  return traced.files;
}
