import type { Store } from "../trace/store.ts";
import { UNKNOWN_VALUE } from "./context-sources.ts";

/** Readings must cover this share of a fragment. */
const LEAST_COVERED = 0.95;

/** Number of the counter of instructions, -1 where none was read. */
export async function instructionCounter(store: Store): Promise<number> {
  const row = await store.row<{ counter: number }>(
    "SELECT counter FROM counters WHERE name = 'instructions' AND status = 'read'",
  );
  return row?.counter ?? -1;
}

/**
 * Adds `instructions` to fragments (rank, fragment_ns, ns): counted between the first reading after their start and the
 * last one before their end, to three digits; UNKNOWN_VALUE where these are not near both ends. Readings are made at the ends of
 * computations that are longer than a millisecond or so.
 *
 * @param counter see instructionCounter
 */
export function withInstructions(fragments: string, counter: number): string {
  if (counter < 0) return `SELECT *, ${UNKNOWN_VALUE}::DOUBLE AS instructions FROM (${fragments})`;
  const readings = `(SELECT rank, at_ns, value FROM counter_samples WHERE counter = ${counter} AND thread = 0)`;
  return `
    SELECT * EXCLUDE (counted),
           coalesce(if(counted > 0, round(counted, 2 - floor(log10(counted))::INTEGER), NULL), ${UNKNOWN_VALUE})::DOUBLE AS instructions
      FROM (SELECT f.*, if(b.at_ns - a.at_ns >= ${LEAST_COVERED} * f.ns, (b.value - a.value)::DOUBLE, NULL) AS counted
              FROM (${fragments}) f
              ASOF LEFT JOIN ${readings} a ON f.rank = a.rank AND f.fragment_ns <= a.at_ns
              ASOF LEFT JOIN ${readings} b ON f.rank = b.rank AND f.fragment_ns + f.ns >= b.at_ns)`;
}
