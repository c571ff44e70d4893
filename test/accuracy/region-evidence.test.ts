import { describe, expect, test } from "vitest";
import { analyze } from "../../src/analyze/analyze.ts";
import type { Store } from "../../src/trace/store.ts";
import { storeOf } from "./fill-store.ts";
import type { Disturbance } from "./machine.ts";
import { nominalNs, stencil } from "./programs.ts";
import { simulate } from "./simulate.ts";

const PROGRAM = stencil({ ranks: 4 });
const RUN = nominalNs(PROGRAM);
const HIT: Disturbance = {
  rank: 1,
  kind: "slow",
  factor: 1.6,
  startNs: 0.3 * RUN,
  endNs: 0.7 * RUN,
};
/** Usual times of probes, ns. */
const USUAL = { compute: 16_000, cache: 27_000, memory: 15_000 };

interface Row {
  source: string;
  kind: string;
  against: string;
  ratio: number | null;
  share: number | null;
  inside: number | null;
  verdict: string;
  inside_count: number | null;
}

/** Fills in probes, `every` so often on each rank; `slower` times as long on rank 1 while it is disturbed, a fifth with a tail. */
async function probe(store: Store, everyNs: number, slower: number): Promise<void> {
  for (const [kind, ns] of Object.entries(USUAL))
    await store.execute(`
      INSERT INTO probes
      SELECT rank, 0, '${kind}', at_ns, ${ns} * (1 + 0.003 * ((i * 7 + rank) % 11)) * if((i + rank) % 5 = 0, 1 + 0.3 * (i % 4), 1)
             * if(rank = 1 AND at_ns BETWEEN ${HIT.startNs} AND ${HIT.endNs}, ${slower}, 1), 16000, at_ns, NULL, rank
        FROM (SELECT rank, i, (i * ${everyNs} + 7e6 * rank)::BIGINT AS at_ns FROM range(4) a(rank), range(1000) b(i)
               WHERE i * ${everyNs} < 1.2 * ${RUN}) ORDER BY rank, at_ns`);
}

async function evidenceOf(
  fill: (store: Store) => Promise<void>,
  hit: Disturbance = HIT,
): Promise<{ regions: number[][]; rows: Row[]; macro: { name: string; delta: number }[] }> {
  const store = await storeOf(simulate({ seed: 3, program: PROGRAM, disturbances: [hit] }));
  try {
    await fill(store);
    await analyze(store);
    const regions = await store.rows<{ ranks: number[] }>(
      "SELECT list(rank ORDER BY rank) AS ranks FROM region_ranks WHERE role = 'slow' GROUP BY region ORDER BY region",
    );
    const first = await store.row<{ s: number; e: number }>(
      "SELECT start_ns AS s, end_ns AS e FROM regions WHERE region = 1",
    );
    return {
      regions: regions.map(({ ranks }) => ranks),
      rows: await store.rows<Record<string, unknown> & Row>(
        "SELECT * FROM region_evidence WHERE region = 1 ORDER BY source DESC, kind",
      ),
      macro: await store.rows(`SELECT name, delta::DOUBLE AS delta
        FROM counters_in(1, 0, ${first!.s}, ${first!.e}) ORDER BY name`),
    };
  } finally {
    store.close();
  }
}

describe("a region is held against the probes of its ranks", () => {
  test("that took longer meanwhile", async () => {
    const { regions, rows } = await evidenceOf((store) => probe(store, 60e6, 1.5));
    expect(regions).toEqual([[1]]);
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(row).toMatchObject({ source: "probes", against: "self", verdict: "slower" });
      expect(row.ratio).toBeGreaterThan(1.4);
      expect(row.ratio).toBeLessThan(1.6);
    }
  });

  test("that took as long as ever", async () => {
    const { regions, rows } = await evidenceOf((store) => probe(store, 30e6, 1));
    expect(regions).toEqual([[1]]);
    expect(rows.map(({ verdict }) => verdict)).toEqual(["not_slower", "not_slower", "not_slower"]);
  });

  test("that were too few to tell", async () => {
    const { rows } = await evidenceOf((store) => probe(store, 600e6, 1.5));
    expect(rows.map(({ verdict }) => verdict)).toEqual(["unknown", "unknown", "unknown"]);
    expect(rows[0]!.inside_count).toBeLessThan(4);
  });

  test("and nothing is said without any", async () => {
    const { regions, rows } = await evidenceOf(async () => {});
    expect(regions).toEqual([[1]]);
    expect(rows).toEqual([]);
  });
});

test("a core that is slower throughout does not confirm a region for a while", async () => {
  const { regions, rows } = await evidenceOf(async (store) => {
    await probe(store, 400e6, 1);
    await store.execute("UPDATE probes SET duration_ns = 1.6 * duration_ns WHERE rank = 1");
  });
  expect(regions).toEqual([[1]]);
  expect(rows.map(({ against, verdict }) => [against, verdict])).toEqual(
    Array.from({ length: 3 }, () => ["self", "unknown"]),
  );
});

test("a region over nearly the whole run is held against probes of the other ranks", async () => {
  const long = { ...HIT, startNs: 0, endNs: 3 * RUN };
  const { regions, rows } = await evidenceOf(async (store) => {
    await probe(store, 60e6, 1);
    await store.execute("UPDATE probes SET duration_ns = 1.6 * duration_ns WHERE rank = 1");
  }, long);
  expect(regions).toEqual([[1]]);
  expect(rows.map(({ against, verdict }) => [against, verdict])).toEqual(
    Array.from({ length: 3 }, () => ["others", "slower"]),
  );
});

test("what the kernel's counters make up of the loss is that of the macro for one rank", async () => {
  const { rows, macro } = await evidenceOf(async (store) => {
    // Between 0.3 and 0.7 of the time, rank 1 waits for its core for 0.3 of it: 0.3 / 0.375 of the loss. Odd steps of reading.
    await store.execute(`
      INSERT INTO counters VALUES (0, 'run_delay', 'ns', 'scheduler', 'thread', 'read'),
        (1, 'involuntary_switches', '', 'rusage', 'thread', 'read'), (2, 'steal_time', 'ns', 'stat', 'core', 'read');
      INSERT INTO counter_samples SELECT 1, 0, i * 37000000, c, (CASE c WHEN 0 THEN 0.3 WHEN 1 THEN 1e-6 ELSE 0.01 END *
             greatest(0, least(i * 37e6, ${HIT.endNs} + 0.24 * ${RUN}) - ${HIT.startNs}))::BIGINT
        FROM range(120) t(i), range(3) u(c) ORDER BY ALL;`);
  });
  const of = (kind: string) => rows.find((row) => row.kind === kind)!;
  expect(of("run_delay").verdict).toBe("explains");
  expect(of("run_delay").share).toBeCloseTo(0.3 / 0.375, 1);
  expect(of("steal_time").verdict).toBe("does_not_explain");
  expect(of("involuntary_switches")).toMatchObject({ verdict: "counted", share: null });
  expect(macro).toHaveLength(3);
  for (const { name, delta } of macro) {
    // Parts of an interval are rounded to whole ns here and not there.
    expect(Math.abs(of(name).inside! - delta)).toBeLessThan(2);
  }
});
