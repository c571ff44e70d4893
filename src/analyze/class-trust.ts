import { commonFactor } from "./fit.ts";
import type { Growth } from "./growth.ts";
import { peersOf } from "./pool-references.ts";
import type { Settings } from "./settings.ts";
import type { WorkClass } from "./work-class.ts";

/**
 * Whether all that was seen of a class is explained by one work done at one speed:
 * - same_work: yes
 * - undecided: ranks, or stretches of the run on all ranks, took longer by a share that may be more work or slower work;
 *   nothing here tells which. Also all work that varies with nothing known
 * - unknown: too few repeats to say
 */
export type ClassVerdict = "same_work" | "undecided" | "unknown";

/** @param status as in work_classes */
export function verdictOf(
  one: WorkClass | undefined,
  status: string,
  settings: Settings,
): ClassVerdict {
  if (!one || status === "too_few_repeats") return "unknown";
  if (status === "varying_work" || one.key.evidence !== "inferred")
    return status === "vsensor" ? "same_work" : "undecided";
  const { fit } = one;
  if (fit.common.some((common) => commonFactor(common) > 1)) return "undecided";
  const peers = peersOf(fit.reference);
  const differs = fit.reference.some(
    (reference, r) => Math.abs(reference / peers[r]! - 1) > settings.minImbalance,
  );
  return differs ? "undecided" : "same_work";
}

/** What each kind of evidence is worth, before what was seen of the class. */
const WORTH = { measured: 1, arguments: 0.9, pooled: 0.6, undecided: 0.7, modes: 0.9 };

/**
 * How far to trust that fragments of a class did the same work, 0 to 1: a score to sort by, not a chance. Product of what the
 * evidence is worth (measured 1, arguments and context 0.9, a growth 0.6 to 0.9 by what it explains, pooled sizes 0.6;
 * modes of time and doubts about the verdict take off 10 and 30 %), of the narrowness of its times (1 to 0.5, where
 * work is said to vary) and of n / (n + 10) for n fragments. 0 where nothing is judged.
 */
export function confidenceOf(
  one: WorkClass | undefined,
  verdict: ClassVerdict,
  growth: Growth | undefined,
  settings: Settings,
): number {
  if (!one || verdict === "unknown" || one.fit.varying) return 0;
  const { means, key } = one;
  const n = means.n.reduce((a, b) => a + b, 0);
  const narrow = 1 - 0.5 * Math.min(1, means.spread / settings.maxSpread);
  let worth = WORTH.arguments;
  if (key.evidence === "measured") worth = WORTH.measured;
  else if (growth) worth = WORTH.pooled + (WORTH.arguments - WORTH.pooled) * growth.explained;
  else if (key.bytes < 0) worth = WORTH.pooled;
  if (one.modes > 1) worth *= WORTH.modes;
  if (verdict === "undecided") worth *= WORTH.undecided;
  return (worth * narrow * n) / (n + settings.minFragments);
}
