/** Numbers that steer the analysis; written to `analysis_meta` with every result. */
export interface Settings {
  /** Fragments that a work class needs over all ranks. */
  minFragments: number;
  /** Fragments that a rank needs in a class to be judged by it. */
  minRankFragments: number;
  /** Relative spread (half the 16-84 % range of log time) above which work is said to vary. */
  maxSpread: number;
  /** Relative wander of block means, rank against rank, above which work is said to vary. */
  maxWander: number;
  /** Share above reference that never counts as slow. */
  tolerance: number;
  /** A region's performance must be below this: an idle virtual machine went down to 0.81 for seconds by itself. */
  maxPerformance: number;
  /** The same where a slow-down is significant at maxWeakChance. */
  maxWeakPerformance: number;
  /** A region must cost each of its ranks this share of the run ... */
  minLossShare: number;
  /** ... and this many nanoseconds. */
  minLossNs: number;
  /** The same for a loss that a few single fragments carry. */
  minSpikeShare: number;
  minSpikeNs: number;
  /** Slow-downs weaker than maxPerformance are reported even if no counter confirms them. */
  sensitive: boolean;
  /** Chance of a region in an undisturbed run that is still accepted. */
  maxChance: number;
  /** The same for slow-downs above maxPerformance, which noise comes nearer to; */
  maxWeakChance: number;
  /** and for those that the fine scan finds, too short or too mild for the heat map. */
  maxMildChance: number;
  /** A rank's own reference above that of its peers by this share is an imbalance. */
  minImbalance: number;
  /** The same work that takes longer than on the peers by this share throughout is looked at: slow, or more work? */
  minSlowness: number;
  /** Bins of the heat map: no more than this over the run. */
  maxBins: number;
  /** Resampled runs behind significance and intervals, and the seed of their generator. */
  resamples: number;
  seed: number;
}

export const DEFAULT_SETTINGS: Settings = {
  minFragments: 10,
  minRankFragments: 8,
  maxSpread: 0.25,
  maxWander: 0.08,
  tolerance: 0.1,
  maxPerformance: 0.75,
  maxWeakPerformance: 0.9,
  minLossShare: 0.01,
  minLossNs: 20e6,
  minSpikeShare: 0.02,
  minSpikeNs: 150e6,
  sensitive: false,
  maxChance: 0.005,
  maxWeakChance: 0.001,
  maxMildChance: 0.003,
  minImbalance: 0.07,
  minSlowness: 0.08,
  maxBins: 1000,
  resamples: 200,
  seed: 20_220_402,
};

/** Bins of duration per e-fold: a bin is about 2 % wide. */
export const BINS_PER_E = 50;

/** For machines that are yours alone: mild slow-downs, too, that nothing else confirms. */
export const SENSITIVE_SETTINGS = { sensitive: true, minSlowness: 0.06 } as const;
