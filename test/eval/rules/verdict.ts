import type { Region } from "../score/region.ts";

/** What a rule says about one run. */
export interface Verdict {
  /** Class of each computation, by rank and start; -1: in none. Numbers mean nothing by themselves. */
  classes: ArrayLike<number>;
  regions: Region[];
  /** Share of the known bins of computation that are below FLAGGED or, for ours, in a region. */
  flagged: number;
  /** Reference / observed time of all computation judged. */
  performance: number;
  /** Share of rank-time that was judged. */
  coverage: number;
}

/** Performance below which a bin counts as flagged: the threshold that Vapro is said to use. */
export const FLAGGED = 0.85;
