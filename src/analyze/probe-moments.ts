import { readColumns } from "./columns.ts";
import type { Store } from "../trace/store.ts";
import { quantile } from "./statistics.ts";

/** How long the probes of one kind took on one rank: logs of ns, by time. */
export interface ProbeCourse {
  rank: number;
  atNs: Float64Array;
  logs: Float64Array;
}

/** Kinds of probes, see docs/trace-format.md. */
export const PROBE_KINDS = ["compute", "cache", "memory"] as const;
export type ProbeKind = (typeof PROBE_KINDS)[number];

/** Probes of a kind closer together than this say the same: the three at the start and at the end of a recording. */
const ONE_MOMENT_NS = 10e6;

/** Courses of some ranks, by rank; ranks without probes are missing. */
export async function readProbes(
  store: Store,
  kind: ProbeKind,
  ranks: readonly number[],
): Promise<ProbeCourse[]> {
  if (ranks.length === 0) return [];
  const columns = await readColumns(
    store,
    `SELECT rank, start_ns::DOUBLE, ln(greatest(duration_ns, 1)) FROM probes
      WHERE thread = 0 AND kind = '${kind}' AND rank IN (${ranks.join(", ")}) ORDER BY rank, start_ns, duration_ns`,
  );
  const [rank, at, log] = columns as [Float64Array, Float64Array, Float64Array];
  const out: ProbeCourse[] = [];
  for (let from = 0; from < rank.length; ) {
    let to = from;
    while (to < rank.length && rank[to] === rank[from]) to++;
    const one = moments(at.subarray(from, to), log.subarray(from, to));
    out.push({ rank: rank[from]!, ...one });
    from = to;
  }
  return out;
}

/** One value per moment: the median of probes that follow each other at once. */
export function moments(
  at: Float64Array,
  log: Float64Array,
): { atNs: Float64Array; logs: Float64Array } {
  const [atNs, logs]: [number[], number[]] = [[], []];
  for (let from = 0; from < at.length; ) {
    let to = from + 1;
    while (to < at.length && at[to]! - at[to - 1]! < ONE_MOMENT_NS) to++;
    atNs.push(at[from]!);
    logs.push(quantile(log.subarray(from, to), 0.5));
    from = to;
  }
  return { atNs: Float64Array.from(atNs), logs: Float64Array.from(logs) };
}
