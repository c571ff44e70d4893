import { resolve } from "node:path";
import type { RunDirectory, RunRecord } from "../../trace/run-directory.ts";
import { hostNames } from "./host-names.ts";
import type { Store } from "../../trace/store.ts";
import type { RunSummary } from "../model.ts";

/** What was run, where, and whether all of it was recorded. */
export async function buildRun(
  store: Store,
  directory: RunDirectory,
  record: RunRecord | undefined,
): Promise<RunSummary> {
  const meta = await readMeta(store, "meta");
  const iterations = (await readMeta(store, "analysis_meta")).get("iterations");
  const ranks = await store.rows<{
    rank: number;
    host: string;
    program: string;
    complete: boolean;
  }>("SELECT rank, host, program, complete FROM ranks ORDER BY rank");
  const program = ranks[0]?.program ?? "";
  const worldSize = Number(meta.get("world_size") ?? ranks.length);
  const present = new Set(ranks.map(({ rank }) => rank));
  return {
    command: record?.command ?? (program === "" ? [] : [program]),
    program,
    startedAt: meta.get("started_at") ?? record?.startedAt ?? "",
    wallSeconds: Number(meta.get("wall_ns") ?? 0) / 1e9,
    ranks: worldSize,
    hosts: hostNames(ranks.map(({ host }) => host)),
    mpi: { implementation: meta.get("mpi") ?? "", version: meta.get("mpi_version") ?? "" },
    complete: meta.get("complete") === "true",
    unfinishedRanks: ranks.filter(({ complete }) => !complete).map(({ rank }) => rank),
    missingRanks: Array.from({ length: worldSize }, (_, rank) => rank).filter(
      (rank) => !present.has(rank),
    ),
    iterations: iterations === undefined ? null : Number(iterations),
    directory: resolve(directory.path),
    exitCode: record?.exitCode ?? null,
    signal: record?.signal ?? null,
  };
}

/** A key-value table as a map. */
export async function readMeta(
  store: Store,
  table: "meta" | "analysis_meta",
): Promise<Map<string, string>> {
  const rows = await store.rows<{ key: string; value: string }>(`SELECT key, value FROM ${table}`);
  return new Map(rows.map(({ key, value }) => [key, value]));
}
