/**
 * What the others of each value are, for all values at once. A rank is compared with the other ranks in many places; to go over
 * all others for every rank would take minutes with thousands of them, so values are sorted once and each is left out in turn.
 */

/** Positions of values in ascending order, NaN last. */
function order(values: Float64Array): Uint32Array {
  return Uint32Array.from(values.keys()).toSorted((a, b) => {
    const [x, y] = [values[a]!, values[b]!];
    if (x < y) return -1;
    if (x > y) return 1;
    return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
  });
}

/**
 * Per value, the quantile of all others, exactly as `quantile` of statistics.ts has it. NaN where there are none.
 * n log n in the number of values.
 */
export function othersQuantile(values: ArrayLike<number>, q: number): Float64Array {
  const all = Float64Array.from(values);
  const places = order(all);
  const others = all.length - 1;
  const out = new Float64Array(all.length).fill(Number.NaN);
  if (others < 1) return out;
  const at = q * (others - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, others - 1);
  for (const [own, place] of places.entries()) {
    const other = (k: number): number => all[places[k < own ? k : k + 1]!]!;
    out[place] = other(low) + (at - low) * (other(high) - other(low));
  }
  return out;
}

/** Rows by what `of` says of them, groups in order of their first row. */
export function groupRows<Key, Row>(rows: readonly Row[], of: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const group = groups.get(of(row));
    if (group) group.push(row);
    else groups.set(of(row), [row]);
  }
  return groups;
}
