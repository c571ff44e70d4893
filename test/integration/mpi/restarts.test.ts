import { beforeAll, expect, test } from "vitest";
import { buildCounter } from "./support/count.ts";
import { buildInterceptor } from "./support/jobs.ts";
import { checkProgram, formsOf, NONE, type Row, row, rows, wait } from "./support/rows.ts";

/** A collective made persistent and started twice; `doubles` are those of one start. */
function twice(call: string, doubles: number, peer = NONE, comm = 0): Row[] {
  const start = row("Start", { comm, doubles, peer, requests: 1 });
  const made = row(`${call}_init`, { comm, peer });
  return [made, start, wait("Wait"), start, wait("Wait"), row("Request_free")];
}

/** What programs/restarts.c does on a rank, by hand; bytes as in the head of mpi-calls.txt. */
function expectedRows(rank: number): Row[] {
  const ring = 2;
  return [
    row("Init"),
    ...twice("Barrier", 0),
    ...twice("Gather", rank === 0 ? 3 + 3 : 3, 0),
    ...twice("Gatherv", rank === 0 ? 1 + 2 : 2, 0),
    ...twice("Scatter", rank === 1 ? 2 + 2 : 2, 1),
    ...twice("Scatterv", rank === 1 ? 1 + 2 : 1, 1),
    ...twice("Allgather", 2 + 2),
    ...twice("Allgatherv", 1 + 2),
    ...twice("Alltoall", 4 + 4),
    ...twice("Alltoallv", 1 + 1),
    ...twice("Alltoallw", 1 + 1),
    ...twice("Reduce", 5, 1),
    ...twice("Reduce_scatter", 1 + 2),
    ...twice("Reduce_scatter_block", 3 + 3),
    ...twice("Scan", 6),
    ...twice("Exscan", 7),
    row("Cart_create", { comm: 0 }),
    // A ring of two has two neighbours, which are one process.
    ...twice("Neighbor_allgather", 2 + 2, NONE, ring),
    ...twice("Neighbor_allgatherv", 1 + 1, NONE, ring),
    ...twice("Neighbor_alltoall", 3 + 3, NONE, ring),
    ...twice("Neighbor_alltoallv", 1 + 1, NONE, ring),
    ...twice("Neighbor_alltoallw", 1 + 1, NONE, ring),
    row("Comm_free", { comm: ring }),
    row("Finalize"),
  ];
}

let counter: string;

beforeAll(() => {
  buildInterceptor();
  counter = buildCounter();
});

/** Of the two, MPICH has MPI-4. */
test("persistent collectives, mpich, C", () => {
  const [c] = formsOf("restarts");
  if (!c) throw new Error("no form");
  for (const trace of checkProgram("mpich", c, counter)) {
    expect(rows(trace)).toEqual(expectedRows(trace.rank));
  }
});
