import type { Store } from "../trace/store.ts";
import { UNKNOWN_VALUE } from "./context-sources.ts";
import type { Turns } from "./find-turns.ts";
import { CALL_MATCH, COMPUTE_MATCH } from "./work-cells.ts";

/** Fragments whose turn is looked up, at most: those of keys with most time. The join needs memory. */
const MOST_FRAGMENTS = 10_000_000;

/**
 * Writes temporary `turns(key, rank, fragment_ns, turn)`: for all fragments of the given keys, the iteration modulo the
 * key's period. Fragments behind a rank's first gap are missing.
 */
export async function numberTurns(store: Store, found: readonly Turns[]): Promise<void> {
  await store.execute(
    "CREATE OR REPLACE TEMP TABLE turns(key INTEGER, rank INTEGER, fragment_ns BIGINT, turn DOUBLE)",
  );
  const sizes = await store.rows<{ key: number; kind: "compute" | "io"; n: number }>(
    "SELECT key, kind, n FROM work_keys JOIN candidates USING (key) ORDER BY total_ns DESC, key",
  );
  let left = MOST_FRAGMENTS;
  for (const { key, kind, n } of sizes) {
    const turns = found.find((one) => one.key === key);
    if (!turns || n > left) continue;
    left -= n;
    await store.execute(`INSERT INTO turns ${turnsSql(turns, kind)}`);
  }
}

/** A count includes the fragment's own call. */
function turnsSql({ key, counter, period }: Turns, kind: "compute" | "io"): string {
  const [start, match] =
    kind === "compute" ? ["c.start_ns - c.before_ns", COMPUTE_MATCH] : ["c.start_ns", CALL_MATCH];
  return `
    SELECT ${key}, f.rank, f.fragment_ns, max(n.count % ${period})::DOUBLE
      FROM (SELECT c.rank, ${start} AS fragment_ns, c.start_ns
              FROM calls c JOIN key_map m ON ${match}
              LEFT JOIN (SELECT rank, min(start_ns) AS lost_ns FROM gaps WHERE thread = 0 GROUP BY rank) g ON g.rank = c.rank
             WHERE m.key = ${key} AND c.thread = 0 AND c.edge >= 0 AND (g.lost_ns IS NULL OR c.start_ns < g.lost_ns)) f
      ASOF JOIN (SELECT rank, start_ns, count(*) OVER (PARTITION BY rank ORDER BY start_ns) AS count
                   FROM calls WHERE thread = 0 AND ${counter.what} = ${counter.number}) n
        ON f.rank = n.rank AND f.start_ns >= n.start_ns
     GROUP BY f.rank, f.fragment_ns`;
}

/** Adds `turn` to fragments (key, rank, fragment_ns); UNKNOWN_VALUE where there is none. */
export function withTurns(fragments: string): string {
  return `SELECT f.*, coalesce(t.turn, ${UNKNOWN_VALUE})::DOUBLE AS turn
            FROM (${fragments}) f LEFT JOIN turns t USING (key, rank, fragment_ns)`;
}
