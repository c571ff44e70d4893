import { expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import { readSchedules } from "../../src/analyze/schedules.ts";
import type { Store } from "../../src/trace/store.ts";
import { storeOf } from "./fill-store.ts";
import type { Disturbance } from "./machine.ts";
import { nominalNs, stencil } from "./programs.ts";
import { simulate } from "./simulate.ts";

const PROGRAM = stencil();
const RUN_NS = nominalNs(PROGRAM);
const STEP_NS = 10e6;
/** Waits for its core all the time, this much per ns, whatever disturbs it besides. */
const ALWAYS = 0.01;

/** Rank 1 gets half of its core for a share of the run, as the kernel's counters have it, too. */
async function disturbed(share: number): Promise<{ store: Store; hit: Disturbance }> {
  const startNs = 0.1 * RUN_NS;
  const hit: Disturbance = {
    rank: 1,
    kind: "slow",
    factor: 2,
    startNs,
    endNs: startNs + share * RUN_NS,
  };
  const store = await storeOf(simulate({ seed: 1, program: PROGRAM, disturbances: [hit] }));
  await store.execute(`
    INSERT INTO counters VALUES (0, 'cpu_time', 'ns', 'scheduler', 'thread', 'read'),
                                (1, 'run_delay', 'ns', 'scheduler', 'thread', 'read');
    INSERT INTO counter_samples
      SELECT 1, 0, moment, counter, if(counter = 0, moment - waited, waited)::BIGINT
        FROM (SELECT i * ${STEP_NS} AS moment, ${ALWAYS} * moment
                     + ${0.5 - ALWAYS} * greatest(0, least(moment, ${hit.endNs}) - ${hit.startNs}) AS waited
                FROM range((SELECT max(end_ns) FROM ranks) // ${STEP_NS} + 1) t(i)),
             (VALUES (0), (1)) c(counter) ORDER BY counter, moment;`);
  await analyze(store);
  return { store, hit };
}

test("a rank that waited for its core in a region has not waited throughout", async () => {
  const { store } = await disturbed(0.3);
  try {
    expect(await store.row("SELECT count(*)::INTEGER AS n FROM regions")).toEqual({ n: 1 });
    const one = (await readSchedules(store)).find(({ rank }) => rank === 1)!;
    expect(one.delayNs / (one.cpuNs + one.delayNs)).toBeCloseTo(ALWAYS, 2);
    expect(await store.rows("SELECT rank FROM rank_speeds WHERE verdict = 'slow'")).toEqual([]);
  } finally {
    store.close();
  }
});

test("without a region all of its waiting counts", async () => {
  const { store, hit } = await disturbed(0.3);
  try {
    await store.execute("DELETE FROM regions");
    const one = (await readSchedules(store)).find(({ rank }) => rank === 1)!;
    const end = one.cpuNs + one.delayNs;
    const waited = ALWAYS * end + (0.5 - ALWAYS) * (hit.endNs - hit.startNs);
    expect(one.delayNs / waited).toBeCloseTo(1, 2);
  } finally {
    store.close();
  }
});
