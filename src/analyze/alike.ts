import type { Kind } from "../trace/schema.ts";
import type { Store } from "../trace/store.ts";
import { type Draft, isSameTime } from "./join-ranks.ts";
import { partsInside, total } from "./judged.ts";
import { groupRows } from "./peers.ts";

/** A stretch of one rank that was significantly slow, with rough borders. */
export interface Stretch {
  /** World rank. */
  rank: number;
  startNs: number;
  endNs: number;
  /** As in Draft. */
  chance: number;
}

/**
 * Stretches of other ranks at the time of one that was looked at closely: they get its borders if what they lost between
 * these is enough. So where hundreds of ranks are slow all are named, though only some are looked at.
 *
 * @param confirmed one rank each; the first that fits is taken
 * @param isEnough of ns between the borders
 */
export async function findAlike<One extends Stretch>(
  store: Store,
  kind: Kind,
  stretches: readonly One[],
  confirmed: readonly Draft[],
  isEnough: (own: { observed: number; reference: number }, one: One) => boolean,
): Promise<Draft[]> {
  const models = groupRows(stretches, (one) => confirmed.find((draft) => isSameTime(draft, one)));
  const alike: Draft[] = [];
  for (const [model, ones] of models) {
    if (!model) continue;
    const { startNs, endNs } = model;
    const byRank = groupRows(await partsInside(store, kind, startNs, endNs), ({ rank }) => rank);
    const known = new Set<number>();
    for (const one of ones) {
      const own = total(byRank.get(one.rank) ?? []);
      if (known.has(one.rank) || !isEnough(own, one)) continue;
      known.add(one.rank);
      const loss = own.observed - own.reference;
      alike.push({ startNs, endNs, ranks: [one.rank], loss, chance: one.chance });
    }
  }
  return alike;
}
