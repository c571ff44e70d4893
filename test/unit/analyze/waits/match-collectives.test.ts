import { afterEach, describe, expect, test } from "vitest";
import { matchCollectives } from "../../../../src/analyze/waits/match-collectives.ts";
import type { Store } from "../../../../src/trace/store.ts";
import { type Call, collectivesOf, countsIn, stateOf, waitsIn } from "./collective-store.ts";

let store: Store | undefined;
afterEach(() => {
  store?.close();
  store = undefined;
});

/** Every 100 ns a barrier and 50 ns later a reduction of all to all; rank 1 comes 20 ns late to the barrier, 10 to the reduction. */
function steps(rank: number, count: number): Call[] {
  return Array.from({ length: count }, (_, i) => 100 * (i + 1)).flatMap((at): Call[] => [
    { rank, call: "MPI_Barrier", start: at + (rank === 1 ? 20 : 0), end: at + 21 },
    { rank, call: "MPI_Allreduce", start: at + 50 + (rank === 1 ? 10 : 0), end: at + 61 },
  ]);
}

const waits = async () =>
  (await waitsIn(store!)).map(({ rank, call, calls, ns }) => [rank, call, calls, ns]);

const lost = (rank: number) => `UPDATE ranks SET lost = 1 WHERE rank = ${rank};`;

describe("what cannot be counted is not matched", () => {
  test("after calls were left out: of these functions, until counting can begin again; others go on", async () => {
    // Rank 1 leaves out the barriers of steps 5 to 7. Those of rank 0 there have no partners.
    const calls = [...steps(0, 10), ...steps(1, 10)].filter(
      ({ rank, call, start }) =>
        !(rank === 1 && call === "MPI_Barrier" && start > 500 && start < 800),
    );
    const rows = `
      INSERT INTO gaps VALUES (1, 0, 461, 560, 1), (1, 0, 561, 660, 1), (1, 0, 661, 760, 1);
      INSERT INTO sampled_out VALUES (1, 0, ${stateOf("MPI_Barrier")}, 3, 3, 3);`;
    store = await collectivesOf({ ranks: 2, calls, rows });
    expect(await waits()).toEqual([
      [0, "MPI_Barrier", 7, 140],
      [0, "MPI_Allreduce", 10, 100],
    ]);
    expect(await countsIn(store)).toEqual([
      { communicator: 0, members: 2, calls: 37, executions: 20, complete: 17, unmatched: 3 },
    ]);
  });

  test("for good where not everybody waits for everybody", async () => {
    const calls = [0, 1].flatMap((rank) => steps(rank, 10));
    for (const one of calls) Object.assign(one, { call: "MPI_Bcast", peer: 0 });
    const rows = `
      INSERT INTO gaps VALUES (1, 0, 461, 520, 0);
      INSERT INTO sampled_out VALUES (1, 0, ${stateOf("MPI_Bcast")}, 2, 2, 2);`;
    store = await collectivesOf({ ranks: 2, calls, rows });
    expect((await countsIn(store))[0]).toMatchObject({ complete: 8, unmatched: 24 });
  });

  test("where clocks disagree by more than the time between calls", async () => {
    // The clock of rank 1 is 140 ns ahead: behind the gap its step 6 would go with step 7 of rank 0.
    const calls = [...steps(0, 20), ...steps(1, 20)].filter(({ call }) => call === "MPI_Barrier");
    for (const one of calls.filter(({ rank, start }) => rank === 1 && start > 500)) {
      one.start += 140;
      one.end += 140;
    }
    const rows = `
      INSERT INTO gaps VALUES (1, 0, 421, 660, 2);
      INSERT INTO sampled_out VALUES (1, 0, ${stateOf("MPI_Barrier")}, 2, 2, 2);`;
    store = await collectivesOf({ ranks: 2, calls, rows });
    expect((await countsIn(store))[0]).toMatchObject({ complete: 4, unmatched: 32 });
  });

  test("gaps of a thread that left out no collectives do not matter", async () => {
    const rows = `
      INSERT INTO gaps VALUES (1, 0, 461, 520, 5);
      INSERT INTO sampled_out VALUES (1, 0, ${stateOf("MPI_Send")}, 5, 5, 5);`;
    store = await collectivesOf({ ranks: 2, calls: [...steps(0, 10), ...steps(1, 10)], rows });
    expect((await countsIn(store))[0]).toMatchObject({ complete: 20, unmatched: 0 });
  });

  test("behind any gap where there are too many calls", async () => {
    const calls = [0, 1].flatMap((rank) => steps(rank, 10));
    const rows = `
      INSERT INTO gaps VALUES (1, 0, 461, 520, 1);
      INSERT INTO sampled_out VALUES (1, 0, ${stateOf("MPI_Barrier")}, 1, 1, 1);`;
    store = await collectivesOf({ ranks: 2, calls, rows });
    // Rank 0 is in the barrier of step 5 when the gap ends.
    expect((await countsIn(store))[0]).toMatchObject({ complete: 19, unmatched: 2 });
    await store.execute("DELETE FROM collective_counts");
    await matchCollectives(store, 39);
    expect((await countsIn(store))[0]).toMatchObject({ complete: 14, unmatched: 12 });
  });

  test("left out calls whose state is damaged may have been any", async () => {
    // Rank 0 is in the barrier of step 5 when the gap ends, so for barriers counting begins again behind that.
    const rows = `
      INSERT INTO gaps VALUES (1, 0, 461, 520, 5);
      INSERT INTO sampled_out VALUES (1, 0, -1, 5, 5, 5);`;
    store = await collectivesOf({ ranks: 2, calls: [...steps(0, 10), ...steps(1, 10)], rows });
    expect((await countsIn(store))[0]).toMatchObject({ complete: 19, unmatched: 2 });
  });

  test("after damage", async () => {
    const damaged = steps(1, 10).filter(({ start }) => start < 300 || start > 500);
    damaged.find(({ start }) => start === 520)!.cut = true;
    store = await collectivesOf({ ranks: 2, calls: [...steps(0, 10), ...damaged], rows: lost(1) });
    // Two steps lie before it.
    expect(await waits()).toEqual([
      [0, "MPI_Barrier", 2, 40],
      [0, "MPI_Allreduce", 2, 20],
    ]);
    expect((await countsIn(store))[0]).toMatchObject({ calls: 36, complete: 4, unmatched: 28 });
  });

  test("where the beginning is missing", async () => {
    const rows = `${lost(1)} DELETE FROM irregular_calls WHERE rank = 1 AND start_ns < 150;
      UPDATE irregular_calls SET edge = -1 WHERE rank = 1 AND start_ns = 160;`;
    store = await collectivesOf({ ranks: 2, calls: [...steps(0, 4), ...steps(1, 4)], rows });
    expect(await waits()).toEqual([]);
    expect((await countsIn(store))[0]).toMatchObject({ calls: 15, complete: 0, unmatched: 15 });
  });

  test("a call lost at the very end harms nothing before", async () => {
    store = await collectivesOf({
      ranks: 2,
      calls: [...steps(0, 3), ...steps(1, 3)],
      rows: lost(1),
    });
    expect((await countsIn(store))[0]).toMatchObject({ complete: 6, unmatched: 0 });
  });
});

test("a member that was killed: what it had no part in is counted", async () => {
  store = await collectivesOf({ ranks: 2, calls: [...steps(0, 5), ...steps(1, 3)] });
  expect(await countsIn(store)).toEqual([
    { communicator: 0, members: 2, calls: 16, executions: 10, complete: 6, unmatched: 4 },
  ]);
  expect(await waits()).toEqual([
    [0, "MPI_Barrier", 3, 60],
    [0, "MPI_Allreduce", 3, 30],
  ]);
});

test("without a member's trace, and on intercommunicators, nothing is matched", async () => {
  store = await collectivesOf({
    ranks: 3,
    communicators: [{ communicator: 1, members: [0], remoteSize: 2 }],
    calls: [
      ...steps(0, 2),
      ...steps(1, 2),
      { rank: 0, call: "MPI_Barrier", start: 700, end: 710, communicator: 1 },
    ],
  });
  expect(await countsIn(store)).toEqual([
    { communicator: 0, members: 3, calls: 8, executions: 4, complete: 0, unmatched: 8 },
    { communicator: 1, members: 3, calls: 1, executions: 0, complete: 0, unmatched: 1 },
  ]);
  expect(await waits()).toEqual([]);
});

test("a rank alone waits for nobody and is not counted", async () => {
  store = await collectivesOf({
    ranks: 2,
    communicators: [{ communicator: 1, members: [1] }],
    calls: [{ rank: 1, call: "MPI_Barrier", start: 10, end: 20, communicator: 1 }],
  });
  expect(await countsIn(store)).toEqual([]);
});
