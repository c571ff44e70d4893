import { CONTEXT_SOURCES, TURN, UNKNOWN_VALUE } from "./context-sources.ts";
import { fitGrowth, type Growth, LEAST_AMOUNTS, timeAt } from "./growth.ts";
import { weightedQuantile } from "./statistics.ts";
import { type ContextRows, type Groups, tellApart } from "./tell-apart.ts";

/** What context says about the fragments of one key. */
export interface KeyContext {
  /** Positions in CONTEXT_SOURCES. */
  sources: number[];
  /** Group by the values of these, with blanks between; what is missing joins no class. Empty for a model. */
  groups: Map<string, number>;
  /** The work grows with the only source. */
  model?: { amount: string; growth: Growth; typicalNs: number };
  /** In words. */
  basis: string;
}

/** Sources that are combined. */
const MOST_SOURCES = 3;
/** A growth stands if groups explain no more than this share of what they did once it is taken out, */
const LEFT_OVER = 0.2;
/** and if what it says is true inside of segments too: slope of log time against its log within these. */
const SLOPE = [0.6, 1.4] as const;

/**
 * Looks for the sources of context that tell works apart, or that time grows with.
 *
 * @param values per source and row
 * @returns undefined if nothing does
 */
export function findContext(
  rows: ContextRows,
  values: readonly Float64Array[],
  kind: "compute" | "io",
): KeyContext | undefined {
  const possible = CONTEXT_SOURCES.map((source, at) => ({
    source,
    at,
    values: at === TURN ? onlyKnown(values[at]!) : values[at]!,
  })).filter(({ source, values: own }) => source.kinds.includes(kind) && isMixed(own));
  const told = possible.map(({ source, at, values: own }) => ({
    source,
    at,
    values: own,
    groups: tellApart(rows, own),
  }));
  for (const one of told) {
    if (!one.source.amount) continue;
    const model = growthOf(rows, one.values, one.groups);
    if (!model) continue;
    return {
      sources: [one.at],
      groups: new Map(),
      model: { amount: one.source.name, ...model },
      basis: `${model.growth.form} in ${one.source.name}`,
    };
  }
  return combine(rows, told);
}

/** Share of fragments whose count must be known, and how far (relative) the middle 68 % may spread, for work to be measured. */
const LEAST_KNOWN = 0.8;
const MOST_SPREAD = 0.02;

/** Whether nearly all fragments were counted, with the same result. */
export function isSteady(n: ArrayLike<number>, counts: Float64Array): boolean {
  let [known, total] = [0, 0];
  for (let i = 0; i < counts.length; i++) {
    total += n[i]!;
    if (counts[i] !== UNKNOWN_VALUE) known += n[i]!;
  }
  if (known < LEAST_KNOWN * total) return false;
  const weights = Array.from(counts, (count, i) => (count === UNKNOWN_VALUE ? 0 : n[i]!));
  const [low, middle, high] = [0.16, 0.5, 0.84].map((q) => weightedQuantile(counts, weights, q));
  return (high! - low!) / 2 <= MOST_SPREAD * middle!;
}

/** Where the count of iterations was lost any turn may be meant: such fragments are no group of their own. */
function onlyKnown(turns: Float64Array): Float64Array {
  return turns.map((turn) => (turn === UNKNOWN_VALUE ? Number.NaN : turn));
}

function isMixed(values: Float64Array): boolean {
  return values.some((value) => !Object.is(value, values[0]));
}

interface Told {
  at: number;
  values: Float64Array;
  groups: Groups | undefined;
}

/** The source that tells most, and further ones that tell more works apart inside its groups. */
function combine(rows: ContextRows, told: readonly Told[]): KeyContext | undefined {
  let best: Told | undefined;
  for (const one of told) {
    if (one.groups && one.groups.gain > 1.05 * (best?.groups?.gain ?? 0)) best = one;
  }
  if (!best?.groups) return undefined;
  const sources = [best.at];
  let labels = Array.from(best.values, String);
  let groups = best.groups;
  let group = Array.from(best.values, (value) => best.groups!.of.get(value));
  const byGain = told.toSorted(
    (a, b) => (b.groups?.gain ?? 0) - (a.groups?.gain ?? 0) || a.at - b.at,
  );
  for (const one of byGain) {
    if (sources.includes(one.at) || sources.length >= MOST_SOURCES) continue;
    const joint = numbered(
      group.map((number, i) =>
        number === undefined || Number.isNaN(one.values[i]!) ? "" : `${number} ${one.values[i]!}`,
      ),
    );
    const more = tellApart(rows, joint);
    if (!more || more.count <= groups.count) continue;
    sources.push(one.at);
    labels = labels.map((label, i) => `${label} ${one.values[i]!}`);
    groups = more;
    group = joint.map((value) => more.of.get(value));
  }
  return {
    sources,
    groups: new Map(
      labels.flatMap((label, i) => (group[i] === undefined ? [] : [[label, group[i]]])),
    ),
    basis: sources.map((at) => CONTEXT_SOURCES[at]!.name).join(", "),
  };
}

/** Equal texts as equal numbers; NaN for none. */
function numbered(texts: readonly string[]): number[] {
  const numbers = new Map([...new Set(texts)].toSorted().map((text, i) => [text, i]));
  return texts.map((text) => (text === "" ? Number.NaN : numbers.get(text)!));
}

function sumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
}

/** The rows whose amount is known. */
function withAmount(
  all: ContextRows,
  amounts: Float64Array,
): { rows: ContextRows; values: Float64Array } {
  const known = Array.from(amounts.keys()).filter((i) => amounts[i] !== UNKNOWN_VALUE);
  const pick = (of: ArrayLike<number>): Float64Array => Float64Array.from(known, (i) => of[i]!);
  const rows = {
    rank: pick(all.rank),
    segment: pick(all.segment),
    n: pick(all.n),
    sumLog: pick(all.sumLog),
    sumWide: pick(all.sumWide),
    sumNs: pick(all.sumNs),
  };
  return { rows, values: pick(amounts) };
}

/** A growth of time with an amount, if it says all that the amount tells. */
function growthOf(
  all: ContextRows,
  amounts: Float64Array,
  groups: Groups | undefined,
): { growth: Growth; typicalNs: number } | undefined {
  const { rows, values } = withAmount(all, amounts);
  if (sumOf(rows.n) < LEAST_KNOWN * sumOf(all.n)) return undefined;
  const sums = new Map<number, { n: number; ns: number }>();
  for (let i = 0; i < values.length; i++) {
    const entry = sums.get(values[i]!) ?? { n: 0, ns: 0 };
    entry.n += rows.n[i]!;
    entry.ns += rows.sumNs[i]!;
    sums.set(values[i]!, entry);
  }
  if (sums.size < LEAST_AMOUNTS) return undefined;
  const points = [...sums]
    .toSorted(([a], [b]) => a - b)
    .map(([x, { n, ns }]) => ({ x, n, ns: Math.max(1, ns / n) }));
  const growth = fitGrowth(points);
  if (growth.form === "constant") return undefined;
  const sumLog = Float64Array.from(
    rows.sumWide,
    (sum, i) => sum - rows.n[i]! * Math.log(timeAt(growth, values[i]!)),
  );
  const rest = tellApart({ ...rows, sumLog }, values);
  if (rest && rest.gain > LEFT_OVER * (groups?.gain ?? 0)) return undefined;
  const slope = slopeInside(rows, values, growth);
  if (!(slope >= SLOPE[0] && slope <= SLOPE[1])) return undefined;
  const typicalNs = weightedQuantile(
    points.map(({ x }) => timeAt(growth, x)),
    points.map(({ n }) => n),
    0.5,
  );
  return { growth, typicalNs };
}

/**
 * Slope of log time against the log of the growth's time within ranks and segments; 1 if it is right there too. An
 * amount that only drifts over the run, as a disturbance may by chance, has none: NaN.
 */
function slopeInside(rows: ContextRows, values: Float64Array, growth: Growth): number {
  const cells = new Map<string, { n: number; x: number; y: number }>();
  const cellOf = (i: number): string => `${rows.rank[i]!} ${rows.segment[i]!}`;
  const at = (i: number): number => Math.log(timeAt(growth, values[i]!));
  for (let i = 0; i < values.length; i++) {
    const cell = cells.get(cellOf(i)) ?? { n: 0, x: 0, y: 0 };
    cell.n += rows.n[i]!;
    cell.x += rows.n[i]! * at(i);
    cell.y += rows.sumWide[i]!;
    cells.set(cellOf(i), cell);
  }
  let [sxx, sxy] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const { n, x, y } = cells.get(cellOf(i))!;
    const dx = at(i) - x / n;
    sxx += rows.n[i]! * dx * dx;
    sxy += dx * (rows.sumWide[i]! - (rows.n[i]! * y) / n);
  }
  return sxx > 0 ? sxy / sxx : Number.NaN;
}
