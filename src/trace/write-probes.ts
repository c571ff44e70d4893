import type { TraceReader } from "./reader.ts";
import type { Store } from "./store.ts";

/** enum vst_probe_kind of trace_probe.h. Probes of kinds that are not known are left out. */
const KINDS: Readonly<Record<number, string>> = { 1: "compute", 2: "cache", 3: "memory" };

/** A trace file, and CLOCK_MONOTONIC of its host at time 0 of the job. */
export interface ProbeSource {
  reader: TraceReader;
  zeroNs: bigint;
}

/** Fills the table `probes`, by rank and time. */
export async function writeProbes(store: Store, sources: readonly ProbeSource[]): Promise<void> {
  const appender = await store.connection.createAppender("probes");
  for (const { reader, zeroNs } of sources) {
    const { rank, probes } = reader.description;
    for (let i = 0; i < probes.rows; i++) {
      const kind = KINDS[probes.kind[i]!];
      if (!kind) continue;
      appender.appendInteger(rank);
      appender.appendSmallInt(probes.thread[i]!);
      appender.appendVarchar(kind);
      appender.appendBigInt(probes.start_ns[i]! - zeroNs);
      appender.appendDouble(probes.duration_ns[i]!);
      appender.appendBigInt(probes.cpu_ns[i]!);
      appender.appendBigInt(probes.total_cpu_ns[i]!);
      const delay = probes.delay_ns[i]!;
      if (delay < 0n) appender.appendNull();
      else appender.appendBigInt(delay);
      appender.appendInteger(probes.core[i]!);
      appender.endRow();
    }
  }
  appender.closeSync();
}
