import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeTrace } from "../../src/trace/write-synthetic.ts";
import { randomTrace } from "../unit/trace/support/random.ts";
import { randomTransfers } from "../unit/trace/support/transfers.ts";
import { type Mpi, patternJob } from "./kill.ts";
import { handMadeSeeds } from "./seeds.ts";

/** Real traces grow with their threads: few calls are enough. */
const CALLS = 300;
const SYNTHETIC = 6;
/** What real traces are recorded with, so that each kind of block is in one of them. */
const SETTINGS: readonly NodeJS.ProcessEnv[] = [
  {},
  { VARSCOPE_BUDGET: "0", VARSCOPE_COUNTERS: "scheduler,memory,io" },
  { VARSCOPE_CALL_PATHS: "6", VARSCOPE_COUNTERS: "none" },
];

/** Adds the traces that fuzzing starts from: made by hand, synthetic ones of every kind, real ones of short jobs. */
export function addSeeds(folder: string, mpis: readonly Mpi[]): void {
  mkdirSync(folder, { recursive: true });
  for (let seed = 0; seed < SYNTHETIC; seed++) {
    const killed = seed % 2 === 1 ? { finalized: false, unsealed: 7 * seed } : {};
    const trace = randomTrace(seed, 40 + 60 * seed, 1 + (seed % 3));
    writeTrace(join(folder, `synthetic-${seed}.vst`), {
      ...trace,
      transfers: randomTransfers(trace, seed, 20 + 10 * seed),
      rank: seed,
      blockRecords: 30,
      ...killed,
    });
  }
  for (const [name, bytes] of Object.entries(handMadeSeeds())) {
    writeFileSync(join(folder, `hand-made-${name}.vst`), bytes);
  }
  for (const mpi of mpis) {
    for (const [i, settings] of SETTINGS.entries()) addReal(folder, mpi, settings, i);
  }
}

function addReal(folder: string, mpi: Mpi, settings: NodeJS.ProcessEnv, number: number): void {
  const traces = mkdtempSync(join(tmpdir(), "varscope-fuzz-"));
  try {
    const { command, env } = patternJob(mpi, traces, CALLS, 1);
    const [file, ...words] = command;
    const { status, stderr } = spawnSync(file, words, {
      env: { ...env, ...settings },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${command.join(" ")} failed: ${stderr}`);
    for (const name of readdirSync(traces)) {
      copyFileSync(join(traces, name), join(folder, `${mpi}-${number}-${name}`));
    }
  } finally {
    rmSync(traces, { recursive: true, force: true });
  }
}
