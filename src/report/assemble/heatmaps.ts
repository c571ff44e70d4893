import type { Store } from "../../trace/store.ts";
import type { Heatmap, Kind } from "../model.ts";
import { readMeta } from "./run.ts";

/** A bin of which less than this share is judged is unknown: so little says nothing about the rest. */
const LEAST_JUDGED = 0.001;

const KINDS: readonly Kind[] = ["compute", "communication", "io"];

/** Performance per rank and time bin, for each kind that any v-sensor judges. */
export async function buildHeatmaps(store: Store): Promise<Heatmap[]> {
  const meta = await readMeta(store, "analysis_meta");
  const binSeconds = Number(meta.get("bin_ns") ?? 0) / 1e9;
  const bins = Number(meta.get("bins") ?? 0);
  const ranks = (await store.rows<{ rank: number }>("SELECT rank FROM ranks ORDER BY rank")).map(
    ({ rank }) => rank,
  );
  const heatmaps: Heatmap[] = [];
  for (const kind of KINDS) {
    const performance = await readPerformance(store, kind, ranks, bins, binSeconds);
    if (performance) heatmaps.push({ kind, startSeconds: 0, binSeconds, ranks, performance });
  }
  return heatmaps;
}

/** Undefined if no bin of this kind is known. Reads vectors, not rows: there may be millions of bins. */
async function readPerformance(
  store: Store,
  kind: Kind,
  ranks: number[],
  bins: number,
  binSeconds: number,
): Promise<(number | null)[][] | undefined> {
  const grid = ranks.map(() => Array.from<number | null>({ length: bins }).fill(null));
  const rowOf = new Map(ranks.map((rank, at) => [rank, at]));
  const result = await store.connection.stream(
    `SELECT rank, bin, reference_ns / observed_ns
       FROM bins WHERE kind = $1 AND observed_ns > $3 AND bin BETWEEN 0 AND $2 - 1`,
    [kind, bins, LEAST_JUDGED * binSeconds * 1e9],
  );
  let known = 0;
  for await (const chunk of result) {
    const [rank, bin, performance] = [0, 1, 2].map((column) => chunk.getColumnVector(column));
    for (let at = 0; at < chunk.rowCount; at++) {
      const row = grid[rowOf.get(Number(rank?.getItem(at))) ?? -1];
      const value = Number(performance?.getItem(at));
      if (row) row[Number(bin?.getItem(at))] = Math.round(value * 1e4) / 1e4;
    }
    known += chunk.rowCount;
  }
  return known > 0 ? grid : undefined;
}
