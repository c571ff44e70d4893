import type { Store } from "../trace/store.ts";
import { insertRows } from "./columns.ts";
import { groupRows } from "./peers.ts";

/** One row of `ledger` without its rank. */
export interface LedgerPart {
  kind: "compute" | "communication" | "io" | "";
  part: string;
  ns: number;
}

/** Time of a kind by status of its class; `wait` is time in calls that only wait. */
interface Recorded {
  kind: "compute" | "communication" | "io" | "wait";
  part: string;
  ns: number;
}

export interface RankTimes {
  rank: number;
  /** end_ns - init_ns of the rank. */
  totalNs: number;
  toolNs: number;
  /** Recorded time by kind and status of its class. */
  recorded: Recorded[];
  /** Of the recorded communication, what was waiting. */
  waits: { part: string; ns: number }[];
  /** Spans in which calls were left out on purpose. */
  sampledOutNs: number;
}

/**
 * Pass 9. Coverage ledger: where each rank's time between the exit of MPI_Init and its end went, in parts that
 * add up to it. Only thread 0 is accounted for: the parts are wall time, and its calls span the run.
 *
 * Reads `ranks`, `gaps`, `work_classes`, `rank_references`, temporary `vectors`, `class_ranks` and `waits`; writes `ledger`.
 */
export async function fillLedger(store: Store): Promise<void> {
  const ranks = await store.rows<{ rank: number; total: number; tool: number }>(
    "SELECT rank, end_ns - init_ns AS total, tool_ns AS tool FROM ranks ORDER BY rank",
  );
  const recorded = await store.rows<Record<string, unknown> & Recorded & { rank: number }>(`
    WITH judged AS (
      SELECT x.rank, w.kind, if(w.status = 'vsensor' AND r.class IS NULL, 'too_few_repeats', w.status) AS part,
             sum(x.total_ns::BIGINT)::DOUBLE AS ns
        FROM class_ranks x JOIN work_classes w USING (class)
        LEFT JOIN rank_references r ON r.class = x.class AND r.rank = x.rank
       GROUP BY 1, 2, 3),
    everything AS (SELECT rank, kind, sum(total_ns)::DOUBLE AS ns FROM vectors GROUP BY rank, kind)
    SELECT * FROM judged
    UNION ALL
    SELECT e.rank, e.kind, 'too_few_repeats', e.ns - coalesce(sum(j.ns), 0)
      FROM everything e LEFT JOIN judged j USING (rank, kind) GROUP BY e.rank, e.kind, e.ns
    ORDER BY 1, 2, 3, 4`);
  const waits = await store.rows<{ rank: number; part: string; ns: number }>(
    "SELECT rank, part, sum(waiting_ns ORDER BY waiting_ns)::DOUBLE AS ns FROM waits GROUP BY rank, part ORDER BY rank, part",
  );
  const gaps = await store.rows<{ rank: number; ns: number }>(
    "SELECT rank, sum(end_ns - start_ns)::DOUBLE AS ns FROM gaps WHERE thread = 0 GROUP BY rank",
  );
  const gapOf = new Map(gaps.map(({ rank, ns }) => [rank, ns]));
  const recordedOf = groupRows(recorded, ({ rank }) => rank);
  const waitsOf = groupRows(waits, ({ rank }) => rank);
  const rows = ranks.flatMap(({ rank, total, tool }) =>
    rankLedger({
      rank,
      totalNs: total,
      toolNs: tool,
      recorded: recordedOf.get(rank) ?? [],
      waits: waitsOf.get(rank) ?? [],
      sampledOutNs: gapOf.get(rank) ?? 0,
    }).map(({ kind, part, ns }) => [rank, kind, part, ns]),
  );
  await insertRows(store, "ledger", rows);
}

const STATUSES = ["vsensor", "too_few_repeats", "varying_work"];

/**
 * The parts of one rank; they sum to totalNs. The tool's cost sits between calls, so it is taken from compute and from what was
 * sampled out, at most half of each. Should more be recorded than there is time (a damaged clock), all is scaled down to fit.
 */
export function rankLedger(times: RankTimes): LedgerPart[] {
  const total = Math.max(0, times.totalNs);
  const recorded = times.recorded.reduce((sum, row) => sum + row.ns, times.sampledOutNs);
  const scale = recorded > total ? total / recorded : 1;
  const sumOf = (kind: string, part: string) =>
    scale *
    times.recorded.reduce(
      (sum, row) => (row.kind === kind && row.part === part ? sum + row.ns : sum),
      0,
    );
  const compute = STATUSES.reduce((sum, part) => sum + sumOf("compute", part), 0);
  const sampledOut = scale * times.sampledOutNs;
  const tool = Math.min(Math.max(0, times.toolNs), (compute + sampledOut) / 2);
  const rest = compute + sampledOut > 0 ? 1 - tool / (compute + sampledOut) : 0;
  const parts: LedgerPart[] = STATUSES.map((part) => ({
    kind: "compute",
    part,
    ns: sumOf("compute", part) * rest,
  }));
  let waiting = 0;
  for (const part of STATUSES) {
    const ns = sumOf("communication", part);
    const taken = Math.min(
      ns,
      times.waits.reduce((sum, row) => (row.part === part ? sum + row.ns : sum), 0),
    );
    waiting += taken;
    parts.push({ kind: "communication", part, ns: ns - taken });
  }
  const waits = STATUSES.reduce((sum, part) => sum + sumOf("wait", part), 0);
  parts.push({ kind: "communication", part: "waiting", ns: waiting + waits });
  parts.push(...STATUSES.map((part) => ({ kind: "io" as const, part, ns: sumOf("io", part) })));
  parts.push(
    { kind: "", part: "tool", ns: tool },
    { kind: "", part: "sampled_out", ns: sampledOut * rest },
  );
  const accounted = parts.reduce((sum, row) => sum + row.ns, 0);
  parts.push({ kind: "", part: "untraced", ns: Math.max(0, total - accounted) });
  return parts;
}
