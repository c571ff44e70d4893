import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkTrace } from "../fuzz/check-trace.ts";
import { buildPattern, killOnce, MPIS, patternJob } from "../fuzz/kill.ts";
import { patternCheck } from "../fuzz/pattern.ts";
import { run } from "./run-support/varscope.ts";

/** `npm run fuzz` kills at a hundred more moments. */
const SEEDS = [101, 102, 103, 104, 105, 106];

/** Where the payloads of FRAGMENTS blocks begin; numbers as in trace_format.h. */
function packedPayloads(bytes: Buffer): number[] {
  const found: number[] = [];
  const committed = Number(bytes.readBigUInt64LE(64));
  for (let at = 4096; at < committed; ) {
    if (bytes.readUInt16LE(at + 4) === 6) found.push(at + 40);
    at += Math.ceil((40 + bytes.readUInt32LE(at + 8)) / 8) * 8;
  }
  return found;
}

beforeAll(() => {
  for (const mpi of MPIS) buildPattern(mpi);
});

describe.each(MPIS)("jobs of %s killed by SIGKILL leave traces that are right", (mpi) => {
  test.each(SEEDS)("at the moment of seed %i", async (seed) => {
    const { what, findings, traces } = await killOnce(mpi, seed);
    expect({ what, findings }).toEqual({ what, findings: [] });
    expect(traces).toBeLessThanOrEqual(2);
  });
});

describe("the check of killed jobs' traces itself", () => {
  const folder = mkdtempSync(join(tmpdir(), "varscope-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const CALLS = 20_000;
  const trace = join(folder, "whole/0.vst");

  beforeAll(() => {
    mkdirSync(join(folder, "whole"));
    const { command, env } = patternJob("mpich", join(folder, "whole"), CALLS, 2);
    run(command, { env });
  });

  /** What is found in a copy of the trace with other bytes. */
  function findingsIn(change: (bytes: Buffer) => void): string[] | undefined {
    const bytes = readFileSync(trace);
    change(bytes);
    writeFileSync(join(folder, "changed.vst"), bytes);
    return checkTrace(join(folder, "changed.vst"), patternCheck(CALLS))?.wrong;
  }

  test("finds nothing in a whole trace, and all its calls", () => {
    const found = checkTrace(trace, patternCheck(CALLS));
    expect(found).toMatchObject({ rank: 0, finalized: true, wrong: [] });
    // Calls of threads are recorded beside those of MPI.
    expect(found?.rows).toBeGreaterThanOrEqual(3 * CALLS + 2);
  });

  test("finds calls that are not those of the program", () => {
    const other = checkTrace(trace, patternCheck(CALLS - 1))?.wrong;
    expect(other).toContainEqual(expect.stringMatching(/instead of MPI_Finalize 0 -1$/));
  });

  test("finds damage in any packed block", () => {
    const payloads = packedPayloads(readFileSync(trace));
    expect(payloads.length).toBeGreaterThan(20);
    for (const at of [payloads[0]!, payloads[10]!, payloads.at(-1)!]) {
      expect(findingsIn((bytes) => bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at))).not.toEqual([]);
    }
  });

  test("takes a file whose header is not finished for no trace yet", () => {
    expect(findingsIn((bytes) => bytes.fill(0, 0, 8))).toBeUndefined();
  });
});
