import { materialLoss } from "./candidates.ts";
import { type Heat, sumBins } from "./heat.ts";
import type { Draft } from "./join-ranks.ts";
import { NullRuns } from "./null-runs.ts";
import { maximalSegments, type Segment } from "./segments.ts";
import type { Settings } from "./settings.ts";

/** Calls must take this much longer than their reference on every rank. */
const SLOW_CALLS = 1.5;
/** Computation lost by any rank meanwhile explains the calls if it is this share of their smallest loss. */
const EXPLAINED = 0.3;
/** Share of the time outside of calls that v-sensors must judge, so that no unseen computation is to blame. */
const SEEN = 0.5;

/**
 * Where communication itself was slow, of what slow-transfers.ts says nothing about. Time in a call is mostly waiting for other
 * ranks, so a region needs *all* ranks to be slow in the same bins (the one that waits least is
 * late itself and shows the transfer) while no rank computes slowly or unseen.
 */
export function findSlowCommunication(
  calls: Heat,
  compute: Heat,
  settings: Settings,
  wallNs: number,
): { drafts: Draft[]; nulls: NullRuns } {
  const least = 2 * materialLoss(settings, wallNs);
  const segments =
    calls.ranks.length < 2 || calls.ranks.length < compute.ranks.length
      ? []
      : maximalSegments(slowestOfAll(calls)).filter(
          (segment) =>
            smallestLoss(calls, segment) >= least && !isExplained(calls, compute, segment),
        );
  const candidates = segments.flatMap((segment) =>
    calls.ranks.map((_, rank) => ({ ...segment, rank, loss: 0, threshold: 0 })),
  );
  const nulls = new NullRuns(calls, candidates, settings);
  const drafts = segments.map((segment) => ({
    startNs: segment.from * calls.binNs,
    endNs: segment.to * calls.binNs,
    ranks: calls.ranks,
    loss: smallestLoss(calls, segment) * calls.ranks.length,
    chance: nulls.chance(smallestLoss(calls, segment)),
  }));
  return { drafts: drafts.filter((draft) => draft.chance <= settings.maxChance), nulls };
}

/** Score per bin: that of the rank that is slowed least; minus a bin where some rank is unknown. */
function slowestOfAll(calls: Heat): Float64Array {
  return Float64Array.from({ length: calls.bins }, (_, b) => {
    let least = Number.POSITIVE_INFINITY;
    for (let i = b; i < calls.observed.length; i += calls.bins) {
      const known = calls.reference[i]! > 0;
      const allowed = Math.max(SLOW_CALLS * calls.reference[i]!, calls.allowed[i]!);
      least = Math.min(least, known ? calls.observed[i]! - allowed : -calls.binNs);
    }
    return least;
  });
}

function smallestLoss(calls: Heat, { from, to }: Segment): number {
  return Math.min(...calls.ranks.map((_, rank) => sumBins(calls, rank, from, to).loss));
}

function isExplained(calls: Heat, compute: Heat, { from, to }: Segment): boolean {
  const loss = smallestLoss(calls, { from, to, score: 0 });
  return calls.ranks.some((world, rank) => {
    const row = compute.ranks.indexOf(world);
    if (row < 0) return true;
    const own = sumBins(compute, row, from, to);
    const outside = (to - from) * calls.binNs - sumBins(calls, rank, from, to).observed;
    return own.loss > EXPLAINED * loss || own.observed < SEEN * outside;
  });
}
