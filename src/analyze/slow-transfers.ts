import type { Store } from "../trace/store.ts";
import { materialLoss } from "./candidates.ts";
import { insertRows } from "./columns.ts";
import { type Heat, sumBins } from "./heat.ts";
import { readHosts, scopeOf } from "./hosts.ts";
import { partsInside, total } from "./judged.ts";
import { NullRuns } from "./null-runs.ts";
import { maximalSegments, type Segment } from "./segments.ts";
import type { Settings } from "./settings.ts";
import { ranksThatStood } from "./stopped-ranks.ts";
import { dropTransfers, readTransfers, type Transfers } from "./transfers.ts";

/** Transfers must take so many times their reference on every rank; */
const SLOW = 1.5;
/** and all together so many times, unless weak slow-downs are asked for. */
const SURELY_SLOW = 2;
/** Ranks whose transfers take less than this share of the median rank's are not asked: they send and go. */
const TAKING_PART = 0.1;
/** Computation lost by any rank explains the calls if it is this share of their smallest loss. */
const EXPLAINED = 0.3;
/** Share of the time outside of calls that v-sensors must judge, so that no unseen computation is to blame. */
const SEEN = 0.5;
/** Share of the excess that separates slow from fine at the borders, as in candidates.ts. */
const BORDER = 0.4;
/** Bins on each side of a border in which it is looked for. */
const REACH = 3;

interface SlowNetwork {
  startNs: number;
  endNs: number;
  /** Of all ranks, ns: inside, and with the executions next to the borders. */
  observed: number;
  reference: number;
  lost: number;
  lostReference: number;
  chance: number;
}

/**
 * Where the network was slow: transfers of all ranks took longer than usual, waiting not counted, while no rank computed slowly
 * or unseen, and none stood still.
 *
 * Reads `vectors`, calls, `bins`, the judged_compute view; writes `regions` and `region_ranks` (role slow).
 *
 * @returns the intervals found
 */
export async function findSlowTransfers(
  store: Store,
  settings: Settings,
  wallNs: number,
): Promise<{ startNs: number; endNs: number; ranks: number[] }[]> {
  const transfers = await readTransfers(store, settings, wallNs, SLOW);
  await dropTransfers(store);
  if (!transfers) return [];
  const { heat } = transfers;
  const least = 2 * materialLoss(settings, wallNs);
  const asked = ranksAsked(heat);
  const smallest = ({ from, to }: Segment) =>
    Math.min(...asked.map((row) => sumBins(heat, row, from, to).loss));
  const segments = maximalSegments(slowestOfAll(heat, asked)).filter(
    (one) => smallest(one) >= least,
  );
  if (segments.length === 0) return [];
  const job = together(heat);
  const nulls = new NullRuns(
    job,
    segments.map((one) => ({ ...one, rank: 0, loss: 0, threshold: 0 })),
    settings,
  );
  const found: SlowNetwork[] = [];
  for (const segment of segments) {
    const one = measure(transfers, job, segment, nulls);
    const performance = one.reference / one.observed;
    if (one.chance > settings.maxChance) continue;
    if (!settings.sensitive && SURELY_SLOW * performance > 1) continue;
    if (await isExplained(store, heat, segment, smallest(segment))) continue;
    if ((await ranksThatStood(store, { ...one, ranks: heat.ranks })).length > 0) continue;
    await write(store, heat, segment, one, nulls);
    found.push(one);
  }
  return found.map(({ startNs, endNs }) => ({ startNs, endNs, ranks: heat.ranks }));
}

function ranksAsked(heat: Heat): number[] {
  const usual = heat.ranks.map((_, row) => sumBins(heat, row, 0, heat.bins).reference);
  const median = usual.toSorted((a, b) => a - b)[Math.floor(usual.length / 2)]!;
  return Array.from(usual.keys()).filter((row) => usual[row]! >= TAKING_PART * median);
}

/** Score per bin: that of the rank that is slowed least. A bin that some rank has nothing in costs what it usually allows. */
function slowestOfAll(heat: Heat, rows: readonly number[]): Float64Array {
  const usual = heat.allowed.reduce((a, b) => a + b, 0) / heat.allowed.length;
  return Float64Array.from({ length: heat.bins }, (_, b) =>
    Math.min(
      ...rows.map((row) => {
        const i = row * heat.bins + b;
        return heat.reference[i]! > 0 ? heat.observed[i]! - heat.allowed[i]! : -usual;
      }),
    ),
  );
}

/** All ranks as one: what disturbs transfers disturbs several at once, so their noise is not independent. */
function together(heat: Heat): Heat {
  const added = (values: Float64Array) => {
    const all = new Float64Array(heat.bins);
    for (let i = 0; i < values.length; i++) all[i % heat.bins]! += values[i]!;
    return all;
  };
  return {
    ...heat,
    ranks: [0],
    observed: added(heat.observed),
    reference: added(heat.reference),
    allowed: added(heat.allowed),
  };
}

/** What was lost between borders to an execution. */
function measure(transfers: Transfers, job: Heat, segment: Segment, nulls: NullRuns): SlowNetwork {
  const { start, end, observed, reference } = transfers;
  const { from, to } = segment;
  const inside = sumBins(job, 0, from, to);
  const [first, last] = borders(transfers, job.binNs, segment, inside.observed / inside.reference);
  const lostReference = sum(reference, first - 1, last + 1);
  return {
    startNs: start[first]!,
    endNs: end[last - 1]!,
    observed: sum(observed, first, last),
    reference: sum(reference, first, last),
    lost: sum(observed, first - 1, last + 1) - lostReference,
    lostReference,
    chance: nulls.chance(inside.observed - sum(job.allowed, from, to)),
  };
}

/** First execution inside and first behind: around each border, where the sum of (observed - bar * reference) turns. */
function borders(
  { end, observed, reference }: Transfers,
  binNs: number,
  { from, to }: Segment,
  slowness: number,
): [first: number, last: number] {
  const bar = 1 + BORDER * (slowness - 1);
  const at = (bin: number) => {
    const found = end.findIndex((ns) => ns >= bin * binNs);
    return found < 0 ? end.length : found;
  };
  const turn = (low: number, high: number, sign: number): number => {
    let [running, best, place] = [0, 0, low];
    for (let i = low; i < high; i++) {
      running += sign * (observed[i]! - bar * reference[i]!);
      if (running > best) [best, place] = [running, i + 1];
    }
    return place;
  };
  const middle = at((from + to) / 2);
  const first = turn(at(from - REACH), Math.min(middle, at(from + REACH)), -1);
  const last = turn(Math.max(middle, at(to - REACH)), at(to + REACH), 1);
  return last > first ? [first, last] : [at(from), Math.max(at(from) + 1, at(to))];
}

function sum(values: Float64Array, low: number, high: number): number {
  return values.subarray(Math.max(0, low), high).reduce((a, b) => a + b, 0);
}

async function isExplained(
  store: Store,
  heat: Heat,
  { from, to }: Segment,
  loss: number,
): Promise<boolean> {
  const parts = await partsInside(store, "compute", from * heat.binNs, to * heat.binNs);
  return heat.ranks.some((rank, row) => {
    const own = parts.filter((part) => part.rank === rank);
    const { observed, reference } = total(own);
    const outside = (to - from) * heat.binNs - sumBins(heat, row, from, to).observed;
    return observed - reference > EXPLAINED * loss || observed < SEEN * outside;
  });
}

async function write(
  store: Store,
  heat: Heat,
  { from, to }: Segment,
  one: SlowNetwork,
  nulls: NullRuns,
): Promise<void> {
  const { n: before } = (await store.row<{ n: number }>("SELECT count(*) AS n FROM regions"))!;
  const [low, high] = nulls.noise(
    [{ rank: 0, reference: one.lostReference }],
    BORDER * (one.observed / one.reference - 1),
  );
  const interval = [Math.min(one.lost, one.lost - high), Math.max(one.lost, one.lost - low)];
  const performance = one.reference / one.observed;
  const scope = scopeOf(heat.ranks, heat.ranks, await readHosts(store));
  const numbers = [one.startNs, one.endNs, performance, one.lost, ...interval, one.chance];
  const number = before + 1;
  await insertRows(store, "regions", [[number, heat.kind, ...numbers, scope, 0]]);
  const whole = sumBins(together(heat), 0, from, to).loss;
  await insertRows(
    store,
    "region_ranks",
    heat.ranks.map((rank, row) => {
      const { observed, reference, loss } = sumBins(heat, row, from, to);
      return [number, rank, "slow", observed, reference, (loss / whole) * one.lost];
    }),
  );
}
