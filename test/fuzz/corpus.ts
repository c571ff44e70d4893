import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeTrace } from "../../src/trace/write-synthetic.ts";
import { randomTrace } from "../unit/trace/support/random.ts";
import { type Mpi, patternJob } from "./kill.ts";

/** Real traces grow with their threads: few calls are enough. */
const CALLS = 300;
const SYNTHETIC = 6;

/** Adds the traces that fuzzing starts from: synthetic ones of every kind, and real ones of a short job. */
export function addSeeds(folder: string, mpis: readonly Mpi[]): void {
  mkdirSync(folder, { recursive: true });
  for (let seed = 0; seed < SYNTHETIC; seed++) {
    const killed = seed % 2 === 1 ? { finalized: false, unsealed: 7 * seed } : {};
    writeTrace(join(folder, `synthetic-${seed}.vst`), {
      ...randomTrace(seed, 40 + 60 * seed, 1 + (seed % 3)),
      rank: seed,
      blockRecords: 30,
      ...killed,
    });
  }
  for (const mpi of mpis) addReal(folder, mpi);
}

function addReal(folder: string, mpi: Mpi): void {
  const traces = mkdtempSync(join(tmpdir(), "varscope-fuzz-"));
  try {
    const { command, env } = patternJob(mpi, traces, CALLS, 1);
    const [file, ...words] = command;
    const { status, stderr } = spawnSync(file, words, { env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${command.join(" ")} failed: ${stderr}`);
    for (const name of readdirSync(traces)) {
      copyFileSync(join(traces, name), join(folder, `${mpi}-${name}`));
    }
  } finally {
    rmSync(traces, { recursive: true, force: true });
  }
}
