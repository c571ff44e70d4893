import { afterEach, describe, expect, test } from "vitest";
import type { Store } from "../../../../src/trace/store.ts";
import {
  type Call,
  type CallName,
  collectivesOf,
  countsIn,
  type Job,
  stateOf,
  type Wait,
  waitsIn,
} from "./collective-store.ts";

let store: Store | undefined;
afterEach(() => {
  store?.close();
  store = undefined;
});

async function waits(job: Job): Promise<Wait[]> {
  store = await collectivesOf(job);
  return waitsIn(store);
}

/** One call of each rank: [entry, exit]. */
function together(call: CallName, times: readonly [number, number][], more: Partial<Call> = {}) {
  return times.map(([start, end], rank): Call => ({ rank, call, start, end, ...more }));
}

const TIMES: [number, number][] = [
  [100, 430],
  [400, 440],
  [150, 450],
];

describe("who waits", () => {
  test("at a barrier: all for the last", async () => {
    expect(await waits({ ranks: 3, calls: together("MPI_Barrier", TIMES, { bytes: 0 }) })).toEqual([
      {
        kind: "wait at barrier",
        rank: 0,
        call: "MPI_Barrier",
        cause: 1,
        late: "MPI_Barrier",
        calls: 1,
        ns: 300,
      },
      {
        kind: "wait at barrier",
        rank: 2,
        call: "MPI_Barrier",
        cause: 1,
        late: "MPI_Barrier",
        calls: 1,
        ns: 250,
      },
    ]);
  });

  test("in an all-to-all operation: all for the last", async () => {
    const found = await waits({ ranks: 3, calls: together("MPI_Allreduce", TIMES) });
    expect(found.map(({ kind, rank, cause, ns }) => [kind, rank, cause, ns])).toEqual([
      ["wait at n-to-n", 0, 1, 300],
      ["wait at n-to-n", 2, 1, 250],
    ]);
  });

  test("for a late root: those that came before it, and not for others", async () => {
    const late = await waits({ ranks: 3, calls: together("MPI_Bcast", TIMES, { peer: 2 }) });
    // Rank 1 came after the root and waits for nobody.
    expect(late.map(({ kind, rank, cause, ns }) => [kind, rank, cause, ns])).toEqual([
      ["late root", 0, 2, 50],
    ]);
  });

  test("for the last sender: the root alone", async () => {
    for (const call of ["MPI_Reduce", "MPI_Gather"] as const) {
      const found = await waits({ ranks: 3, calls: together(call, TIMES, { peer: 2 }) });
      expect(found.map(({ kind, rank, cause, ns }) => [kind, rank, cause, ns])).toEqual([
        ["wait at n-to-1", 2, 1, 250],
      ]);
      store!.close();
    }
    store = undefined;
  });

  test("in a prefix operation: for those before in the communicator's order", async () => {
    const times: [number, number][] = [
      [300, 310],
      [500, 510],
      [100, 520],
      [200, 210],
    ];
    // In the communicator's order: rank 3 (200), 0 (300), 2 (100), 1 (500). So only rank 2 waits, for rank 0.
    const found = await waits({
      ranks: 4,
      communicators: [{ communicator: 1, members: [3, 0, 2, 1] }],
      calls: together("MPI_Scan", times, { communicator: 1 }),
    });
    expect(found.map(({ kind, rank, cause, ns }) => [kind, rank, cause, ns])).toEqual([
      ["wait at prefix", 2, 0, 200],
    ]);
  });

  test("of equally late ones the lowest rank is named", async () => {
    const times: [number, number][] = [
      [100, 350],
      [300, 350],
      [300, 350],
    ];
    const found = await waits({ ranks: 3, calls: together("MPI_Barrier", times) });
    expect(found.map(({ rank, cause, ns }) => [rank, cause, ns])).toEqual([[0, 1, 200]]);
  });
});

describe("a call that ended before the last had come", () => {
  const early: [number, number][] = [
    [100, 130],
    [400, 440],
  ];

  test("waited to its end where it must wait: clocks differ", async () => {
    const found = await waits({ ranks: 2, calls: together("MPI_Allreduce", early) });
    expect(found.map(({ rank, cause, ns }) => [rank, cause, ns])).toEqual([[0, 1, 30]]);
  });

  test("did not wait where that is up to the library or to the data", async () => {
    const calls = [
      ...together("MPI_Comm_dup", early, { bytes: 0 }),
      ...together("MPI_Alltoallv", early),
      ...together("MPI_Allreduce", early, { bytes: 0 }),
    ];
    expect(await waits({ ranks: 2, calls })).toEqual([]);
  });

  test("a constructor that lasts until all have come waited", async () => {
    const found = await waits({
      ranks: 2,
      calls: together("MPI_Comm_dup", [
        [100, 450],
        [400, 440],
      ]),
    });
    expect(found.map(({ kind, rank, ns }) => [kind, rank, ns])).toEqual([
      ["wait at n-to-n", 0, 300],
    ]);
  });
});

function transfer(rank: number, call: CallName, posted: number, completed: number, waited: number) {
  const wait = stateOf("MPI_Wait");
  return `INSERT INTO transfers(rank, thread, start_state, posted_ns, completed_ns, waited_ns, bytes, peer, communicator, tag,
      wait_thread, wait_state, outcome) VALUES (${rank}, 0, ${stateOf(call)}, ${posted}, ${completed}, ${waited}, 8, -1, 0, -1, 0, ${wait}, 0);`;
}

describe("non-blocking collectives", () => {
  test("wait in the call that completes them", async () => {
    // Rank 1 starts at 400. Rank 0 starts at 100, computes, and waits from 300 to 420: 100 ns of that for rank 1.
    const found = await waits({
      ranks: 2,
      calls: [
        { rank: 0, call: "MPI_Ibarrier", start: 100, end: 105 },
        { rank: 1, call: "MPI_Ibarrier", start: 400, end: 405 },
        { rank: 0, call: "MPI_Wait", start: 300, end: 420 },
        { rank: 1, call: "MPI_Wait", start: 405, end: 421 },
      ],
      rows: transfer(0, "MPI_Ibarrier", 105, 420, 120) + transfer(1, "MPI_Ibarrier", 405, 421, 16),
    });
    expect(found).toEqual([
      {
        kind: "wait at barrier",
        rank: 0,
        call: "MPI_Wait",
        cause: 1,
        late: "MPI_Ibarrier",
        calls: 1,
        ns: 100,
      },
    ]);
  });

  test("of several that one call completes the longest wait counts, once", async () => {
    const ends = [0, 1, 2].map((rank): Call => {
      return { rank, call: "MPI_Waitall", start: 50, end: 600 };
    });
    const found = await waits({
      ranks: 3,
      calls: [
        ...together("MPI_Ibarrier", [
          [10, 12],
          [200, 202],
          [20, 22],
        ]),
        ...together(
          "MPI_Ibcast",
          [
            [14, 16],
            [210, 212],
            [500, 502],
          ],
          { peer: 2 },
        ),
        ...ends,
      ],
      rows: transfer(0, "MPI_Ibarrier", 12, 600, 550) + transfer(0, "MPI_Ibcast", 16, 600, 550),
    });
    expect(found.map(({ kind, rank, cause, calls, ns }) => [kind, rank, cause, calls, ns])).toEqual(
      [["late root", 0, 2, 1, 450]],
    );
  });

  test("one that was found complete by a test did not wait", async () => {
    const calls = together("MPI_Ibarrier", [
      [100, 105],
      [400, 405],
    ]);
    const rows = transfer(0, "MPI_Ibarrier", 105, 420, 0);
    expect(await waits({ ranks: 2, calls, rows })).toEqual([]);
  });
});

test("each communicator and each function has its own order", async () => {
  const rows = { communicator: 1, members: [1, 2] };
  const found = await waits({
    ranks: 3,
    communicators: [rows],
    calls: [
      // On the sub-communicator rank 2 is late by 30, between two barriers of all that nobody waits at.
      ...together("MPI_Barrier", [
        [10, 12],
        [10, 12],
        [10, 12],
      ]),
      { rank: 1, call: "MPI_Barrier", start: 20, end: 51, communicator: 1 },
      { rank: 2, call: "MPI_Barrier", start: 50, end: 51, communicator: 1 },
      ...together("MPI_Barrier", [
        [60, 62],
        [60, 62],
        [60, 62],
      ]),
    ],
  });
  expect(found.map(({ rank, cause, ns }) => [rank, cause, ns])).toEqual([[1, 2, 30]]);
  expect(await countsIn(store!)).toEqual([
    { communicator: 0, members: 3, calls: 6, executions: 2, complete: 2, unmatched: 0 },
    { communicator: 1, members: 2, calls: 2, executions: 1, complete: 1, unmatched: 0 },
  ]);
});

test("MPI_Finalize is collective over all ranks, and other calls are none", async () => {
  const found = await waits({
    ranks: 2,
    calls: [
      ...together("MPI_Send", [
        [1, 2],
        [80, 90],
      ]),
      ...together("MPI_Finalize", [
        [10, 120],
        [100, 120],
      ]),
    ],
  });
  expect(found.map(({ call, rank, cause, ns }) => [call, rank, cause, ns])).toEqual([
    ["MPI_Finalize", 0, 1, 90],
  ]);
  expect(await countsIn(store!)).toEqual([
    { communicator: 0, members: 2, calls: 2, executions: 1, complete: 1, unmatched: 0 },
  ]);
});

test("threads of a rank share one order", async () => {
  const found = await waits({
    ranks: 2,
    calls: [
      { rank: 0, thread: 1, call: "MPI_Barrier", start: 10, end: 31 },
      { rank: 0, call: "MPI_Barrier", start: 40, end: 61 },
      { rank: 1, call: "MPI_Barrier", start: 30, end: 31 },
      { rank: 1, call: "MPI_Barrier", start: 60, end: 61 },
    ],
  });
  expect(found.map(({ rank, calls, ns }) => [rank, calls, ns])).toEqual([[0, 2, 40]]);
});
