import { beforeAll, describe, expect, test } from "vitest";
import { buildCounter } from "./support/count.ts";
import { buildInterceptor, MPIS, type Mpi } from "./support/jobs.ts";
import {
  checkProgram,
  type Form,
  formsFor,
  inForm,
  NONE,
  type Row,
  row,
  rows,
  wait,
} from "./support/rows.ts";

type Mode = "blocking" | "started" | "persistent";

/** One collective in a mode; `doubles` are those of one execution. */
function collective(mode: Mode, [call, doubles, peer = NONE, comm = 0]: Collective): Row[] {
  if (mode === "blocking") return [row(call, { comm, doubles, peer })];
  const started = `I${call.charAt(0).toLowerCase()}${call.slice(1)}`;
  if (mode === "started") return [row(started, { comm, doubles, peer }), wait("Wait")];
  const start = [row("Start", { comm, doubles, peer, requests: 1 }), wait("Wait")];
  return [row(`${call}_init`, { comm, peer }), ...start, ...start, row("Request_free")];
}

type Collective = [call: string, doubles: number, peer?: number, comm?: number];

/** Doubles of every collective of programs/keys_collective.c, by hand: see the head of mpi-calls.txt. */
function collectivesOf(rank: number, ring: number): Collective[] {
  return [
    ["Barrier", 0],
    ["Bcast", 2, 1],
    ["Gather", rank === 0 ? 3 + 3 : 3, 0],
    ["Gatherv", rank === 0 ? 1 + 2 : 2, 0],
    ["Scatter", rank === 1 ? 2 + 2 : 2, 1],
    ["Scatterv", rank === 1 ? 1 + 2 : 1, 1],
    ["Reduce", 5, 1],
    ["Allgather", 2 + 2],
    ["Allgatherv", 1 + 2],
    ["Alltoall", 4 + 4],
    ["Alltoallv", 1 + 1],
    ["Alltoallw", 1 + 1],
    ["Allreduce", 5],
    ["Reduce_scatter", 1 + 2],
    ["Reduce_scatter_block", 2 + 2],
    ["Scan", 6],
    ["Exscan", 7],
    // A ring of two has two neighbours, which are one process.
    ["Neighbor_allgather", 2 + 2, NONE, ring],
    ["Neighbor_allgatherv", 1 + 1, NONE, ring],
    ["Neighbor_alltoall", 3 + 3, NONE, ring],
    ["Neighbor_alltoallv", 1 + 1, NONE, ring],
    ["Neighbor_alltoallw", 1 + 1, NONE, ring],
  ];
}

function expectedRows(rank: number, mpi: Mpi, { language }: Form): Row[] {
  const modes: Mode[] = ["blocking", "started"];
  if (mpi === "mpich") modes.push("persistent");
  // MPICH 4.0 wants a distributed graph for MPI_Neighbor_alltoallw from Fortran.
  const makesRing = language === "C" ? "Cart_create" : "Dist_graph_create_adjacent";
  const inMode = (mode: Mode, index: number): Row[] => {
    const ring = 2 + index;
    const all = collectivesOf(rank, ring).map((one): [string, Row[]] => [
      one[0],
      collective(mode, one),
    ]);
    const first = all.findIndex(([call]) => call.startsWith("Neighbor"));
    const make: [string, Row[]] = [makesRing, [row(makesRing, { comm: 0 })]];
    return [
      ...all.toSpliced(first, 0, make).flatMap(([, some]) => some),
      row("Comm_free", { comm: ring }),
    ];
  };
  return [row("Init"), ...modes.flatMap(inMode), row("Finalize")];
}

let counter: string;

beforeAll(() => {
  buildInterceptor();
  counter = buildCounter();
});

describe.each(MPIS)("%s", (mpi) => {
  test.each(formsFor(mpi, "keys_collective"))("keys of all collectives, $title", (form) => {
    for (const file of checkProgram(mpi, form, counter)) {
      expect(rows(file)).toEqual(inForm(form, expectedRows(file.rank, mpi, form)));
    }
  });
});
