import { join } from "node:path";
import { readTruth, truthIntervals } from "../../../scripts/demo/truth.ts";
import { analyze } from "../../../src/analyze/analyze.ts";
import { SENSITIVE_SETTINGS } from "../../../src/analyze/settings.ts";
import { Store } from "../../../src/trace/store.ts";
import { ourVerdict } from "../rules/ours.ts";
import type { Region } from "../score/region.ts";
import { machineShare, probesOf, type ProbesOf } from "./machine.ts";
import { fellBehind } from "./pace.ts";
import type { Way } from "./run.ts";

/** What varscope says of a run with one of its settings. */
export interface Said {
  found: Region[];
  /** Share of each found region's loss that the kernel lays to the machine. */
  machine: number[];
  /** What the probes say of each. */
  probes: ProbesOf[];
  /** Share of the bins of computation that are flagged. */
  flagged: number;
}

export interface Judgement {
  seconds: number;
  coverage: number;
  /** Probes of one kind that a rank made, mean. */
  probesPerRank: number;
  /** The disturbance: kind, rank, interval. Of an undisturbed run an interval that was chosen alike. */
  kind: "compute" | "io";
  rank: number;
  startNs: number;
  endNs: number;
  /** Seconds that the rank fell behind its usual pace meanwhile. */
  behind: number | undefined;
  byDefault: Said;
  sensitive: Said;
}

/** Analyses an ingested run with both settings, and puts what was done to it on its clock. */
export async function judge(
  directory: string,
  way: Way,
  rank: number,
  when: { from: number; to: number; truth: string },
): Promise<Judgement> {
  const store = await Store.open(join(directory, "run.duckdb"), { threads: 2 });
  try {
    const { startedAt, wall, probesPerRank } = (await store.row<{
      startedAt: string;
      wall: number;
      probesPerRank: number;
    }>(`
      SELECT (SELECT value FROM meta WHERE key = 'started_at') AS "startedAt", max(end_ns) AS wall,
             (SELECT count(*) FROM probes WHERE kind = 'compute') / count(*) AS "probesPerRank" FROM ranks`))!;
    const [done] = way === "nothing" ? [when] : truthIntervals(readTruth(when.truth), startedAt);
    const startNs = Math.max(0, (done?.from ?? 0) * 1e9);
    const endNs = Math.min(wall, (done?.to ?? 0) * 1e9);
    await analyze(store, { settings: SENSITIVE_SETTINGS });
    const sensitive = await said(store);
    await analyze(store);
    const { coverage } = await ourVerdict(store);
    return {
      seconds: wall / 1e9,
      coverage,
      probesPerRank,
      kind: way === "files" ? "io" : "compute",
      rank,
      startNs,
      endNs,
      behind: await fellBehind(store, rank, startNs, endNs),
      byDefault: await said(store),
      sensitive,
    };
  } finally {
    store.close();
  }
}

async function said(store: Store): Promise<Said> {
  const { regions, flagged } = await ourVerdict(store);
  const machine: number[] = [];
  for (const region of regions) machine.push(await machineShare(store, region));
  return { found: regions, machine, probes: await probesOf(store), flagged };
}
