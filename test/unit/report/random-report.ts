import type { Heatmap, Kind, Report } from "../../../src/report/model.ts";

/** A small deterministic generator (mulberry32): numbers in [0, 1). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Names as systems really hand them over: long, foreign, wide, combining, or made to steer a terminal. */
const NAMES = [
  "stencil",
  `/scratch/${"very-long-folder/".repeat(20)}program`,
  "/home/müller/größe/программа",
  "/データ/シミュレーション/実行ファイル",
  "e\u0301".repeat(30),
  "evil\x1b[31m\x1b]0;owned\x07\r\nname",
  "bidi\u202edcba\u2066",
  "🚀🚀🚀 with spaces and 'quotes'",
  "x".repeat(300),
];
const KINDS: Kind[] = ["compute", "communication", "io", "gpu"];

/** A report that is well formed but has any contents: what the renderer must cope with. */
export function randomReport(seed: number): Report {
  const random = randomNumbers(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const some = <T>(most: number, make: () => T) => Array.from({ length: below(most + 1) }, make);
  const size = () => 10 ** (random() * 16 - 9);
  const worldSize = pick([1, 2, 3, 7, 16, 64, 300, 4096]);
  const ranks = () =>
    Array.from({ length: worldSize }, (_, rank) => rank).filter(
      (rank) => random() < 0.4 || rank === worldSize - 1,
    );
  const wallSeconds = pick([0, 1e-4, 0.03, 3, 16.2, 900, 90_000]);
  const parts = {
    vsensor: random() * 10,
    tooFewRepeats: random(),
    varyingWork: random() * 3,
    waiting: random() * 5,
    sampledOut: random() < 0.5 ? 0 : random(),
    tool: random() * 0.01,
    untraced: random(),
  };
  const heatmap = (kind: Kind): Heatmap => {
    const bins = pick([0, 1, 5, 67, 1000]);
    const all = Array.from({ length: Math.min(worldSize, 64) }, (_, rank) => rank * 3);
    return {
      kind,
      startSeconds: 0,
      binSeconds: Math.max(wallSeconds, 1e-6) / Math.max(bins, 1),
      ranks: all,
      performance: all.map(() =>
        Array.from({ length: bins }, () => (random() < 0.1 ? null : random() * 1.2)),
      ),
    };
  };
  return {
    schema: "varscope.report/1",
    run: {
      command: some(12, () => pick(NAMES)),
      program: pick(NAMES),
      startedAt: pick(["", "2026-03-04T05:06:07Z", "soon"]),
      wallSeconds,
      ranks: worldSize,
      hosts: some(30, () => pick(NAMES)),
      mpi: { implementation: pick(["Open MPI", "MPICH", "", pick(NAMES)]), version: "4.1.4" },
      complete: random() < 0.5,
      unfinishedRanks: ranks(),
      missingRanks: ranks(),
      iterations: null,
      directory: pick(NAMES),
      exitCode: pick([null, 0, 1, 137]),
      signal: pick([null, "SIGKILL"]),
    },
    quality: {
      matching: {
        collectives: { calls: 1000, matched: 900, unmatched: below(2) * 100 },
        messages: { ends: 10, matched: 8, unmatched: 2 },
      },
      events: { intercepted: below(1e12), recorded: below(1e12), sampledOut: below(9), lost: 0 },
      coverage: {
        totalRankSeconds: Object.values(parts).reduce((sum, part) => sum + part, 0),
        parts,
        percent: random() * 100,
      },
      overhead: { percent: random() * 0.2, method: "measured in the run" },
      traceBytes: below(1e13),
      warnings: some(40, () => `${pick(NAMES)}: damaged`),
    },
    sensors: some(8, () => ({
      id: below(1000),
      kind: pick(KINDS),
      from: pick(["MPI_Send", "MPI_Comm_create_from_group", pick(NAMES)]),
      to: pick(["MPI_Recv", "MPI_Neighbor_alltoallw_init"]),
      site: `${pick(NAMES)}+0x1234`,
      fromSite: `${pick(NAMES)}+0x12`,
      source: pick([null, "step stencil.c:12", pick(NAMES)]),
      fromSource: null,
      function: null,
      path: [],
      evidence: "inferred" as const,
      basis: pick(["arguments", "tag, edge before + time"]),
      confidence: random(),
      verdict: pick(["same_work", "undecided"] as const),
      referenceInterval: [size(), size()] as [number, number],
      fragments: below(1e10),
      referenceSeconds: size(),
      totalSeconds: size(),
      lostSeconds: size(),
    })),
    regions: some(14, () => ({
      id: 1 + below(2000),
      kind: pick(KINDS),
      event: 1 + below(3),
      scope: pick(["ranks", "host", "job"] as const),
      ranks: ranks(),
      hosts: some(6, () => pick(NAMES)),
      startSeconds: random() * wallSeconds,
      endSeconds: wallSeconds,
      performance: random(),
      lostSeconds: size(),
      lostInterval: [size(), size()] as [number, number],
      iterations: null,
      runImpactSeconds: null,
      runImpactInterval: null,
      significance: random() ** 9,
      culprits: ranks(),
      victims: ranks(),
      throughout: some(3, () => pick(["probes", "run_delay", "snippets"])),
      evidence: some(4, () => ({
        source: pick(["probes", "kernel"] as const),
        kind: pick(["compute", "cache", "memory", "run_delay", "steal_time"] as const),
        against: pick(["self", "others"] as const),
        insideCount: pick([null, below(1e6)]),
        outsideCount: pick([null, below(1e6)]),
        ratio: pick([null, size()]),
        ratioInterval: null,
        share: pick([null, size()]),
        shareInterval: null,
        verdict: pick(["slower", "not_slower", "unknown", "explains"] as const),
      })),
      causes: [],
      advice: `Look at ${pick(NAMES)}.`,
    })),
    imbalances: some(3, () => ({
      kind: pick(KINDS),
      ranks: ranks(),
      excessPercent: random() * 300,
      costSeconds: size(),
      verdict: pick(["imbalance", "undecided"] as const),
      reason: `${pick(NAMES)} would decide it`,
    })),
    unusualPaths: some(8, () => ({
      kind: pick(KINDS),
      from: pick(["MPI_Send", pick(NAMES)]),
      to: pick(["MPI_Recv", pick(NAMES)]),
      site: `${pick(NAMES)}+0x1234`,
      fromSite: `${pick(NAMES)}+0x12`,
      fragments: 1 + below(20),
      ranks: 1 + below(worldSize),
      totalSeconds: size(),
      longestSeconds: size(),
      longestRank: below(worldSize),
      longestStartSeconds: random() * wallSeconds,
    })),
    waiting: {
      seconds: random() < 0.2 ? 0 : size(),
      percent: random() * 100,
      kinds: some(4, () => ({ kind: pick(NAMES), calls: below(1e6), waitingSeconds: size() })),
      causes: some(4, () => ({ rank: below(worldSize), waitingSeconds: size() })),
    },
    waits: some(8, () => ({
      kind: pick(["late root", pick(NAMES)]),
      call: pick(["MPI_Bcast", pick(NAMES)]),
      site: `${pick(NAMES)}+0x1`,
      source: pick([null, pick(NAMES)]),
      ranks: ranks(),
      causeRank: below(worldSize + 1) - 1,
      calls: 1 + below(1e6),
      waitingSeconds: size(),
    })),
    ranks: [],
    heatmaps: [heatmap("compute"), heatmap("communication")],
  };
}
