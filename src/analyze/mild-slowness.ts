import type { Store } from "../trace/store.ts";
import { findAlike } from "./alike.ts";
import { readColumns } from "./columns.ts";
import { DEVIATION, type FineBins, quietDeviations, substantial, WORTH } from "./fine-bins.ts";
import { partsInside, total } from "./judged.ts";
import type { Draft } from "./join-ranks.ts";
import { scanForSlow, type Slow } from "./scan.ts";
import type { Settings } from "./settings.ts";

/**
 * A mild slow-down must cost this share of the run and so many ns, and take performance to this at least: deviations are
 * capped logs, and alone do not say.
 */
const LEAST_SHARE = 0.00005;
const LEAST_NS = 0.5e6;
const MILD_PERFORMANCE = 0.975;
/** Windows looked at closely, best first. */
const MOST_WINDOWS = 50;
/** Bins around a border in which it is looked for, and a share of the window's length. */
const REACH = 2;
const REACH_SHARE = 0.25;

/**
 * Slow-downs too mild for the heat map: stretches in which a rank's fragments deviate from their usual times by more
 * than chance explains, whatever their share of the run. What `taken` holds is left out.
 */
export async function findMild(
  store: Store,
  fine: FineBins,
  taken: readonly Draft[],
  settings: Settings,
  wallNs: number,
): Promise<Draft[]> {
  const found: Draft[] = [];
  const isEnough = ({ observed, reference }: { observed: number; reference: number }) =>
    observed - reference >= Math.max(LEAST_NS, LEAST_SHARE * wallNs) &&
    reference <= MILD_PERFORMANCE * observed;
  const windows = scanForSlow(quietDeviations(fine, taken), settings.maxMildChance, MOST_WINDOWS);
  for (const window of windows.slice(0, MOST_WINDOWS)) {
    const rank = fine.ranks[window.row]!;
    const { startNs, endNs } = await bordersOf(store, fine, window);
    if (isKnown(found, rank, startNs, endNs)) continue;
    const parts = await partsInside(store, fine.kind, startNs, endNs);
    const own = total(parts.filter((part) => part.rank === rank));
    const loss = own.observed - own.reference;
    if (isEnough(own)) found.push({ startNs, endNs, ranks: [rank], loss, chance: window.chance });
  }
  const others = windows.slice(MOST_WINDOWS).map(({ row, from, to, chance }) => ({
    rank: fine.ranks[row]!,
    startNs: from * fine.binNs,
    endNs: to * fine.binNs,
    chance,
  }));
  const alike = await findAlike(store, fine.kind, others, found, isEnough);
  const more = alike.filter(
    ({ ranks, startNs, endNs }) => !isKnown(found, ranks[0]!, startNs, endNs),
  );
  return [...found, ...more];
}

/** Windows that are next to each other can grow into one. */
function isKnown(found: readonly Draft[], rank: number, startNs: number, endNs: number): boolean {
  return found.some((one) => one.ranks[0] === rank && startNs < one.endNs && endNs > one.startNs);
}

/**
 * Borders to a fragment: where the sum of (deviation - half the shift), weighted, turns; the change point of two
 * levels by least squares.
 */
async function bordersOf(
  store: Store,
  { kind, ranks, binNs }: FineBins,
  { row, from, to, shift }: Slow,
): Promise<{ startNs: number; endNs: number }> {
  const reach = Math.max(REACH, Math.floor((to - from) * REACH_SHARE));
  const middle = (from + to) / 2;
  const read = (low: number, high: number) =>
    readColumns(
      store,
      `SELECT j.start_ns::DOUBLE, j.end_ns::DOUBLE, (${DEVIATION} - ${shift / 2}) * ${WORTH}
         FROM judged_${kind} j JOIN (${substantial(kind)}) w USING (class)
        WHERE j.rank = ${ranks[row]} AND j.end_ns > j.start_ns
          AND j.start_ns >= ${Math.floor(low * binNs)} AND j.start_ns < ${Math.ceil(high * binNs)}
        ORDER BY j.start_ns, j.end_ns`,
    );
  const first = await read(Math.max(0, from - reach), Math.min(from + reach, middle));
  const last = await read(Math.max(to - reach, middle), to + reach);
  const startNs = first[0]![turn(first[2]!, false)] ?? from * binNs;
  const endNs = last[1]![turn(last[2]!, true) - 1] ?? to * binNs;
  return endNs > startNs ? { startNs, endNs } : { startNs: from * binNs, endNs: to * binNs };
}

/** Number of values before the running sum is lowest, or highest. */
function turn(values: Float64Array, highest: boolean): number {
  let sum = 0;
  let best = 0;
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    sum += values[i]!;
    if (highest ? sum > best : sum < best) {
      best = sum;
      at = i + 1;
    }
  }
  return at;
}
