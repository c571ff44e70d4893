import type { Store } from "../trace/store.ts";
import { binLength, fillBins } from "./bins.ts";
import { classify } from "./classify.ts";
import { defineSizes } from "./coarse-sizes.ts";
import { insertRows } from "./columns.ts";
import { findImbalances } from "./imbalances.ts";
import { findIterations } from "./iterations.ts";
import { fillLedger } from "./ledger.ts";
import { type KeyModel, modelKeys } from "./model-keys.ts";
import { findRegionEvidence } from "./region-evidence.ts";
import { findRegions } from "./regions.ts";
import { ANALYSIS_TABLES, ANALYSIS_VERSION, ANALYSIS_VIEWS } from "./schema.ts";
import { DEFAULT_SETTINGS, type Settings } from "./settings.ts";
import { splitKeys } from "./split-keys.ts";
import { listUnusualPaths } from "./unusual-paths.ts";
import { findRunImpact } from "./impact/run-impact.ts";
import { findWaiting } from "./waiting.ts";
import { matchMessages } from "./waits/match-messages.ts";
import { findMessageWaits } from "./waits/message-waits.ts";
import { findWholeRunSlowness } from "./whole-run-slowness.ts";
import { findCollectiveWaits } from "./waits/collective-waits.ts";
import { countCells } from "./work-cells.ts";
import { groupWork } from "./work-keys.ts";

export interface AnalyzeOptions {
  /** Called with a pass's name before it starts. */
  progress?: (pass: string) => void;
  /** Instead of the defaults, for tests and experiments. */
  settings?: Partial<Settings>;
}

/** Passes in their order; each reads tables and writes tables. Methods and sources: docs/algorithms.md. */
export async function analyze(store: Store, options: AnalyzeOptions = {}): Promise<void> {
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const wallNs = await wall(store);
  let binNs = 0;
  let models: KeyModel[] = [];
  const passes: [string, () => Promise<void>][] = [
    [
      "work",
      async () => {
        await groupWork(store, settings);
        models = await splitKeys(store, settings, await modelKeys(store));
      },
    ],
    ["times", () => countCells(store)],
    ["classes", () => classify(store, settings, wallNs, models)],
    ["unusual paths", () => listUnusualPaths(store, wallNs)],
    [
      "heat map",
      async () => {
        binNs = await binLength(store, settings, wallNs);
        await fillBins(store, binNs);
      },
    ],
    ["regions", () => findRegions(store, settings, wallNs, binNs)],
    ["waiting", () => findWaiting(store, binNs)],
    ["speeds", () => findWholeRunSlowness(store, settings, wallNs)],
    ["evidence", () => findRegionEvidence(store, wallNs)],
    ["imbalances", () => findImbalances(store, settings, wallNs)],
    ["ledger", () => fillLedger(store)],
    ["iterations", () => findIterations(store, wallNs)],
    ["collectives", () => findCollectiveWaits(store)],
    [
      "messages",
      async () => {
        await matchMessages(store);
        await findMessageWaits(store);
      },
    ],
    ["run impact", () => findRunImpact(store)],
  ];
  await prepare(store);
  for (const [name, pass] of passes) {
    options.progress?.(name);
    await pass();
  }
  await finish(store, settings, binNs, wallNs);
}

/** True if the store has no results of this version of the analysis, or an analysis was interrupted. */
export async function needsAnalysis(store: Store): Promise<boolean> {
  const tables = await store.row<{ n: number }>(
    "SELECT count(*) AS n FROM duckdb_tables() WHERE table_name = 'analysis_meta' AND NOT temporary",
  );
  if (!tables?.n) return true;
  const row = await store.row<{ value: string }>(
    "SELECT value FROM analysis_meta WHERE key = 'analysis_version'",
  );
  return row?.value !== String(ANALYSIS_VERSION);
}

/** Latest end of any rank, ns; at least 1. */
async function wall(store: Store): Promise<number> {
  const row = await store.row<{ ns: number | null }>("SELECT max(end_ns) AS ns FROM ranks");
  return Math.max(1, row?.ns ?? 1);
}

async function prepare(store: Store): Promise<void> {
  await defineSizes(store);
  await store.execute(dropStatements() + ANALYSIS_TABLES + ANALYSIS_VIEWS);
}

function names(text: string, what: "TABLE" | "VIEW"): string[] {
  return [...text.matchAll(new RegExp(`CREATE ${what} (\\w+)`, "g"))].map((match) => match[1]!);
}

/** Drops what the schema creates, views first. */
function dropStatements(): string {
  return [
    ...names(ANALYSIS_VIEWS, "VIEW").map((name) => `DROP VIEW IF EXISTS ${name};`),
    ...names(ANALYSIS_TABLES, "TABLE").map((name) => `DROP TABLE IF EXISTS ${name};`),
  ].join("\n");
}

/** The version is written last: without it the results are not complete. */
async function finish(
  store: Store,
  settings: Settings,
  binNs: number,
  wallNs: number,
): Promise<void> {
  await store.execute(
    [
      "vectors",
      "vector_groups",
      "vector_keys",
      "work_keys",
      "key_map",
      "work_cells",
      "class_ranks",
      "waits",
      "collective_states",
      "collective_calls",
      "collective_executions",
      "collective_call_waits",
    ]
      .map((name) => `DROP TABLE IF EXISTS temp.${name};`)
      .join("\n"),
  );
  await insertRows(store, "analysis_meta", [
    ["bin_ns", String(binNs)],
    ["bins", String(Math.ceil(wallNs / binNs))],
    ["settings", JSON.stringify(settings)],
    ["analysis_version", String(ANALYSIS_VERSION)],
  ]);
}
