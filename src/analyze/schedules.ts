import type { Store } from "../trace/store.ts";

/** Processor time of a rank, and how long it waited for a core. */
export interface Schedule {
  rank: number;
  cpuNs: number;
  delayNs: number;
}

/**
 * Processor time and waiting of each rank over the run, less what regions explain already: a rank that waited for its core in a
 * region has not waited throughout. Regions of half the run and more are left in, as `whole-run-slowness.ts` takes them up.
 *
 * From the counters, or where these were not read, from what each round of probes noted; then regions are left in.
 */
export async function readSchedules(store: Store): Promise<Schedule[]> {
  const all = await store.rows<Record<string, unknown> & Schedule & { counted: boolean }>(`
    WITH counted AS (
      SELECT s.rank, c.name, (max(value) - min(value))::DOUBLE AS ns
        FROM counter_samples s JOIN counters c USING (counter)
       WHERE s.thread = 0 AND c.name IN ('cpu_time', 'run_delay') GROUP BY s.rank, c.name),
    counters_of AS (
      SELECT rank, max(ns) FILTER (name = 'cpu_time') AS cpu, max(ns) FILTER (name = 'run_delay') AS delay
        FROM counted GROUP BY rank),
    noted AS (
      SELECT rank, (max(total_cpu_ns) - min(total_cpu_ns))::DOUBLE AS cpu,
             (max(run_delay_ns) - min(run_delay_ns))::DOUBLE AS delay
        FROM probes WHERE thread = 0 GROUP BY rank)
    SELECT rank, coalesce(if(c.delay IS NULL, n.cpu, c.cpu), 0) AS "cpuNs",
           coalesce(c.delay, n.delay) AS "delayNs", c.delay IS NOT NULL AS counted
      FROM counters_of c FULL JOIN noted n USING (rank)
     WHERE coalesce(c.delay, n.delay) IS NOT NULL ORDER BY rank`);
  const stretches = await slowStretches(store);
  const out: Schedule[] = [];
  for (const { rank, cpuNs, delayNs, counted } of all) {
    let left = { rank, cpuNs, delayNs };
    for (const stretch of stretches) {
      if (!counted || stretch.rank !== rank) continue;
      const inside = await countedIn(store, stretch);
      left = {
        rank,
        cpuNs: Math.max(0, left.cpuNs - inside.cpu),
        delayNs: Math.max(0, left.delayNs - inside.delay),
      };
    }
    out.push(left);
  }
  return out;
}

interface Stretch {
  rank: number;
  start: number;
  end: number;
}

/** When each rank was slow by a region of pass 5 that is shorter than half of the run; disjoint, by rank and time. */
async function slowStretches(store: Store): Promise<Stretch[]> {
  const rows = await store.rows<Record<string, unknown> & Stretch>(`
    SELECT k.rank, start_ns::DOUBLE AS start, end_ns::DOUBLE AS "end"
      FROM regions JOIN region_ranks k USING (region)
     WHERE role = 'slow' AND 2 * (end_ns - start_ns) < (SELECT max(end_ns) FROM ranks)
     ORDER BY k.rank, start_ns`);
  const out: Stretch[] = [];
  for (const { rank, start, end } of rows) {
    const last = out.at(-1);
    if (last && last.rank === rank && start <= last.end) last.end = Math.max(last.end, end);
    else out.push({ rank, start, end });
  }
  return out;
}

async function countedIn(
  store: Store,
  { rank, start, end }: Stretch,
): Promise<{ cpu: number; delay: number }> {
  const row = await store.row<{ cpu: number; delay: number }>(`
    SELECT coalesce(max(delta) FILTER (name = 'cpu_time'), 0)::DOUBLE AS cpu,
           coalesce(max(delta) FILTER (name = 'run_delay'), 0)::DOUBLE AS delay
      FROM counters_in(${rank}, 0, ${Math.round(start)}, ${Math.round(end)})`);
  return row!;
}
