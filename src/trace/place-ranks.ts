import type { TraceReader } from "./reader.ts";

/** Where the clocks of a job's hosts stand. */
export interface CommonClock {
  /** CLOCK_MONOTONIC at time 0 of the job on the host of `reader`. */
  zeroNs: (reader: TraceReader) => bigint;
  /** CLOCK_REALTIME at time 0. */
  startedAtNs: bigint;
  /** Hosts (boots) that take part. */
  hosts: number;
}

/**
 * Puts all ranks on one clock. Processes of one boot share CLOCK_MONOTONIC, which is taken as it is;
 * between boots it is shifted by the difference of realtime - monotonic, as good as the hosts' clocks
 * are set. Time 0 is the earliest exit of MPI_Init.
 */
export function placeRanks(readers: readonly TraceReader[]): CommonClock {
  const offsets = new Map<string, bigint[]>();
  for (const reader of readers) {
    const boot = bootOf(reader);
    const known = offsets.get(boot) ?? [];
    known.push(sane(reader.description.realtimeOffsetNs));
    offsets.set(boot, known);
  }
  const offsetOf = new Map([...offsets].map(([boot, all]) => [boot, median(all)]));
  const offset = (reader: TraceReader): bigint => offsetOf.get(bootOf(reader)) ?? 0n;
  const starts = readers.map((reader) => reader.description.initExitNs + offset(reader));
  const startedAtNs = starts.reduce((least, start) => (start < least ? start : least), starts[0]!);
  return {
    zeroNs: (reader) => startedAtNs - offset(reader),
    startedAtNs,
    hosts: offsetOf.size,
  };
}

/** What distinguishes boots; without a boot id the host's name has to do. */
function bootOf(reader: TraceReader): string {
  return processValue(reader, "boot_id") ?? processValue(reader, "host") ?? "";
}

/** First value of a key of the PROCESS block. */
export function processValue(reader: TraceReader, key: string): string | undefined {
  return reader.description.process.find(([known]) => known === key)?.[1];
}

/** A real-time clock that was never set, or a damaged reading, must not carry times out of range. */
function sane(offsetNs: bigint): bigint {
  return offsetNs >= 0n && offsetNs < 2n ** 61n ? offsetNs : 0n;
}

function median(values: bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor(sorted.length / 2)]!;
}
