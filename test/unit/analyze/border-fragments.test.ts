import { expect, test } from "vitest";
import { withBorderFragments } from "../../../src/analyze/border-fragments.ts";
import { Store } from "../../../src/trace/store.ts";

test("fragments that a region touches count whole, and the next one on each side", async () => {
  const store = await Store.open(":memory:", { threads: 1 });
  await store.execute(`
    CREATE TABLE judged_compute(rank INTEGER, start_ns BIGINT, end_ns BIGINT, reference_ns DOUBLE);
    INSERT INTO judged_compute VALUES
      (0, 0, 10, 9), (0, 10, 25, 10), (0, 30, 50, 11), (0, 50, 70, 12), (0, 75, 88, 13), (0, 90, 100, 14),
      (1, 15, 35, 7), (1, 65, 80, 8), (1, 80, 90, 9), (1, 90, 99, 9),
      (2, 30, 70, 5);`);
  const found = await withBorderFragments(store, "compute", [0, 1], 30, 70, 100);
  store.close();
  // Rank 0: 10-25 before and 75-88 behind. Rank 1: 15-35 and 65-80 straddle borders, 80-90 is next; nothing before.
  expect([...found.values()]).toEqual([
    { rank: 0, observed: 15 + 20 + 20 + 13, reference: 10 + 11 + 12 + 13 },
    { rank: 1, observed: 20 + 15 + 10, reference: 7 + 8 + 9 },
  ]);
});

test("a fragment that is far from the border is not next to it", async () => {
  const store = await Store.open(":memory:", { threads: 1 });
  await store.execute(`
    CREATE TABLE judged_io(rank INTEGER, start_ns BIGINT, end_ns BIGINT, reference_ns DOUBLE);
    INSERT INTO judged_io VALUES (0, 0, 10, 9), (0, 30, 50, 11), (0, 75, 88, 13);`);
  const found = await withBorderFragments(store, "io", [0], 30, 50, 15);
  store.close();
  expect([...found.values()]).toEqual([{ rank: 0, observed: 20, reference: 11 }]);
});
