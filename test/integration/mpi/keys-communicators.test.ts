import { beforeAll, describe, expect, test } from "vitest";
import { buildCounter } from "./support/count.ts";
import { buildInterceptor, MPIS, type Mpi } from "./support/jobs.ts";
import { checkProgram, formsOf, type Row, row, rows, wait } from "./support/rows.ts";
import type { TraceFile } from "./support/trace-file.ts";

/** What programs/keys_communicators.c makes, in order: from which communicator, of which world ranks. */
interface Made {
  call: string;
  /** Number of the communicator it is made from, if any. */
  from: number;
  members: number[];
  remoteSize?: number;
  /** Waits for the request that makes it. */
  awaited?: boolean;
  /** How it goes, when not by MPI_Comm_free at once; "later" when others are made from it first. */
  end?: "Comm_disconnect" | "later" | "unused, later";
  /** Frees this number after its own end. */
  frees?: number;
}

function madeOn(rank: number, mpi: Mpi): Made[] {
  const both = [0, 1];
  const of4 = (...some: Made[]): Made[] => (mpi === "mpich" ? some : []);
  const between = { members: [rank], remoteSize: 1 };
  const made: Made[] = [
    { call: "Cart_create", from: 0, members: both, end: "unused, later" },
    { call: "Cart_sub", from: 2, members: both, frees: 2 },
    { call: "Graph_create", from: 0, members: both },
    { call: "Dist_graph_create", from: 0, members: both },
    { call: "Dist_graph_create_adjacent", from: 0, members: both },
    { call: "Comm_dup", from: 0, members: both },
    { call: "Comm_dup_with_info", from: 0, members: both },
    { call: "Comm_idup", from: 0, members: both, awaited: true },
    ...of4({ call: "Comm_idup_with_info", from: 0, members: both, awaited: true }),
    { call: "Comm_split", from: 0, members: [rank] },
    { call: "Comm_split_type", from: 0, members: both },
    { call: "Comm_create", from: 0, members: both },
    { call: "Comm_create_group", from: 0, members: both, end: "Comm_disconnect" },
    ...of4({ call: "Comm_create_from_group", from: -1, members: both }),
  ];
  const inter = 2 + made.length;
  return [
    ...made,
    { call: "Intercomm_create", from: 1, ...between, end: "later" },
    { call: "Intercomm_merge", from: inter, members: both, frees: inter },
    ...of4({ call: "Intercomm_create_from_groups", from: -1, ...between }),
  ];
}

function expectedRows(rank: number, mpi: Mpi): Row[] {
  const each = madeOn(rank, mpi).flatMap(({ call, from, awaited, end, frees }, index): Row[] => {
    const comm = 2 + index;
    const use = end === "unused, later" ? [] : [row("Allreduce", { comm, doubles: 1 })];
    const parts: Row[][] = [
      [row(call, { comm: from })],
      awaited ? [wait("Wait")] : [],
      use,
      end?.endsWith("later") ? [] : [row(end ?? "Comm_free", { comm })],
      frees === undefined ? [] : [row("Comm_free", { comm: frees })],
    ];
    return parts.flat();
  });
  return [row("Init_thread"), ...each, row("Finalize")];
}

/** Members and remote size as defined; and how many with the same members there were before, counted here. */
function checkDefinitions(file: TraceFile, made: Made[]): void {
  const seen = file.communicators.slice(2);
  expect(seen.map(({ members }) => members)).toEqual(made.map(({ members }) => members));
  expect(seen.map(({ remoteSize }) => remoteSize)).toEqual(
    made.map(({ remoteSize = 0 }) => remoteSize),
  );
  const before = (index: number): number =>
    file.communicators
      .slice(0, index + 2)
      .filter(({ members }) => members.join() === made[index]?.members.join()).length;
  expect(seen.map(({ ordinal }) => ordinal)).toEqual(made.map((_, index) => before(index)));
}

let counter: string;

beforeAll(() => {
  buildInterceptor();
  counter = buildCounter();
});

describe.each(MPIS)("%s", (mpi) => {
  test.each(formsOf("keys_communicators"))("keys of communicators, $title", (form) => {
    for (const file of checkProgram(mpi, form, counter)) {
      expect(rows(file)).toEqual(expectedRows(file.rank, mpi));
      checkDefinitions(file, madeOn(file.rank, mpi));
    }
  });
});

/** What programs/keys_refused.c does: a failed call has no key but the communicator it was called on. */
test.each(formsOf("keys_refused"))("calls that fail, mpich, $title", (form) => {
  for (const file of checkProgram("mpich", form, counter)) {
    const names = ["Publish_name", "Lookup_name", "Unpublish_name"].map((call) => row(call));
    expect(rows(file)).toEqual([
      row("Init"),
      row("Open_port"),
      row("Barrier", { comm: 0 }),
      ...(file.rank === 0 ? names : []),
      row("Comm_accept", { comm: 1 }),
      row("Comm_connect", { comm: 1 }),
      row("Close_port"),
      row("Comm_spawn", { comm: 1 }),
      row("Comm_spawn_multiple", { comm: 1 }),
      row("Comm_join"),
      row("Finalize"),
    ]);
  }
});
