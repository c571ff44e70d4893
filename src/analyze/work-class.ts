import type { BlockMeans } from "./block-means.ts";
import type { Fit } from "./fit.ts";

/** A row of `work_keys`. */
export interface Key {
  key: number;
  kind: string;
  snippet: number;
  bytes: number;
  before_bytes: number;
  communicator: number;
  requests: number;
  /** See work_classes. */
  context: number;
  basis: string;
  evidence: string;
  n: number;
  total_ns: number;
  ranks: number;
  first_ns: number;
  block_ns: number;
  blocks: number;
  enough: boolean;
}

/** One mode of a key, fitted. */
export interface WorkClass {
  key: Key;
  ranks: number[];
  fromNs: number;
  toNs: number;
  /** Of the key. */
  modes: number;
  means: BlockMeans;
  fit: Fit;
  /** Extra factor per rank and block, see surplusFactors. */
  surplus: Float64Array;
}

/** Durations have no upper end: the last mode of a key takes all that is longer. */
export const FOREVER = Number.MAX_SAFE_INTEGER;
