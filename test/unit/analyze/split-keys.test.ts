import { describe, expect, test } from "vitest";
import { analyze } from "../../../src/analyze/analyze.ts";
import { anchorOf } from "../../../src/analyze/context-fragments.ts";
import { randomFrom } from "../../../src/analyze/statistics.ts";
import type { Store } from "../../../src/trace/store.ts";
import { type Call, storeWith } from "./hand-made.ts";

const MS = 1e6;

describe("anchorOf", () => {
  test("the edge with the longest regular distance starts a period", () => {
    const period = [5, 5, 5, 7, 5, 5, 9];
    expect(anchorOf(Array.from({ length: 700 }, (_, i) => period[i % 7]!))).toBe(7);
    // 5 alone comes at no regular distance.
    expect(anchorOf(Array.from({ length: 700 }, (_, i) => [5, 5, 5, 7][i % 4]!))).toBe(7);
  });

  test("none where nothing is regular, or all is the same", () => {
    const random = randomFrom(1);
    expect(anchorOf(Array.from({ length: 5000 }, () => Math.floor(4 * random())))).toBe(-1);
    expect(anchorOf(Array.from({ length: 500 }, () => 3))).toBe(-1);
    expect(anchorOf([])).toBe(-1);
  });
});

/** Per rank: periods of four computations before call 1, the third 8 % longer, then one before call 2. */
function periods(count: number, seed: number): Call[] {
  const random = randomFrom(seed);
  const calls: Call[] = [[0, -1000, 0]];
  let now = 0;
  for (let period = 0; period < count; period++) {
    for (const [turn, state] of [1, 1, 1, 1, 2].entries()) {
      const start = now + Math.round((turn === 2 ? 1.08 : 1) * MS * (0.98 + 0.04 * random()));
      now = start + 10_000;
      calls.push([state, start, now, 8]);
    }
  }
  return calls;
}

/** From numbered works to where programs have their calls that repeat seldom. */
async function makeIrregular(store: Store): Promise<void> {
  await store.execute(`
    CREATE TEMP TABLE chosen AS FROM calls;
    DELETE FROM executions;
    INSERT INTO irregular_calls FROM chosen ORDER BY rank, start_ns;`);
}

describe("works at one place told apart by their position", () => {
  test.each([false, true])("each fragment in its class; irregular calls: %s", async (irregular) => {
    const store = await storeWith([periods(100, 1), periods(100, 2)]);
    if (irregular) await makeIrregular(store);
    await analyze(store);
    const classes = await store.rows<{ basis: string; context: number; fragments: number }>(
      "SELECT basis, context, fragments FROM work_classes WHERE kind = 'compute' AND snippet = 101 ORDER BY fragments",
    );
    // Three of four computations before call 1 follow another call 1; one of them is longer. The position of
    // those before the first call 2 of a rank is not known.
    expect(classes).toEqual([
      { basis: "position", context: 1, fragments: 198 },
      { basis: "position", context: 0, fragments: 396 },
    ]);
    const mixed = await store.row<{ n: number; wrong: number }>(
      `SELECT count(*) AS n, count(*) FILTER ((end_ns - start_ns > ${1.04 * MS}) <> (w.context = 1)) AS wrong
         FROM judged_compute JOIN work_classes w USING (class) WHERE w.snippet = 101`,
    );
    expect(mixed).toEqual({ n: 594, wrong: 0 });
    const ledger = await store.row<{ ns: number; wrong: number }>(
      `SELECT sum(ns) FILTER (part = 'too_few_repeats') AS ns,
              sum(ns) - (SELECT sum(before_ns) FROM calls WHERE edge >= 0) AS wrong
         FROM ledger WHERE kind = 'compute'`,
    );
    expect(ledger!.wrong).toBeCloseTo(0, 3);
    // Three of each rank, one of them longer, and the first of each, which follows its MPI_Init.
    expect(ledger!.ns).toBeGreaterThan(7.96 * MS);
    expect(ledger!.ns).toBeLessThan(8.36 * MS);
    // Each in told_apart once, and the rank's references are 8 % apart.
    expect(
      await store.row(
        "SELECT count(*) AS n, count(DISTINCT (rank, start_ns)) AS different FROM told_apart",
      ),
    ).toEqual({ n: 594, different: 594 });
    const ratio = await store.row<{ ratio: number }>(
      "SELECT max(reference_ns) / min(reference_ns) AS ratio FROM work_classes WHERE kind = 'compute' AND snippet = 101",
    );
    expect(Math.abs(ratio!.ratio / 1.08 - 1)).toBeLessThan(0.005);
    store.close();
  });
});

const even = (factor: number, seed: number, count = 300): Call[] => {
  const random = randomFrom(seed);
  const calls: Call[] = [[0, -1000, 0]];
  let now = 0;
  for (let step = 0; step < count; step++) {
    const start = now + Math.round(factor * MS * (0.98 + 0.04 * random()));
    now = start + 10_000;
    calls.push([1, start, now, 8]);
  }
  return calls;
};
const verdicts = async (ranks: Call[][]) => {
  const store = await storeWith(ranks);
  await analyze(store);
  const rows = await store.rows<{ verdict: string; confidence: number; status: string }>(
    "SELECT DISTINCT status, verdict, confidence FROM work_classes WHERE kind = 'compute' AND snippet = 101",
  );
  store.close();
  return rows;
};

describe("what is said of a class", () => {
  test("ranks equally fast did the same work", async () => {
    const [row, ...others] = await verdicts([1, 2, 3].map((seed) => even(1, seed)));
    expect(others).toEqual([]);
    expect(row).toMatchObject({ status: "vsensor", verdict: "same_work" });
    expect(row!.confidence).toBeGreaterThan(0.8);
    expect(row!.confidence).toBeLessThanOrEqual(1);
  });

  test("a rank that takes half as long again has more work or is slower: undecided", async () => {
    const [row] = await verdicts([even(1, 1), even(1, 2), even(1.5, 3)]);
    expect(row).toMatchObject({ status: "vsensor", verdict: "undecided" });
    const [same] = await verdicts([even(1, 1), even(1, 2), even(1, 3)]);
    expect(row!.confidence).toBeLessThan(same!.confidence);
  });

  test("too few repeats say nothing", async () => {
    const [row] = await verdicts([even(1, 1, 5)]);
    expect(row).toEqual({ status: "too_few_repeats", verdict: "unknown", confidence: 0 });
  });
});

/** Appends a computation of `ns` and the call that ends it. */
const after = (calls: Call[], state: number, ns: number): void => {
  const end = calls.at(-1)![2];
  calls.push([state, end + ns, end + ns + 1000, 8]);
};

describe("unusual paths", () => {
  test("long and rare is listed, short and rare is not, common is not", async () => {
    const ranks = [1, 2].map((seed) => periods(100, seed));
    // Rank 1 goes another way twice: 60 and 90 ms of work before call 3. Rank 0 once, for 10 us only, before call 4.
    after(ranks[1]!, 3, 60 * MS);
    after(ranks[1]!, 1, 1 * MS);
    after(ranks[1]!, 1, 1 * MS);
    after(ranks[1]!, 2, 1 * MS);
    const start = ranks[1]!.at(-1)![2];
    after(ranks[1]!, 3, 90 * MS);
    after(ranks[0]!, 4, 10_000);
    const store = await storeWith(ranks);
    await analyze(store);
    const rows = await store.rows(
      "SELECT kind, snippet, fragments, ranks, total_ns, longest_ns, longest_rank, longest_start_ns FROM unusual_paths",
    );
    expect(rows).toEqual([
      {
        kind: "compute",
        snippet: 203,
        fragments: 2,
        ranks: 1,
        total_ns: 150 * MS,
        longest_ns: 90 * MS,
        longest_rank: 1,
        longest_start_ns: start,
      },
    ]);
    store.close();
  });
});
