import type { Kind } from "../trace/schema.ts";
import type { Store } from "../trace/store.ts";
import type { Draft } from "./join-ranks.ts";
import { partsInside, total } from "./judged.ts";
import type { Settings } from "./settings.ts";

/** Share of a loss that waiting for a core must explain. */
const EXPLAINED = 0.5;
/** Share of a region that readings of the counter must cover. */
const COVERED = 0.5;

/**
 * Whether a slow-down weaker than maxPerformance is to be reported. Undisturbed runs on a shared machine had some of
 * 4 to 18 % (docs/algorithms.md), so unless asked for (`sensitive`), only what the kernel confirms is: the rank waited for its core.
 */
export async function isConfirmed(
  store: Store,
  kind: Kind,
  { startNs, endNs, ranks }: Draft,
  settings: Settings,
): Promise<boolean> {
  if (settings.sensitive) return true;
  const rank = ranks[0]!;
  const parts = await partsInside(store, kind, startNs, endNs);
  const { observed, reference } = total(parts.filter((part) => part.rank === rank));
  if (reference > settings.maxWeakPerformance * observed) return false;
  return waitedForCore(store, rank, startNs, endNs, observed - reference);
}

/** Whether waiting for a core, by the kernel's account, explains half of a rank's loss between two times. */
export async function waitedForCore(
  store: Store,
  rank: number,
  startNs: number,
  endNs: number,
  lostNs: number,
): Promise<boolean> {
  const waited = await store.row<{ ns: number }>(
    `SELECT coalesce(sum(delta), 0)::DOUBLE AS ns
       FROM counters_in(${rank}, 0, ${Math.round(startNs)}, ${Math.round(endNs)})
      WHERE name = 'run_delay' AND covered >= ${COVERED}`,
  );
  return waited!.ns >= EXPLAINED * lostNs;
}
