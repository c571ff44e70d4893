import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunRecord } from "../../../src/trace/run-directory.ts";
import { runDirectory } from "../../../src/trace/run-directory.ts";
import { writeTrace } from "../../../src/trace/write-synthetic.ts";

const STEPS = 2000;
const WORK_NS = 2_000_000;
const CALL_NS = 50_000;

/**
 * A run directory as `varscope run` leaves it: two ranks that compute 2 ms and then meet in an
 * allreduce, 2,000 times. Each rank makes 2,001 calls.
 * @returns its path
 */
export function writeSyntheticRun(parent: string, name: string, finalized = true): string {
  const path = join(parent, name);
  const directory = runDirectory(path);
  mkdirSync(directory.traceDirectory, { recursive: true });
  const record: RunRecord = {
    schema: "varscope.run/1",
    command: ["mpirun", "-n", "2", "./program"],
    startedAt: "2026-01-01T00:00:00.000Z",
    host: "node0",
    directory: parent,
    varscopeVersion: "0.1.0",
    exitCode: 0,
  };
  writeFileSync(directory.runFile, JSON.stringify(record));
  for (const rank of [0, 1]) {
    const state: number[] = [0];
    const startNs = [0];
    const endNs = [1000];
    for (let step = 0; step < STEPS; step++) {
      // A little noise that repeats, and is not the same on both ranks.
      const noise = ((step * 7919 + rank * 104_729) % 97) * 400;
      const start = (endNs.at(-1) ?? 0) + WORK_NS + noise;
      state.push(1);
      startNs.push(start);
      endNs.push(start + CALL_NS);
    }
    writeTrace(join(directory.traceDirectory, `${rank}.vst`), {
      rank,
      worldSize: 2,
      finalized: finalized || rank === 0,
      calls: [
        { call: "MPI_Barrier", category: "collective" },
        { call: "MPI_Allreduce", category: "collective" },
      ],
      columns: {
        state,
        startNs,
        endNs,
        bytes: state.map((each) => each * 8),
        communicator: state.map(() => 0),
      },
    });
  }
  return path;
}
