import type { Store } from "../trace/store.ts";
import { alignCalls, type BlockTransfers, readBlockTransfers } from "./aligned-calls.ts";
import { insertRows, readColumns } from "./columns.ts";
import type { Heat } from "./heat.ts";
import { lowerBulk, quantile } from "./statistics.ts";

/** Executions per bin to aim at, and bins. */
const PER_BIN = 4;
const FEWEST_BINS = 20;
/** Half-width of the undisturbed bulk of block means, in logs, at least; and in spreads of neighbouring blocks. */
const LEAST_WINDOW = 0.15;
const SPREADS = 3;
/** Blocks of a place that must be undisturbed to know what it usually takes. */
const FEWEST_QUIET = 8;

/** Transfers of all aligned calls, waiting taken out. */
export interface Transfers {
  /** By rank; time above SLOW times the reference is what `allowed` leaves. */
  heat: Heat;
  /** Executions in order of time, all ranks together; ns. */
  start: Float64Array;
  end: Float64Array;
  observed: Float64Array;
  reference: Float64Array;
}

/**
 * Reads how long transfers took and what they usually take: the mean of the rank over its undisturbed stretches, those in which the
 * mean over all ranks lies in the lowest bulk.
 *
 * @param slow times the reference that is allowed
 * @returns undefined where no calls can be aligned; temporary `aligned` stays until `dropTransfers`
 */
export async function readTransfers(
  store: Store,
  settings: { maxBins: number },
  wallNs: number,
  slow: number,
): Promise<Transfers | undefined> {
  const executions = await alignCalls(store);
  await store.execute("CREATE OR REPLACE TEMP TABLE quiet_blocks(place INTEGER, block INTEGER)");
  if (executions === 0) return undefined;
  await insertRows(store, "quiet_blocks", quietBlocks(await readBlockTransfers(store)));
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE usual_transfers AS
      SELECT place, rank, sum(transfer_ns) / count(*) AS reference_ns
        FROM aligned JOIN quiet_blocks USING (place, block) GROUP BY place, rank;`);
  const bins = Math.max(FEWEST_BINS, Math.min(settings.maxBins, Math.round(executions / PER_BIN)));
  const binNs = Math.ceil(wallNs / bins);
  const [start, end, observed, reference] = await readColumns(
    store,
    `SELECT min(start_ns)::DOUBLE AS "start", max(end_ns)::DOUBLE AS "end", sum(transfer_ns)::DOUBLE,
            sum(round(reference_ns)::BIGINT)::DOUBLE
       FROM aligned JOIN usual_transfers USING (place, rank) GROUP BY place, k ORDER BY "end", "start", place`,
  );
  if (start!.length === 0) return undefined;
  const heat = await readHeatOf(store, bins, binNs, slow);
  return { heat, start: start!, end: end!, observed: observed!, reference: reference! };
}

export async function dropTransfers(store: Store): Promise<void> {
  await store.execute(
    "DROP TABLE IF EXISTS aligned; DROP TABLE IF EXISTS quiet_blocks; DROP TABLE IF EXISTS usual_transfers",
  );
}

async function readHeatOf(store: Store, bins: number, binNs: number, slow: number): Promise<Heat> {
  const [rank, bin, observed, reference] = await readColumns(
    store,
    `SELECT rank, least(${bins - 1}, greatest(0, end_ns // ${binNs}))::INTEGER AS bin, sum(transfer_ns)::DOUBLE,
            sum(round(reference_ns)::BIGINT)::DOUBLE
       FROM aligned JOIN usual_transfers USING (place, rank) GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const ranks = [...new Set(rank)];
  const place = new Map(ranks.map((world, row) => [world, row]));
  const matrix = () => new Float64Array(ranks.length * bins);
  const heat: Heat = {
    kind: "communication",
    ranks,
    bins,
    binNs,
    observed: matrix(),
    reference: matrix(),
    allowed: matrix(),
  };
  for (let i = 0; i < rank!.length; i++) {
    const at = place.get(rank![i]!)! * bins + bin![i]!;
    heat.observed[at] = observed![i]!;
    heat.reference[at] = reference![i]!;
    heat.allowed[at] = slow * reference![i]!;
  }
  return heat;
}

/** Rows (place, block) of blocks in the lowest bulk of their place. */
function quietBlocks({ place, block, meanNs }: BlockTransfers): number[][] {
  const rows: number[][] = [];
  for (let from = 0; from < place.length; ) {
    let to = from + 1;
    while (to < place.length && place[to] === place[from]) to++;
    const logs = meanNs.subarray(from, to).map((ns) => Math.log(Math.max(1, ns)));
    const steps = Array.from(logs.subarray(1), (log, i) => Math.abs(log - logs[i]!));
    // Median step between neighbours, by what it is of a normal deviation (0.954): changes of level do not reach it.
    const spread = steps.length > 0 ? quantile(steps, 0.5) / 0.954 : 0;
    const window = Math.max(LEAST_WINDOW, SPREADS * spread);
    const level = lowerBulk(logs, new Float64Array(logs.length).fill(1), window);
    const quiet = Array.from(logs.keys()).filter((i) => Math.abs(logs[i]! - level) <= window);
    if (quiet.length >= FEWEST_QUIET) {
      rows.push(...quiet.map((i) => [place[from]!, block[from + i]!]));
    }
    from = to;
  }
  return rows;
}
