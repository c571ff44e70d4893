import type { Kind } from "../trace/schema.ts";
import type { Store } from "../trace/store.ts";
import { readColumns } from "./columns.ts";

/** What a region's loss is counted over, of one rank, ns. */
export interface RankLoss {
  rank: number;
  observed: number;
  reference: number;
}

/**
 * Observed and reference time of the given ranks' judged fragments that a region touches, whole, and of the one before and the one
 * after these.
 *
 * A disturbance does not begin and end with a fragment. One that it hits in part is left outside while its excess is below the bar that sets
 * the border (40 % of the region's), and where ranks are joined it straddles the border; either way some of the loss would be
 * missing. One that was not hit adds noise, which the interval knows of.
 *
 * @param reachNs how far beyond a border a fragment may lie and still be next to it
 */
export async function withBorderFragments(
  store: Store,
  kind: Kind,
  ranks: readonly number[],
  startNs: number,
  endNs: number,
  reachNs: number,
): Promise<Map<number, RankLoss>> {
  const [start, end] = [Math.round(startNs), Math.round(endNs)];
  const reach = Math.ceil(reachNs);
  const columns = await readColumns(
    store,
    `SELECT rank, sum(end_ns - start_ns)::DOUBLE, sum(round(reference_ns)::BIGINT)::DOUBLE
       FROM (SELECT *, max(end_ns) FILTER (end_ns <= ${start}) OVER ranks AS before,
                    min(start_ns) FILTER (start_ns >= ${end}) OVER ranks AS after
               FROM judged_${kind}
              WHERE rank IN (${ranks.join(", ")}) AND end_ns > ${start - reach} AND start_ns < ${end + reach}
             WINDOW ranks AS (PARTITION BY rank))
      WHERE (end_ns > ${start} AND start_ns < ${end}) OR end_ns = before OR start_ns = after
      GROUP BY rank ORDER BY rank`,
  );
  return new Map(
    Array.from(columns[0]!, (rank, i) => [
      rank,
      { rank, observed: columns[1]![i]!, reference: columns[2]![i]! },
    ]),
  );
}
