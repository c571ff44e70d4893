import { linearRegression, rSquared } from "simple-statistics";
import type { Store } from "../trace/store.ts";
import type { Candidate } from "./candidates.ts";
import { type Heat, sumBins } from "./heat.ts";
import { type Part, total } from "./judged.ts";
import { groupRows } from "./peers.ts";
import { quantile } from "./statistics.ts";

/** Chunks into which a candidate is cut to see whether it grows. */
const CHUNKS = 16;
/** A gradual change counts as drift of the work when it lasts this share of the run, */
const DRIFT_SHARE = 0.2;
/** a straight line explains this share of the variance between chunks, and the change is this share of the mean excess. */
const DRIFT_EXPLAINED = 0.6;
const DRIFT_CHANGE = 0.5;
/** Share of all ranks that makes a slow-down common, and how strong it must be on each, relative to the candidate. */
const COMMON_RANKS = 0.75;
const COMMON_STRENGTH = 0.4;

/**
 * True if performance inside falls or rises steadily over a long time. Machines are disturbed from one moment
 * to the next; work that moves between ranks grows.
 */
export function isDrift(heat: Heat, one: Candidate): boolean {
  if (one.to - one.from < Math.max(CHUNKS, DRIFT_SHARE * heat.bins)) return false;
  const points = Array.from({ length: CHUNKS }, (_, k) => {
    const at = (step: number) => one.from + Math.round(((one.to - one.from) * step) / CHUNKS);
    return [k, typicalExcess(heat, one.rank, at(k), at(k + 1))];
  });
  const { m, b } = linearRegression(points);
  const mean = points.reduce((sum, [, y]) => sum + y!, 0) / CHUNKS;
  return (
    Math.abs(m) * CHUNKS >= DRIFT_CHANGE * mean &&
    rSquared(points, (x) => m * x + b) >= DRIFT_EXPLAINED
  );
}

/** Median over bins of the share above reference: spikes do not count. */
function typicalExcess(heat: Heat, rank: number, from: number, to: number): number {
  const excess: number[] = [];
  for (let i = rank * heat.bins + from; i < rank * heat.bins + to; i++) {
    if (heat.reference[i]! > 0) excess.push(heat.observed[i]! / heat.reference[i]! - 1);
  }
  return excess.length > 0 ? quantile(excess, 0.5) : 0;
}

/**
 * True if nearly all ranks are slow at the same time, and not each of the substantial snippets in like proportion:
 * then the program does something else for a while. With one substantial snippet it cannot be told.
 */
export function isCommonPhase(
  heat: Heat,
  one: Candidate,
  parts: readonly Part[],
  snippetOf: ReadonlyMap<number, number>,
): boolean {
  if (heat.ranks.length < 2) return !slowsAlike(parts, snippetOf);
  const own = one.loss / (one.to - one.from);
  const share = Math.min(1, own / heat.binNs);
  let alike = 0;
  let known = 0;
  for (let rank = 0; rank < heat.ranks.length; rank++) {
    const { observed, loss } = sumBins(heat, rank, one.from, one.to);
    if (observed < 0.05 * heat.binNs * (one.to - one.from)) continue;
    known++;
    if (loss / (heat.binNs * (one.to - one.from)) >= COMMON_STRENGTH * share) alike++;
  }
  const common = known >= 2 && alike >= Math.max(2, Math.ceil(COMMON_RANKS * known));
  return common && (isWarmUp(heat, one) || !slowsAlike(parts, snippetOf));
}

/** Whether nearly all ranks are as slow as this one inside, in proportion to their own work there. */
export function isCommonInside(parts: readonly Part[], rank: number): boolean {
  const byRank = groupRows(parts, (part) => part.rank);
  const own = excessOf(byRank.get(rank) ?? []);
  const alike = [...byRank.values()].filter((one) => excessOf(one) >= COMMON_STRENGTH * own).length;
  return byRank.size >= 2 && alike >= Math.max(2, Math.ceil(COMMON_RANKS * byRank.size));
}

/** Observed / reference time - 1; 0 where nothing is judged. */
function excessOf(parts: readonly Part[]): number {
  const { observed, reference } = total(parts);
  return reference > 0 ? observed / reference - 1 : 0;
}

/** Whether it begins with the first work that the rank did at all. */
function isWarmUp(heat: Heat, { rank, from }: Candidate): boolean {
  return sumBins(heat, rank, 0, from - 1).reference === 0;
}

/** Whether two or more snippets with 10 % of the reference time each are slow within a factor of two. */
function slowsAlike(parts: readonly Part[], snippetOf: ReadonlyMap<number, number>): boolean {
  const bySnippet = new Map<number, { observed: number; reference: number }>();
  let reference = 0;
  for (const part of parts) {
    const snippet = snippetOf.get(part.class) ?? -1;
    const sum = bySnippet.get(snippet) ?? { observed: 0, reference: 0 };
    sum.observed += part.observed;
    sum.reference += part.reference;
    bySnippet.set(snippet, sum);
    reference += part.reference;
  }
  const excess = [...bySnippet.values()]
    .filter((sum) => sum.reference >= 0.1 * reference)
    .map((sum) => sum.observed / sum.reference - 1);
  const highest = Math.max(...excess);
  return excess.length >= 2 && highest > 0.1 && Math.min(...excess) >= 0.5 * highest;
}

/**
 * True if long executions like this one come at equal distances, counted in executions of the same snippet: every
 * k-th step does more. A disturbance has its own clock and never hits exactly every k-th step.
 */
export async function comesPeriodically(
  store: Store,
  kind: string,
  rank: number,
  snippet: number,
  longNs: number,
): Promise<boolean> {
  const [column, duration] =
    kind === "compute" ? ["edge", "before_ns"] : ["state", "end_ns - start_ns"];
  const rows = await store.rows<{ i: number }>(
    `SELECT i FROM (SELECT row_number() OVER (ORDER BY start_ns) AS i, ${duration} AS ns FROM calls
              WHERE rank = ${rank} AND thread = 0 AND edge >= 0 AND ${column} = ${snippet})
      WHERE ns >= ${0.5 * longNs} ORDER BY i LIMIT 10000`,
  );
  const gaps = rows.slice(1).map((row, k) => row.i - rows[k]!.i);
  return gaps.length >= 2 && Math.max(...gaps) - Math.min(...gaps) <= 1 && Math.min(...gaps) > 1;
}
