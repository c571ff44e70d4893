import type { Kind } from "../trace/schema.ts";
import type { Store } from "../trace/store.ts";
import { readColumns } from "./columns.ts";

/** Time of v-sensors inside an interval, of one rank and class. */
export interface Part {
  rank: number;
  class: number;
  fragments: number;
  observed: number;
  reference: number;
}

/**
 * What v-sensors of a kind did in [from, to), by rank and class; fragments on the border count by the share of
 * their time inside.
 */
export async function partsInside(
  store: Store,
  kind: Kind,
  from: number,
  to: number,
): Promise<Part[]> {
  const columns = await readColumns(
    store,
    `SELECT rank, class, count(*)::DOUBLE, sum(part)::DOUBLE, sum(round(reference_ns * share)::BIGINT)::DOUBLE
       FROM (SELECT *, least(end_ns, ${to}) - greatest(start_ns, ${from}) AS part,
                    if(end_ns > start_ns, part / (end_ns - start_ns), 1) AS share
               FROM judged_${kind} WHERE end_ns > ${from} AND start_ns < ${to})
      GROUP BY rank, class ORDER BY rank, class`,
  );
  return Array.from(columns[0]!, (rank, i) => ({
    rank,
    class: columns[1]![i]!,
    fragments: columns[2]![i]!,
    observed: columns[3]![i]!,
    reference: columns[4]![i]!,
  }));
}

/** One fragment with a large loss. */
export interface Worst {
  class: number;
  ns: number;
  loss: number;
}

/** The fragments of one rank in [from, to) with the largest loss, largest first. */
export async function worstInside(
  store: Store,
  kind: Kind,
  rank: number,
  from: number,
  to: number,
  limit: number,
): Promise<Worst[]> {
  return store.rows<Record<string, unknown> & Worst>(
    `SELECT class, end_ns - start_ns AS ns, end_ns - start_ns - reference_ns AS loss FROM judged_${kind}
      WHERE rank = ${rank} AND end_ns > ${from} AND start_ns < ${to}
      ORDER BY loss DESC, start_ns LIMIT ${limit}`,
  );
}

/** Judged fragments of one rank that touch [from, to), in order of time. */
export async function fragmentsInside(
  store: Store,
  kind: Kind,
  rank: number,
  from: number,
  to: number,
): Promise<{ start: Float64Array; end: Float64Array; reference: Float64Array }> {
  const [start, end, reference] = await readColumns(
    store,
    `SELECT start_ns::DOUBLE, end_ns::DOUBLE, reference_ns FROM judged_${kind}
      WHERE rank = ${rank} AND end_ns > ${from} AND start_ns < ${to} ORDER BY start_ns, end_ns`,
  );
  return { start: start!, end: end!, reference: reference! };
}

/** Sums parts over classes, or ranks. */
export function total(parts: readonly Pick<Part, "observed" | "reference">[]): {
  observed: number;
  reference: number;
} {
  const sum = { observed: 0, reference: 0 };
  for (const part of parts) {
    sum.observed += part.observed;
    sum.reference += part.reference;
  }
  return sum;
}
