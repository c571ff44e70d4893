import type { Store } from "../trace/store.ts";
import { refineBorders } from "./borders.ts";
import type { Heat } from "./heat.ts";
import type { Draft } from "./join-ranks.ts";
import { partsInside, total } from "./judged.ts";

/** A rank that waits actively is on its core, or waits for it, for this share of the time. */
const ACTIVE = 0.8;
/** One that is off its core for this share did not run. */
const OFF = 0.5;
/** Borders lie where slowness passes this share of the region's, as in `candidates.ts`. */
const BORDER = 0.4;

/**
 * Blames slow calls of all ranks on those that did not run meanwhile: a process that is stopped, suspended or kept off its core while it
 * is inside a call holds up all others, who wait in theirs. They wait actively, as MPI does unless told
 * otherwise; where they do not, processor time says nothing, and the region stays as it is.
 *
 * Reads the counters cpu_time and run_delay; `calls` is the heat map of communication.
 */
export async function blameStopped(
  store: Store,
  calls: Heat,
  drafts: readonly Draft[],
): Promise<Draft[]> {
  const out: Draft[] = [];
  for (const draft of drafts) {
    const stopped = await ranksThatStood(store, draft);
    out.push(stopped.length > 0 ? await narrowed(store, calls, draft, stopped) : draft);
  }
  return out;
}

/** Ranks that were off their cores in a region for most of the time, if all others were on theirs or wanted to be. */
export async function ranksThatStood(
  store: Store,
  { startNs, endNs, ranks }: Pick<Draft, "startNs" | "endNs" | "ranks">,
): Promise<number[]> {
  const length = endNs - startNs;
  const stood: number[] = [];
  for (const rank of ranks) {
    const row = await store.row<{ cpu: number; wanted: number }>(
      `SELECT sum(delta) FILTER (name = 'cpu_time')::DOUBLE AS cpu, sum(delta)::DOUBLE AS wanted
         FROM counters_in(${rank}, 0, ${Math.round(startNs)}, ${Math.round(endNs)})
        WHERE name IN ('cpu_time', 'run_delay') AND covered >= ${ACTIVE}
       HAVING cpu IS NOT NULL`,
    );
    if (!row) return [];
    if (row.cpu <= (1 - OFF) * length) stood.push(rank);
    else if (row.wanted < ACTIVE * length) return [];
  }
  return stood.length < ranks.length ? stood : [];
}

/** The region with the ranks that stood alone, from the first call that this made long to the end of the last one. */
async function narrowed(store: Store, calls: Heat, draft: Draft, ranks: number[]): Promise<Draft> {
  const from = Math.floor(draft.startNs / calls.binNs);
  const to = Math.ceil(draft.endNs / calls.binNs);
  const inside = await partsInside(store, calls.kind, draft.startNs, draft.endNs);
  const borders: { startNs: number; endNs: number }[] = [];
  for (const rank of ranks) {
    const { observed, reference } = total(inside.filter((part) => part.rank === rank));
    const threshold = BORDER * (observed / reference - 1);
    const row = calls.ranks.indexOf(rank);
    const candidate = { rank: row, from, to, score: 0, loss: draft.loss, threshold };
    borders.push(await refineBorders(store, calls, candidate));
  }
  const startNs = Math.min(...borders.map((one) => one.startNs));
  const endNs = Math.max(...borders.map((one) => one.endNs));
  const parts = await partsInside(store, calls.kind, startNs, endNs);
  const { observed, reference } = total(parts.filter((part) => ranks.includes(part.rank)));
  return { ...draft, startNs, endNs, ranks, loss: observed - reference };
}
