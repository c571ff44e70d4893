/**
 * Fragments of one key summed up by what a source of context says: one row per rank, segment of the run and
 * combination of values.
 */
export interface ContextRows {
  rank: ArrayLike<number>;
  /** Equal parts of the run, from 0. */
  segment: ArrayLike<number>;
  n: ArrayLike<number>;
  /** Sum of log durations, outliers clipped. */
  sumLog: ArrayLike<number>;
  /** The same, nothing clipped. */
  sumWide: ArrayLike<number>;
  /** Sum of durations, ns. */
  sumNs: ArrayLike<number>;
}

/** Works this close (log) are one: the same code runs a little faster or slower by what came before it. */
export const LEAST_GAP = 0.025;
/** Standard errors by which two works must differ; many contexts of many keys are looked at. */
const LEAST_SIGMA = 5;
/** Share of segments, and of ranks, where the difference must have the same sign. */
const STEADY = 0.8;
/** Cells, and segments of the run, in which two works must be found side by side. */
const LEAST_CELLS = 4;
const LEAST_SEGMENTS = 4;
/** A value with fewer fragments, or less of the key, says nothing by itself. */
const LEAST_FRAGMENTS = 20;
const LEAST_SHARE = 0.02;
/** Values that are frequent enough must make up this share: the others join no class. */
const LEAST_TOLD = 0.8;
/** With more values than this a name is as good as random. */
const MAX_VALUES = 64;

/** Groups of values whose works differ; values not in the map are too rare to tell. */
export interface Groups {
  of: Map<number, number>;
  count: number;
  /** Share of the variance of log time between cells' fragments that the groups explain: to compare sources. */
  gain: number;
}

/**
 * Which values of a context did different work. Compared is only within one rank and one segment of the run, so that
 * a disturbance, which slows all works of its time, makes no difference; a difference must be significant, 2.5 % at
 * least, and steady over time and ranks.
 *
 * @param value per row; NaN where nothing is known
 * @returns undefined if all did the same, as far as can be told
 */
export function tellApart(rows: ContextRows, value: ArrayLike<number>): Groups | undefined {
  const counts = new Map<number, number>();
  let total = 0;
  for (let i = 0; i < rows.n.length; i++) {
    counts.set(value[i]!, (counts.get(value[i]!) ?? 0) + rows.n[i]!);
    total += rows.n[i]!;
  }
  const own = [...counts]
    .filter(([one, n]) => !Number.isNaN(one) && n >= LEAST_FRAGMENTS && n >= LEAST_SHARE * total)
    .map(([one]) => one);
  const told = own.reduce((sum, one) => sum + counts.get(one)!, 0);
  if (own.length < 2 || own.length > MAX_VALUES || told < LEAST_TOLD * total) return undefined;
  const cells = cellsOf(rows, value, new Set(own));
  let groups: Group[] = own
    .map((one) => ({ values: [one], n: counts.get(one)!, effect: effectOf(cells, one) }))
    .toSorted((a, b) => a.effect - b.effect || a.values[0]! - b.values[0]!);
  while (groups.length > 1) {
    const gaps = groups.slice(1).map((upper, i) => gapBetween(cells, groups[i]!, upper));
    let closest = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const [i, gap] of gaps.entries()) {
      const strength = gap.apart ? Number.POSITIVE_INFINITY : gap.strength;
      if (strength < least || (closest < 0 && !gap.apart)) [closest, least] = [i, strength];
    }
    if (closest < 0) break;
    groups = merge(groups, closest);
  }
  if (groups.length < 2) return undefined;
  const order = groups.toSorted((a, b) => b.n - a.n);
  const of = new Map(order.flatMap(({ values }, g) => values.map((one) => [one, g] as const)));
  const known = groups.reduce((sum, { n }) => sum + n, 0);
  const mean = groups.reduce((sum, { n, effect }) => sum + n * effect, 0) / known;
  const gain = groups.reduce((sum, { n, effect }) => sum + n * (effect - mean) ** 2, 0) / known;
  return { of, count: groups.length, gain };
}

interface Group {
  values: number[];
  n: number;
  /** Log time above the mean of the cell, typical. */
  effect: number;
}

/** Per cell: rank, segment, and sums of log time by value. */
interface Cell {
  rank: number;
  segment: number;
  sums: Map<number, { n: number; sum: number }>;
}

function cellsOf(rows: ContextRows, value: ArrayLike<number>, own: Set<number>): Cell[] {
  const cells = new Map<string, Cell>();
  for (let i = 0; i < rows.n.length; i++) {
    if (!own.has(value[i]!)) continue;
    const name = `${rows.rank[i]!} ${rows.segment[i]!}`;
    let cell = cells.get(name);
    if (!cell) {
      cell = { rank: rows.rank[i]!, segment: rows.segment[i]!, sums: new Map() };
      cells.set(name, cell);
    }
    const entry = cell.sums.get(value[i]!) ?? { n: 0, sum: 0 };
    entry.n += rows.n[i]!;
    entry.sum += rows.sumLog[i]!;
    cell.sums.set(value[i]!, entry);
  }
  return [...cells.values()];
}

/** Mean log time of a value above that of the others of its cells. */
function effectOf(cells: readonly Cell[], value: number): number {
  let weighted = 0;
  let weight = 0;
  for (const { sums } of cells) {
    const own = sums.get(value);
    if (!own) continue;
    let n = 0;
    let sum = 0;
    for (const entry of sums.values()) {
      n += entry.n;
      sum += entry.sum;
    }
    weighted += own.n * (own.sum / own.n - sum / n);
    weight += own.n;
  }
  return weight > 0 ? weighted / weight : 0;
}

/** Whether two groups differ, and how clearly (log difference, 0 where they are never seen side by side). */
function gapBetween(
  cells: readonly Cell[],
  lower: Group,
  upper: Group,
): { apart: boolean; strength: number } {
  const found: { rank: number; segment: number; difference: number; weight: number }[] = [];
  for (const cell of cells) {
    const a = side(cell, lower);
    const b = side(cell, upper);
    if (a.n === 0 || b.n === 0) continue;
    const weight = (a.n * b.n) / (a.n + b.n);
    found.push({ ...cell, difference: b.sum / b.n - a.sum / a.n, weight });
  }
  if (found.length === 0) return { apart: false, strength: 0 };
  const total = found.reduce((sum, one) => sum + one.weight, 0);
  const mean = found.reduce((sum, one) => sum + one.weight * one.difference, 0) / total;
  const squares = found.reduce((sum, one) => sum + (one.weight * (one.difference - mean)) ** 2, 0);
  const error =
    (Math.sqrt(squares) / total) * Math.sqrt(found.length / Math.max(1, found.length - 1));
  const segments = new Set(found.map(({ segment }) => segment)).size;
  const apart =
    found.length >= LEAST_CELLS &&
    segments >= LEAST_SEGMENTS &&
    mean >= LEAST_GAP &&
    mean >= LEAST_SIGMA * error &&
    agree(found, "segment") &&
    agree(found, "rank");
  return { apart, strength: mean };
}

function side(cell: Cell, group: Group): { n: number; sum: number } {
  let n = 0;
  let sum = 0;
  for (const value of group.values) {
    const entry = cell.sums.get(value);
    if (!entry) continue;
    n += entry.n;
    sum += entry.sum;
  }
  return { n, sum };
}

/** Whether the difference, summed up per rank or segment, is positive in nearly all. */
function agree(
  found: readonly { rank: number; segment: number; difference: number; weight: number }[],
  by: "rank" | "segment",
): boolean {
  const sums = new Map<number, number>();
  for (const one of found)
    sums.set(one[by], (sums.get(one[by]) ?? 0) + one.weight * one.difference);
  return [...sums.values()].filter((sum) => sum > 0).length >= STEADY * sums.size;
}

/** Groups with those at `at` and `at` + 1 made one. */
function merge(groups: readonly Group[], at: number): Group[] {
  const [a, b] = [groups[at]!, groups[at + 1]!];
  const n = a.n + b.n;
  const one = {
    values: [...a.values, ...b.values],
    n,
    effect: (a.n * a.effect + b.n * b.effect) / n,
  };
  return [...groups.slice(0, at), one, ...groups.slice(at + 2)];
}
