import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { analyze } from "../../src/analyze/analyze.ts";
import { SENSITIVE_SETTINGS } from "../../src/analyze/settings.ts";
import { ingest } from "../../src/trace/ingest.ts";
import { Store } from "../../src/trace/store.ts";
import { Random } from "../accuracy/noise.ts";
import { readJob } from "./rules/job.ts";
import { ledgerError, ourImbalances, ourVerdict } from "./rules/ours.ts";
import { vapro, vaproClient } from "./rules/vapro.ts";
import type { Verdict } from "./rules/verdict.ts";
import { type Source, vSensor } from "./rules/vsensor.ts";
import type { Region } from "./score/region.ts";
import { type Scenario, simulate, type Simulation } from "./simulate/simulate.ts";
import { truthOf } from "./simulate/truth.ts";
import { writeRun } from "./simulate/write-run.ts";

/** Columns of the table: varscope, and the published rules. */
export const RULES = ["ours", "vapro", "vapro-time", "vsensor", "windows"] as const;
export type Rule = (typeof RULES)[number];

/** Relative error of a count of retired instructions (one standard deviation). */
const COUNT_ERROR = 0.005;

export interface Outcome {
  verdicts: Record<Rule, Verdict>;
  truth: Region[];
  /** True work of each computation, by rank and start. */
  labels: number[];
  imbalances: { ranks: number[]; verdict: string }[];
  ledgerError: number;
  wallNs: number;
}

/** Simulates a scenario, writes its traces, reads and analyses them, and lets every rule judge the same store. */
export function evaluate(scenario: Scenario): Promise<Outcome> {
  const simulation = simulate(scenario);
  return withRun(simulation, async (store) => {
    await analyze(store, { settings: SENSITIVE_SETTINGS });
    const job = await readJob(store);
    const source = sourceOf(simulation);
    if (source.label.length !== job.compute.n) {
      throw new Error(
        `${source.label.length} computations simulated, ${job.compute.n} in the store`,
      );
    }
    const random = new Random(scenario.seed + 77);
    const counted = source.workNs.map((ns) => ns * (1 + COUNT_ERROR * random.normal()));
    const times = job.compute.end.map((end, i) => end - job.compute.start[i]!);
    return {
      verdicts: {
        ours: await ourVerdict(store),
        vapro: vapro(job, counted),
        "vapro-time": vapro(job, times),
        vsensor: vSensor(job, source),
        windows: vaproClient(job, counted),
      },
      truth: truthOf(simulation),
      labels: source.label,
      imbalances: await ourImbalances(store),
      ledgerError: await ledgerError(store),
      wallNs: job.wallNs,
    };
  });
}

/** Writes a simulation as traces into a folder of its own, ingests them, and hands over the store. */
export async function withRun<T>(
  simulation: Simulation,
  look: (store: Store) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "varscope-eval-"));
  try {
    writeRun(folder, simulation);
    await ingest(folder);
    const store = await Store.open(join(folder, "run.duckdb"), { threads: 1, memoryLimit: "2GB" });
    try {
      return await look(store);
    } finally {
      store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Every computation between two calls, by rank and start. A work class is of one snippet, so a label stands for a work between two
 * calls; the computation before MPI_Finalize is one of its own.
 */
function sourceOf({ ranks, program }: Simulation): {
  label: number[];
  workNs: number[];
  trips: boolean[];
} & Source {
  const source = { label: [] as number[], workNs: [] as number[], trips: [] as boolean[] };
  const numbers = new Map<string, number>();
  for (const rank of ranks) {
    for (let i = 1; i < rank.state.length; i++) {
      const last = rank.stage[i]! < 0;
      const work = `${rank.state[i - 1]} ${rank.state[i]} ${rank.label[i]}`;
      if (!numbers.has(work)) numbers.set(work, numbers.size);
      source.label.push(numbers.get(work)!);
      source.workNs.push(last ? rank.startNs[i]! - rank.endNs[i - 1]! : rank.workNs[i]!);
      source.trips.push(!last && (program.stages[rank.stage[i]!]!.trips ?? false));
    }
  }
  return source;
}
