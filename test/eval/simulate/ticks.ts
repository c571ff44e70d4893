import type { Random } from "../../accuracy/noise.ts";

/** Interruptions of one rank at equal distances, as an operating system's timer or daemon makes. */
export interface Ticks {
  periodNs: number;
  /** Of the first one. */
  phaseNs: number;
  lengthNs: number;
  /** How long `work` ns take from `start` on. */
  stretch(start: number, work: number): number;
}

/** Distance between interruptions, in computations. */
const PERIOD = 7.3;

/**
 * Interruptions whose hits give computations of `workNs` a relative standard deviation of `share`. One of them hits with chance
 * p = 1 / PERIOD, so its length is share * workNs / sqrt(p * (1 - p)).
 */
export function ticksFor(workNs: number, share: number, random: Random): Ticks {
  const chance = 1 / PERIOD;
  const periodNs = PERIOD * workNs;
  const phaseNs = random.uniform() * periodNs;
  const lengthNs = (share * workNs) / Math.sqrt(chance * (1 - chance));
  const before = (at: number) => Math.floor((at - phaseNs) / periodNs);
  return {
    periodNs,
    phaseNs,
    lengthNs,
    stretch(start, work) {
      return work + lengthNs * (before(start + work) - before(start));
    },
  };
}
