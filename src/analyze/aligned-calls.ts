import type { Store } from "../trace/store.ts";
import { readColumns } from "./columns.ts";

/** Calls looked at: the most expensive places first, as many as fit. Aligning costs a sort of all of them. */
const MOST_CALLS = 4_000_000;
/** Executions that a place needs. */
const FEWEST = 40;
/** Share of executions in which nobody may leave before the last has come, for all to wait for each other there. */
const TOGETHER = 0.9;
/** Blocks of a place's executions in which the usual transfer is looked for. */
const BLOCKS = 64;

/**
 * Executions of calls in which ranks wait for each other, the n-th of one rank with the n-th of the others, and how long each took
 * once the last of those it waits for had come: its transfer, waiting taken out.
 *
 * Places: blocking collectives of all ranks, and send-receives, which wait for the ranks that they ever send to and that ever send to
 * them. Equally often executed on every rank with one size per rank, none sampled out; and of which the data say that
 * nobody leaves before the last has come (a broadcast's root does).
 *
 * Writes temporary `aligned`(place, k, block, rank, start_ns, end_ns, transfer_ns), start being that of the transfer.
 *
 * @returns number of executions, all ranks of one execution counted once; 0 if there are none
 */
export async function alignCalls(store: Store): Promise<number> {
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE places AS
      WITH sums AS (
        SELECT snippet AS state, communicator, any_value(category) AS category, min(n) AS n, sum(n) AS calls, sum(total_ns) AS total_ns
          FROM vectors JOIN states s ON s.state = snippet
         WHERE kind = 'communication' AND category IN ('collective', 'sendrecv')
         GROUP BY ALL
        HAVING count(*) = (SELECT count(*) FROM ranks) AND count(DISTINCT rank) = count(*) AND count(*) > 1
           AND min(n) = max(n) AND min(n) >= ${FEWEST}
           AND snippet NOT IN (SELECT state FROM sampled_out))
      SELECT *, row_number() OVER (ORDER BY total_ns DESC, state, communicator)::INTEGER AS place
        FROM (SELECT *, sum(calls) OVER (ORDER BY total_ns DESC, state, communicator) AS so_far FROM sums)
       WHERE so_far <= ${MOST_CALLS};
    CREATE OR REPLACE TEMP TABLE numbered AS
      SELECT p.place, p.category, p.n, c.rank, c.start_ns, c.end_ns,
             row_number() OVER (PARTITION BY p.place, c.rank ORDER BY c.start_ns, c.end_ns) AS k
        FROM calls c JOIN places p USING (state, communicator) WHERE c.thread = 0 AND c.edge >= 0;
    CREATE OR REPLACE TEMP TABLE partners AS
      WITH sent AS (SELECT DISTINCT p.place, c.rank, c.peer FROM calls c JOIN places p USING (state, communicator)
                     WHERE c.thread = 0 AND c.edge >= 0 AND p.category = 'sendrecv' AND c.peer >= 0)
      FROM sent UNION SELECT place, peer, rank FROM sent;
    CREATE OR REPLACE TEMP TABLE aligned AS
      SELECT place, k, (k - 1) * ${BLOCKS} // n AS block, rank, greatest(start_ns, last) AS start_ns, end_ns,
             greatest(0, end_ns - greatest(start_ns, last)) AS transfer_ns, first >= last AS together
        FROM (SELECT *, max(start_ns) OVER execution AS last, min(end_ns) OVER execution AS first
                FROM numbered WHERE category = 'collective' WINDOW execution AS (PARTITION BY place, k)
              UNION ALL
              SELECT n.*, max(o.start_ns) AS last, any_value(n.end_ns) AS first
                FROM numbered n JOIN partners p USING (place, rank)
                JOIN numbered o ON o.place = n.place AND o.k = n.k AND o.rank = p.peer
               GROUP BY n.place, n.category, n.n, n.rank, n.start_ns, n.end_ns, n.k);
    DELETE FROM aligned WHERE place IN (
      SELECT place FROM aligned GROUP BY place HAVING avg(together::INTEGER) < ${TOGETHER}
          OR count(DISTINCT rank) < (SELECT count(*) FROM ranks));
    DROP TABLE numbered; DROP TABLE partners; DROP TABLE places;`);
  const row = await store.row<{ n: number }>(
    "SELECT count(DISTINCT (place, k))::INTEGER AS n FROM aligned",
  );
  return row!.n;
}

/** Mean transfer of all ranks by place and block, ns. */
export interface BlockTransfers {
  place: Float64Array;
  block: Float64Array;
  meanNs: Float64Array;
}

export async function readBlockTransfers(store: Store): Promise<BlockTransfers> {
  const [place, block, sum, n] = await readColumns(
    store,
    `SELECT place, block::INTEGER, sum(transfer_ns)::DOUBLE, count(*)::DOUBLE FROM aligned
      GROUP BY place, block ORDER BY place, block`,
  );
  return { place: place!, block: block!, meanNs: sum!.map((ns, i) => ns / n![i]!) };
}
