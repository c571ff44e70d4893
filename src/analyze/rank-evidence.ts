import type { Store } from "../trace/store.ts";
import { othersQuantile } from "./peers.ts";
import { readSchedules, type Schedule } from "./schedules.ts";
import { quantile } from "./statistics.ts";

/** What is known of a rank's speed apart from its own work. Differences are logs of time, own above that of the peers. */
export interface RankEvidence {
  rank: number;
  /** Of the probes, by kind; kinds with too few probes on this rank or on its peers are missing. */
  probes: ProbeDifference[];
  /** Of the time per CPU time, by what the rank waited for a core; undefined if the kernel did not tell. */
  delay: number | undefined;
}

export interface ProbeDifference {
  kind: string;
  difference: number;
  /** Standard error, differences between cores that mean nothing included. */
  error: number;
}

/** Durations of one kind of probe on one rank. */
export interface ProbeTimes {
  rank: number;
  kind: string;
  logs: ArrayLike<number>;
}

/** Probes of a kind that a rank needs: in shorter runs, two slow moments are half of them. */
const ENOUGH = 8;
/**
 * Medians of equally fast cores differ by this (log) for reasons of their own: where pages lie, what the memory
 * does for others. Measured between the cores of the development machine under load: 0.006, 0.001, 0.06.
 */
export const USUAL_DIFFERENCE: Readonly<Record<string, number>> = {
  compute: 0.005,
  cache: 0.01,
  memory: 0.04,
};
/** So many of these (standard deviations) are allowed for where two cores are compared. */
export const REACH_OF_CORES = 3;
/**
 * What is slower throughout is slower in its quicker moments, too: this quantile must differ as the median does. Memory that
 * others use now and then makes medians of ranks probed at other moments differ by 60 %.
 */
const QUICK = 0.25;
/** Standard deviation from the median absolute deviation, and error of a median, both of normal values. */
const SIGMA_OF_MAD = 1.483;
const ERROR_OF_MEDIAN = 1.253;
/** Less CPU time than this says nothing on how the system schedules, ns. */
const LEAST_CPU_NS = 20e6;

/** Evidence of all ranks that have any; peers of a rank are all others. */
export async function readEvidence(store: Store): Promise<RankEvidence[]> {
  const probes = await store.rows<Record<string, unknown> & ProbeTimes>(`
    SELECT rank, kind, list(ln(greatest(duration_ns, 1)) ORDER BY start_ns) AS logs
      FROM probes WHERE thread = 0 GROUP BY rank, kind ORDER BY rank, kind`);
  return compareEvidence(probes, await readSchedules(store));
}

/** Compares each rank with the median of the others. */
export function compareEvidence(
  probes: readonly ProbeTimes[],
  schedules: readonly Schedule[],
): RankEvidence[] {
  const ranks = new Set([...probes, ...schedules].map(({ rank }) => rank));
  const all: RankEvidence[] = [...ranks]
    .toSorted((a, b) => a - b)
    .map((rank) => ({ rank, probes: [], delay: undefined }));
  const of = new Map(all.map((one) => [one.rank, one]));
  for (const kind of [...new Set(probes.map((one) => one.kind))].toSorted()) {
    const medians = probes
      .filter((one) => one.kind === kind && one.logs.length >= ENOUGH)
      .map(({ rank, logs }) => ({ rank, median: medianOf(logs), low: quantile(logs, QUICK) }));
    if (medians.length < 2) continue;
    const peers = othersQuantile(
      medians.map(({ median }) => median.value),
      0.5,
    );
    const peersLow = othersQuantile(
      medians.map(({ low }) => low),
      0.5,
    );
    for (const [i, { rank, median, low }] of medians.entries()) {
      const usual = USUAL_DIFFERENCE[kind] ?? 0.05;
      of.get(rank)!.probes.push({
        kind,
        difference: Math.min(median.value - peers[i]!, low - peersLow[i]!),
        error: Math.hypot(median.error, usual),
      });
    }
  }
  const delays = schedules
    .filter(({ cpuNs }) => cpuNs >= LEAST_CPU_NS)
    .map(({ rank, cpuNs, delayNs }) => ({ rank, value: Math.log1p(delayNs / cpuNs) }));
  const usual = othersQuantile(
    delays.map(({ value }) => value),
    0.5,
  );
  for (const [i, { rank, value }] of delays.entries())
    if (delays.length > 1) of.get(rank)!.delay = value - usual[i]!;
  return all;
}

function medianOf(values: ArrayLike<number>): { value: number; error: number } {
  const value = quantile(values, 0.5);
  const deviations = Float64Array.from(values, (one) => Math.abs(one - value));
  const sigma = SIGMA_OF_MAD * quantile(deviations, 0.5);
  return { value, error: (ERROR_OF_MEDIAN * sigma) / Math.sqrt(values.length) };
}
