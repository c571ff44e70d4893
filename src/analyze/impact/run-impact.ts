import type { Store } from "../../trace/store.ts";
import { insertRows, readColumns } from "../columns.ts";
import type { Dependences } from "./dependences.ts";
import { loadDependences } from "./load-dependences.ts";
import { type Durations, durations, replay, withoutViolations } from "./replay.ts";

/** Calls of a run that is replayed, at most: it is held in memory, about 80 bytes a call. */
const MOST_CALLS = 20_000_000;
/** Of the time in MPI calls, left-out stretches included, what must be in calls of which is known whom they wait for: else waits stay that would have vanished. */
const LEAST_LINKED = 0.8;

/** A region's loss with its interval, ns. */
interface Loss {
  region: number;
  lost: number;
  low: number;
  high: number;
}

/** Time that calls would have saved: of the computation before each, and of the call itself; ns. */
interface Savings {
  call: Float64Array;
  before: Float64Array;
  inside: Float64Array;
  /** The loss that these savings stand for, ns. */
  total: number;
}

/** What is judged of a region must make up this share of its loss, or nothing is said. */
const LEAST_SEEN = 0.5;

/**
 * Pass "run impact". What each region cost the job: the run is replayed with the region's slow fragments at their reference time, and the job would have
 * ended so much earlier. A delay that others would have waited for anyway costs nothing, one that all wait for costs all of it.
 *
 * The interval is that of the lost time: the replay is repeated with the fragments so much shorter that they save its ends. What
 * transfers would have taken at other times is not known, so they keep their length.
 *
 * Runs of more than MOST_CALLS recorded calls, and those in which too few are matched, get no row.
 *
 * Reads `regions`, `region_ranks`, `judged_compute`, `judged_calls` and what loadDependences reads; writes `run_impacts`.
 */
export async function findRunImpact(store: Store): Promise<void> {
  const regions = await store.rows<Record<string, unknown> & Loss>(
    "SELECT region, lost_ns AS lost, lost_low_ns AS low, lost_high_ns AS high FROM regions ORDER BY region",
  );
  const size = await store.row<{ n: number }>("SELECT count(*) AS n FROM calls");
  if (regions.length === 0 || size!.n > MOST_CALLS) return;
  const measured = await loadDependences(store);
  const linked = await linkedShare(store, measured);
  await insertRows(store, "analysis_meta", [["replay_linked", linked.toFixed(4)]]);
  if (linked < LEAST_LINKED) return;
  const { violations } = durations(measured);
  const run = withoutViolations(measured);
  const times = durations(run);
  const { endNs } = replay(run, times);
  const rows: (string | number)[][] = [];
  const all: { savings: Savings; loss: Loss }[] = [];
  for (const loss of regions) {
    const savings = (await standstill(store, loss)) ?? (await savingsOf(store, loss.region));
    if (savings.total <= 0 || savings.total < LEAST_SEEN * loss.lost) continue;
    all.push({ savings, loss });
    rows.push(["region", loss.region, ...impacts(run, times, endNs, [{ savings, loss }])]);
  }
  // Without one of them it would be too small.
  if (all.length === regions.length)
    rows.push(["all regions", 0, ...impacts(run, times, endNs, all)]);
  await insertRows(store, "run_impacts", rows);
  await insertRows(store, "analysis_meta", [
    ["replayed_ns", String(Math.round(endNs))],
    ["causality_violations", String(violations)],
  ]);
  await store.execute("DROP TABLE numbered_calls");
}

/** Of the time in MPI calls and in gaps, what lies in calls that wait for others and are matched with them. */
async function linkedShare(store: Store, { waitsFor, enter, exit }: Dependences): Promise<number> {
  const row = await store.row<{ ns: number }>(`
    SELECT (SELECT coalesce(sum(c.end_ns - c.start_ns), 0) FROM calls c JOIN states s USING (state)
              JOIN state_kinds k USING (state) WHERE k.kind = 'communication' AND s.category <> 'lifetime')
         + (SELECT coalesce(sum(end_ns - start_ns), 0) FROM gaps) AS ns`);
  let linked = 0;
  for (let call = 0; call < enter.length; call++) {
    if (waitsFor.offsets[call + 1]! > waitsFor.offsets[call]!) linked += exit[call]! - enter[call]!;
  }
  return row!.ns > 0 ? linked / row!.ns : 1;
}

/** Earlier end of the job, ns: expected, and at the ends of the interval of what was lost. */
function impacts(
  run: Dependences,
  times: Durations,
  endNs: number,
  parts: readonly { savings: Savings; loss: Loss }[],
): [number, number, number] {
  const end = (of: (loss: Loss) => number): number => {
    const before = times.before.slice();
    const inside = times.inside.slice();
    for (const { savings, loss } of parts) {
      const scale = of(loss) / savings.total;
      for (const [i, call] of savings.call.entries()) {
        before[call] = Math.max(0, before[call]! - scale * savings.before[i]!);
        inside[call] = Math.max(0, inside[call]! - scale * savings.inside[i]!);
      }
    }
    return endNs - replay(run, { before, inside }).endNs;
  };
  const [expected, one, two] = [
    end(({ lost }) => lost),
    end(({ low }) => low),
    end(({ high }) => high),
  ];
  return [expected, Math.min(expected, one, two), Math.max(expected, one, two)];
}

function sum(numbers: Float64Array): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Observed above reference time of the fragments of a region's slow ranks, as far as they lie inside it. */
async function savingsOf(store: Store, region: number): Promise<Savings> {
  const inside = `(least(f.end_ns, r.end_ns) - greatest(f.start_ns, r.start_ns)) / (f.end_ns - f.start_ns)::DOUBLE`;
  const slow = `JOIN region_ranks k ON k.rank = f.rank AND k.role = 'slow'
                JOIN regions r ON r.region = k.region AND r.region = ${region}
                 AND f.end_ns > r.start_ns AND f.start_ns < r.end_ns AND f.end_ns > f.start_ns`;
  const [call, before, within] = await readColumns(
    store,
    `SELECT call, sum(before)::DOUBLE, sum(inside)::DOUBLE
       FROM (SELECT n.call, ${inside} * (f.end_ns - f.start_ns - f.reference_ns) AS before, 0 AS inside
               FROM judged_compute f ${slow} AND r.kind = 'compute'
               JOIN numbered_calls n ON n.rank = f.rank AND n.thread = 0 AND n.start_ns = f.end_ns
             UNION ALL
             SELECT n.call, 0, ${inside} * (f.end_ns - f.start_ns - f.reference_ns)
               FROM judged_calls f ${slow} AND r.kind = f.kind
               JOIN numbered_calls n ON n.rank = f.rank AND n.thread = 0 AND n.start_ns = f.start_ns AND n.end_ns = f.end_ns)
      GROUP BY call ORDER BY call`,
  );
  return { call: call!, before: before!, inside: within!, total: sum(before!) + sum(within!) };
}

/**
 * Of a region in which all ranks were inside of one call each, held up by one of them (standing-ranks.ts): all of these calls would have been
 * shorter by as much. Undefined for any other.
 */
async function standstill(store: Store, { region, lost }: Loss): Promise<Savings | undefined> {
  const [call, slow] = await readColumns(
    store,
    `SELECT n.call, (SELECT count(*) FROM region_ranks k WHERE k.region = r.region AND k.role = 'slow')::DOUBLE
       FROM numbered_calls n JOIN regions r ON r.region = ${region} AND r.kind = 'communication'
        AND n.thread = 0 AND n.start_ns <= r.start_ns AND n.end_ns >= r.end_ns
      WHERE (SELECT count(*) FROM ranks) = (
              SELECT count(DISTINCT rank) FROM numbered_calls o
               WHERE o.thread = 0 AND o.start_ns <= r.start_ns AND o.end_ns >= r.end_ns)
      ORDER BY n.call`,
  );
  if (call!.length === 0) return undefined;
  const inside = Float64Array.from(slow!, (ranks) => lost / ranks);
  return { call: call!, before: new Float64Array(call!.length), inside, total: lost };
}
