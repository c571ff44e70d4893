import type { Store } from "../trace/store.ts";
import { readColumns } from "./columns.ts";
import { CALL_MATCH, COMPUTE_MATCH } from "./work-cells.ts";

/** Calls that are looked at, about, on so many ranks and in so many stretches of the run. */
const SAMPLE = 100_000;
const MOST_RANKS = 16;
const STRETCHES = 6;

/** Calls in order of rank and time, from a few stretches of the run on a few ranks. */
export interface SampledCalls {
  rank: Float64Array;
  state: Float64Array;
  edge: Float64Array;
  startNs: Float64Array;
  /** Keys in the table `candidates` that judge the computation before the call, and the call; -1 none. */
  computeKey: Float64Array;
  callKey: Float64Array;
  /** Their segments of the key's lifetime, and durations. */
  computeSegment: Float64Array;
  callSegment: Float64Array;
  computeNs: Float64Array;
  callNs: Float64Array;
  /** Stretch of the run, from 0; calls between two of them are in `skipped`. */
  stretch: Float64Array;
  /** Calls before each stretch that are in none: rank, number of the next stretch, edge, state, how many. */
  skipped: { rank: number; stretch: number; edge: number; state: number; n: number }[];
}

/** @param segments equal parts of a key's lifetime */
export async function sampleCalls(store: Store, segments: number): Promise<SampledCalls> {
  const size = (await store.row<{ calls: number; ranks: number; from: number; to: number }>(`
    SELECT (SELECT count(*) FROM executions) + (SELECT count(*) FROM irregular_calls) AS calls,
           (SELECT count(*) FROM ranks) AS ranks,
           (SELECT coalesce(min(k.first_ns), 0) FROM work_keys k JOIN candidates USING (key)) AS "from",
           (SELECT coalesce(max(k.last_ns), 0) FROM work_keys k JOIN candidates USING (key)) AS "to"`))!;
  const everyRank = Math.ceil(size.ranks / MOST_RANKS);
  const share = Math.min(1, (SAMPLE * everyRank) / Math.max(1, size.calls));
  const length = `${Math.max(1, Math.ceil((size.to - size.from) / STRETCHES))}::BIGINT`;
  const at = `(c.start_ns - ${size.from}::BIGINT)`;
  const ranks = everyRank > 1 ? `AND c.rank % ${everyRank} = 0` : "";
  const inside = `${at} % ${length} < ${share} * ${length}`;
  const chosen = `FROM calls c WHERE c.thread = 0 ${ranks} AND c.start_ns >= ${size.from}::BIGINT`;
  const segment = (m: string, start: string): string =>
    `coalesce(least((${start} - ${m}.first_ns) // ${m}.block_ns, ${m}.blocks - 1) * ${segments} // ${m}.blocks, 0)::INTEGER`;
  const [
    rank,
    state,
    edge,
    startNs,
    computeKey,
    callKey,
    computeSegment,
    callSegment,
    computeNs,
    callNs,
    stretch,
  ] = await readColumns(
    store,
    `SELECT c.rank, c.state, c.edge, c.start_ns::DOUBLE, coalesce(a.key, -1), coalesce(b.key, -1),
            ${segment("a", "c.start_ns - c.before_ns")}, ${segment("b", "c.start_ns")},
            c.before_ns::DOUBLE, (c.end_ns - c.start_ns)::DOUBLE, least(${at} // ${length}, ${STRETCHES})::INTEGER
       FROM (SELECT * ${chosen} ${share < 1 ? `AND ${inside}` : ""}) c
       ${judge("a", "compute", COMPUTE_MATCH)} ${judge("b", "io", CALL_MATCH)}
      ORDER BY c.rank, c.start_ns, c.end_ns`,
  );
  const skipped =
    share >= 1
      ? []
      : await store.rows<SampledCalls["skipped"][number]>(
          `SELECT rank, (${at} // ${length} + 1)::INTEGER AS stretch, edge, state, count(*)::INTEGER AS n
             ${chosen} AND NOT (${inside}) GROUP BY ALL ORDER BY ALL`,
        );
  return {
    rank: rank!,
    state: state!,
    edge: edge!,
    startNs: startNs!,
    computeKey: computeKey!,
    callKey: callKey!,
    computeSegment: computeSegment!,
    callSegment: callSegment!,
    computeNs: computeNs!,
    callNs: callNs!,
    stretch: stretch!,
    skipped,
  };
}

/** Joins a call with the candidate of a kind that judges it, as `alias`. */
function judge(alias: string, kind: "compute" | "io", match: string): string {
  return `LEFT JOIN (SELECT k.* FROM key_map k JOIN candidates USING (key) WHERE k.kind = '${kind}') ${alias}
            ON ${match.replaceAll("m.", `${alias}.`)}`;
}
