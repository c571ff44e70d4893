import { describe, expect, test } from "vitest";
import { analyze, needsAnalysis } from "../../../src/analyze/analyze.ts";
import { ANALYSIS_TABLES } from "../../../src/analyze/schema.ts";
import type { Store } from "../../../src/trace/store.ts";
import { type Call, steps, storeWith } from "./hand-made.ts";

const MS = 1e6;
const TABLES = [...ANALYSIS_TABLES.matchAll(/CREATE TABLE (\w+)/g)].map((match) => match[1]!);

async function everything(store: Store): Promise<string> {
  const tables = await Promise.all(TABLES.map((name) => store.rows(`FROM ${name} ORDER BY ALL`)));
  return JSON.stringify(tables);
}

/** Steps 200 to 319 take twice as long. */
function slowness(step: number): number {
  return step >= 200 && step < 320 ? 2 : 1;
}

/** 0.5 % of jitter without a random number. */
function jitter(step: number): number {
  return 1 + 0.005 * Math.sin(step * 2.4);
}

/** One step of ten, another one in each ten. */
const long = (s: number) => (7 * Math.floor(s / 10) + 3) % 10 === s % 10;

describe("work classes", () => {
  test("sizes tell works apart, rare sizes are pooled", async () => {
    const store = await storeWith([
      steps(400, (s) =>
        s % 4 === 0
          ? { ns: 3 * MS * jitter(s), bytes: 64 }
          : { ns: MS * jitter(s), bytes: 8 + (s % 50 === 1 ? s : 0) },
      ),
    ]);
    await analyze(store);
    const classes = await store.rows<{
      bytes: number;
      before_bytes: number;
      fragments: number;
      status: string;
    }>(
      "SELECT bytes, before_bytes, fragments, status FROM work_classes WHERE kind = 'compute' AND snippet = 101 ORDER BY ALL",
    );
    // Calls of 64 bytes at the 99 steps 4, 8, ..., 396; 52, 152, 252 and 352 of them follow one of a rare size.
    expect(classes.find((one) => one.bytes === 64 && one.before_bytes === 8)).toMatchObject({
      fragments: 95,
      status: "vsensor",
    });
    expect(classes.find((one) => one.bytes === -1)).toBeDefined();
    const total = classes.reduce((sum, one) => sum + one.fragments, 0);
    expect(total).toBe(399);
    store.close();
  });

  test("two works at one place, one of ten longer, in no short period", async () => {
    const store = await storeWith(
      [0, 1].map(() => steps(600, (s) => ({ ns: (long(s) ? 4 : 1) * MS * jitter(s) }))),
    );
    await analyze(store);
    const classes = await store.rows<{
      fragments: number;
      reference_ns: number;
      from_ns: number;
      to_ns: number;
    }>(
      "SELECT fragments, reference_ns, from_ns, to_ns FROM work_classes WHERE snippet = 101 AND kind = 'compute' ORDER BY from_ns",
    );
    expect(classes.map((one) => one.fragments)).toEqual([2 * 539, 2 * 60]);
    expect(classes[0]!.reference_ns / MS).toBeCloseTo(1, 2);
    expect(classes[1]!.reference_ns / MS).toBeCloseTo(4, 2);
    expect(classes[0]!.to_ns).toBe(classes[1]!.from_ns);
    store.close();
  });

  test("too few repeats", async () => {
    const store = await storeWith([steps(6, () => ({ ns: MS }))]);
    await analyze(store);
    const statuses = await store.rows("SELECT DISTINCT status FROM work_classes");
    expect(statuses).toEqual([{ status: "too_few_repeats" }]);
    store.close();
  });
});

describe("heat map", () => {
  test("a long fragment is spread over the bins it covers; sums are kept", async () => {
    const store = await storeWith(
      [0, 1].map((rank) =>
        steps(300, (s) => ({ ns: rank === 1 && s === 150 ? 400 * MS : MS * jitter(s) })),
      ),
    );
    await analyze(store);
    const bin = Number(
      (await store.row<{ value: string }>("SELECT value FROM analysis_meta WHERE key = 'bin_ns'"))!
        .value,
    );
    const sums = await store.rows<{
      rank: number;
      observed: number;
      judged: number;
      most: number;
    }>(`
      SELECT b.rank, sum(observed_ns) AS observed, max(observed_ns) AS most,
             (SELECT sum(end_ns - start_ns)::DOUBLE FROM judged_compute j WHERE j.rank = b.rank) AS judged
        FROM bins b WHERE kind = 'compute' GROUP BY b.rank ORDER BY b.rank`);
    for (const one of sums) {
      expect(one.observed).toBe(one.judged);
      expect(one.most).toBeLessThanOrEqual(bin);
    }
    expect(sums[1]!.observed - sums[0]!.observed).toBeGreaterThan(395 * MS);
    const full = await store.row<{ n: number }>(
      `SELECT count(*) AS n FROM bins WHERE kind = 'compute' AND rank = 1 AND observed_ns = ${bin} AND reference_ns < 0.1 * observed_ns`,
    );
    expect(full!.n).toBeGreaterThanOrEqual(Math.floor((400 * MS) / bin) - 1);
    store.close();
  });
});

// State 1 communicates, 2 writes, 3 waits for a lock; 30 ms of writing become 90 ms in the middle of rank 1.
function writing(): Promise<Store> {
  return storeWith(
    [0, 1].map((rank) => {
      let now = 0;
      const calls: Call[] = [[0, -1000, 0]];
      for (let step = 0; step < 200; step++) {
        const slow = rank === 1 && step >= 80 && step < 120 ? 3 : 1;
        for (const [state, ns] of [
          [1, 10_000],
          [2, slow * 3 * MS * jitter(step + rank)],
          [3, 2 * MS],
        ] as const) {
          const start = now + Math.round(MS * jitter(step + state));
          now = start + Math.round(ns);
          calls.push([state, start, now, 4096]);
        }
      }
      return calls;
    }),
    0,
    { 2: "io_write", 3: "lock" },
  );
}

describe("kinds of calls", () => {
  test("slow writing is a region of kind io on the rank that wrote slowly", async () => {
    const store = await writing();
    await analyze(store);
    const regions = await store.rows<{ kind: string; rank: number; lost_ns: number }>(
      "SELECT kind, rank, k.lost_ns FROM regions JOIN region_ranks k USING (region)",
    );
    expect(regions).toHaveLength(1);
    expect(regions[0]).toMatchObject({ kind: "io", rank: 1 });
    expect(regions[0]!.lost_ns / (40 * 6 * MS)).toBeCloseTo(1, 1);
    store.close();
  });

  test("the ledger keeps kinds apart, and waits of threads are waiting", async () => {
    const store = await writing();
    await analyze(store);
    const times = await store.rows<{ rank: number; kind: string; part: string; ns: number }>(
      "SELECT rank, kind, part, ns FROM ledger WHERE ns > 0 ORDER BY rank, kind, part",
    );
    const of = (rank: number, kind: string, part?: string) =>
      times
        .filter((row) => row.rank === rank && row.kind === kind && (!part || row.part === part))
        .reduce((sum, row) => sum + row.ns, 0);
    expect(of(0, "io") / (200 * 3 * MS)).toBeCloseTo(1, 1);
    expect(of(1, "io") / ((160 + 3 * 40) * 3 * MS)).toBeCloseTo(1, 1);
    expect(of(0, "communication", "waiting")).toBe(200 * 2 * MS);
    const total = await store.row<{ off: number }>(
      `SELECT max(abs(ns - end_ns + init_ns)) AS off
         FROM (SELECT rank, sum(ns) AS ns FROM ledger GROUP BY rank) JOIN ranks USING (rank)`,
    );
    expect(total!.off).toBeLessThan(10);
    store.close();
  });
});

describe("analyze", () => {
  test("can be run again and gives the same tables bit for bit", async () => {
    const store = await storeWith(
      [0, 1].map((rank) =>
        steps(500, (s) => ({
          ns: (rank === 1 && s > 200 && s < 300 ? 2 : 1) * MS * jitter(s + 7 * rank),
        })),
      ),
      50_000,
    );
    expect(await needsAnalysis(store)).toBe(true);
    await analyze(store);
    expect(await needsAnalysis(store)).toBe(false);
    const first = await everything(store);
    await analyze(store);
    expect(await everything(store)).toBe(first);
    await store.execute("DELETE FROM analysis_meta WHERE key = 'analysis_version'");
    expect(await needsAnalysis(store)).toBe(true);
    store.close();
  });

  test("gives the same for numbered works, for irregular calls and for some of each", async () => {
    const results: string[] = [];
    for (const irregular of ["false", "true", "(rank + start_ns // 100000000) % 2 = 0"]) {
      const store = await storeWith(
        [0, 1, 2].map((rank) =>
          steps(600, (s) => ({
            ns: (rank === 1 ? slowness(s) : 1) * MS * jitter(s + 7 * rank),
            bytes: s % 10 === 0 ? s : 8,
            callNs: 10_000 + (rank === 0 ? (slowness(s) - 1) * MS : 0),
          })),
        ),
      );
      await store.execute(`
        CREATE TEMP TABLE chosen AS FROM calls WHERE ${irregular};
        DELETE FROM executions WHERE (SELECT ${irregular} FROM works WHERE works.work = executions.work);
        INSERT INTO irregular_calls FROM chosen ORDER BY rank, start_ns;`);
      expect(await store.row("SELECT count(*) AS n FROM calls")).toEqual({ n: 3 * 601 });
      await analyze(store);
      results.push(await everything(store));
      store.close();
    }
    expect(results[0]).toContain("waiting");
    expect(results[1]).toBe(results[0]);
    expect(results[2]).toBe(results[0]);
  });

  test("finds the slow rank with borders at fragments, and who waited", async () => {
    // Rank 0 waits in its call for rank 1.
    const store = await storeWith([
      steps(600, (s) => ({
        ns: MS * jitter(s),
        callNs: 10_000 + (slowness(s) - 1) * MS * jitter(s),
      })),
      steps(600, (s) => ({ ns: slowness(s) * MS * jitter(s) })),
    ]);
    await analyze(store);
    const regions = await store.rows<{ start_ns: number; end_ns: number; kind: string }>(
      "SELECT kind, start_ns, end_ns FROM regions",
    );
    expect(regions).toHaveLength(1);
    const calls = await store.rows<{ start_ns: number; before_ns: number }>(
      "SELECT start_ns, before_ns FROM calls WHERE rank = 1 ORDER BY start_ns",
    );
    expect(regions[0]!.start_ns).toBe(calls[201]!.start_ns - calls[201]!.before_ns);
    expect(regions[0]!.end_ns).toBe(calls[320]!.start_ns);
    const roles = await store.rows<{ rank: number; role: string; lost_ns: number }>(
      "SELECT rank, role, lost_ns FROM region_ranks ORDER BY rank",
    );
    expect(roles.map(({ rank, role }) => [rank, role])).toEqual([
      [0, "waiting"],
      [1, "slow"],
    ]);
    expect(Math.abs(roles[1]!.lost_ns / (120 * MS) - 1)).toBeLessThan(0.02);
    store.close();
  });

  test("the ledger adds up to each rank's time", async () => {
    const store = await storeWith(
      [0, 1, 2].map((rank) =>
        steps(300 + 50 * rank, (s) => ({ ns: MS * jitter(s) * (1 + (s % 7)), state: 1 + (s % 3) })),
      ),
      2e6,
    );
    await analyze(store);
    const rows = await store.rows<{ rank: number; ns: number; total: number; least: number }>(`
      SELECT l.rank, sum(ns) AS ns, min(ns) AS least, any_value(end_ns - init_ns) AS total
        FROM ledger l JOIN ranks USING (rank) GROUP BY l.rank`);
    expect(rows).toHaveLength(3);
    for (const { ns, total, least } of rows) {
      expect(Math.abs(ns - total)).toBeLessThan(1e-9 * total);
      expect(least).toBeGreaterThanOrEqual(0);
    }
    store.close();
  });

  test("a store without calls is analysed to nothing", async () => {
    const store = await storeWith([]);
    await analyze(store);
    expect(await store.row("SELECT count(*) AS n FROM regions")).toEqual({ n: 0 });
    expect(await store.row("SELECT count(*) AS n FROM work_classes")).toEqual({ n: 0 });
    store.close();
  });
});
