import type { RunDirectory, RunRecord } from "../trace/run-directory.ts";
import type { Store } from "../trace/store.ts";
import { buildHeatmaps } from "./assemble/heatmaps.ts";
import { buildImbalances } from "./assemble/imbalances.ts";
import { buildQuality } from "./assemble/quality.ts";
import { buildRanks } from "./assemble/ranks.ts";
import { buildRegions } from "./assemble/regions.ts";
import { buildRun } from "./assemble/run.ts";
import { buildSensors } from "./assemble/sensors.ts";
import { buildUnusualPaths } from "./assemble/unusual-paths.ts";
import { buildWaiting, buildWaits } from "./assemble/waits.ts";
import type { Report } from "./model.ts";

export interface ReportSource {
  /** Opened store, ingested and analysed. */
  store: Store;
  directory: RunDirectory;
  /** Contents of run.json, if there is one. */
  record: RunRecord | undefined;
}

/** Draws the report model from the tables of the store and run.json. Reads only. */
export async function buildReport({ store, directory, record }: ReportSource): Promise<Report> {
  return {
    schema: "varscope.report/1",
    run: await buildRun(store, directory, record),
    quality: await buildQuality(store),
    sensors: await buildSensors(store),
    regions: await buildRegions(store),
    imbalances: await buildImbalances(store),
    unusualPaths: await buildUnusualPaths(store),
    waiting: await buildWaiting(store),
    waits: await buildWaits(store),
    ranks: await buildRanks(store),
    heatmaps: await buildHeatmaps(store),
  };
}
