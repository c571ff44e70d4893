import { basename } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { buildInterceptor, compile, launch, MPIS, runTraced } from "./support/jobs.ts";
import type { TraceFile } from "./support/trace-file.ts";

/** Call, bytes, peer, tag, communicator, requests, completed. */
type Row = [string, number, number, number, number, number, number];

const [NONE, ANY, NULL] = [-1, -2, -3];
const DOUBLE = 8;

/** A message of so many doubles. */
function p2p(call: string, doubles: number, peer: number, tag: number, comm = 0): Row {
  return [call, doubles * DOUBLE, peer, tag, comm, 0, 0];
}

/** A collective over so many doubles. */
function all(call: string, doubles: number, peer = NONE, comm = 0): Row {
  return [call, doubles * DOUBLE, peer, NONE, comm, 0, 0];
}

/** A wait or test that completes all its requests. */
function wait(call: string, requests: number): Row {
  return [call, 0, NONE, NONE, -1, requests, requests];
}

function lifetime(call: string): Row {
  return [call, 0, NONE, NONE, -1, 0, 0];
}

/**
 * What programs/work.c does on a rank, worked out by hand from the MPI standard and the head of
 * interceptor/spec/mpi-calls.txt. `other` is the world rank of the other process.
 */
function expectedRows(rank: number, language: "C" | "Fortran"): Row[] {
  const other = 1 - rank;
  // 3 of the 20 doubles allowed came; a Fortran caller without status leaves no way to know that.
  const third = language === "C" ? 3 : 20;
  const messages =
    rank === 0
      ? [p2p("MPI_Send", 10, 1, 5), p2p("MPI_Recv", third, 1, 6)]
      : [p2p("MPI_Recv", 10, 0, 5), p2p("MPI_Send", 3, 0, 6)];
  const probes =
    rank === 0
      ? [p2p("MPI_Send", 2, 1, 11), p2p("MPI_Send", 1, 1, 12)]
      : [
          p2p("MPI_Probe", 0, 0, 11),
          p2p("MPI_Recv", 2, 0, 11),
          p2p("MPI_Mprobe", 0, 0, 12),
          p2p("MPI_Mrecv", 1, 0, 12),
        ];
  return [
    lifetime("MPI_Init"),
    all("MPI_Barrier", 0),
    ...messages,
    p2p("MPI_Sendrecv", 4 + 4, other, 7),
    p2p("MPI_Send", 0, NULL, 8),
    p2p("MPI_Irecv", 6, ANY, 9),
    p2p("MPI_Isend", 5, other, 9),
    wait("MPI_Waitall", 2),
    ...probes,
    all("MPI_Bcast", 2, 1),
    all("MPI_Gather", rank === 0 ? 3 + 3 : 3, 0),
    all("MPI_Scatterv", rank === 1 ? 1 + 2 : 1, 1),
    all("MPI_Allgather", 2 + 2),
    all("MPI_Alltoallv", 1 + 1),
    all("MPI_Allreduce", 5),
    all("MPI_Reduce_scatter", 1 + 2),
    all("MPI_Reduce_scatter_block", 2 + 2),
    all("MPI_Scan", 1),
    all("MPI_Comm_split", 0),
    all("MPI_Bcast", 1, 1, 2), // ranks are reversed there: its root 0 is world rank 1
    p2p("MPI_Sendrecv", 1 + 1, other, 13, 2),
    all("MPI_Comm_free", 0, NONE, 2),
    all("MPI_Comm_idup", 0),
    wait("MPI_Wait", 1),
    wait("MPI_Test", 1),
    all("MPI_Ibarrier", 0, NONE, 3),
    wait("MPI_Wait", 1),
    all("MPI_Comm_free", 0, NONE, 3),
    all("MPI_Cart_create", 0),
    all("MPI_Neighbor_alltoall", 2 + 2, NONE, 4), // from both sides of the ring
    all("MPI_Comm_free", 0, NONE, 4),
    all("MPI_Intercomm_create", 0, NONE, 1),
    p2p("MPI_Sendrecv", 1 + 1, other, 15, 5),
    all("MPI_Bcast", 1, 0, 5),
    all("MPI_Allgather", 3, NONE, 5), // one process in the remote group
    all("MPI_Comm_free", 0, NONE, 5),
    lifetime("MPI_Finalize"),
  ];
}

function rows(file: TraceFile): Row[] {
  return file.records.map((record) => [
    ...([record.call, record.bytes, record.peer, record.tag] as const),
    ...([record.communicator, record.requests, record.completed] as const),
  ]);
}

const FORTRAN = ["mpif.h", "use mpi", "use mpi_f08"].map((title, index) => ({
  title,
  file: "work.F90",
  language: "Fortran" as const,
  flags: [`-DINTERFACE=${index + 1}`, "-fallow-argument-mismatch"],
  name: `work-${index + 1}`,
}));

const FORMS = [
  { title: "C", file: "work.c", language: "C" as const, flags: [], name: "work" },
  {
    title: "C, fixed addresses",
    file: "work.c",
    language: "C" as const,
    flags: ["-no-pie", "-fno-pie"],
    name: "work-fixed",
  },
  ...FORTRAN,
];

beforeAll(buildInterceptor);

describe.each(MPIS)("%s", (mpi) => {
  test.each(FORMS)("work of every call, $title", ({ file, language, flags, name }) => {
    const program = compile(mpi, file, flags, name);
    const traced = runTraced(launch(mpi, [program]));
    expect(traced).toMatchObject({ status: 0, stdout: "work: done\n" });
    expect(traced.files).toHaveLength(2);
    for (const trace of traced.files) {
      expect(rows(trace)).toEqual(expectedRows(trace.rank, language));
      // Sites lie in the program, not in a layer of the MPI library: trampolines are tail calls.
      const modules = new Set(trace.records.map((record) => basename(record.module)));
      expect([...modules]).toEqual([basename(program)]);
      for (const { enter, exit } of trace.records) expect(exit >= enter).toBe(true);
    }
  });

  test("definitions agree between ranks", () => {
    const program = compile(mpi, "work.c");
    const { files } = runTraced(launch(mpi, [program]));
    const [first, second] = files as [TraceFile, TraceFile];
    expect(first.jobId).toBe(second.jobId);
    expect(first.jobId).not.toBe(0n);
    for (const file of [first, second]) {
      const { rank } = file;
      expect(file.size).toBe(2);
      expect(file.facts.get("mpi")).toBe(mpi === "openmpi" ? "Open MPI" : "MPICH");
      expect(file.facts.get("mpi_version")).toMatch(/^\d+\.\d+/);
      const known = file.communicators.map(({ members, ordinal, remoteSize, rank: own }) => {
        return { members, ordinal, remoteSize, rank: own };
      });
      const both = { members: [0, 1], remoteSize: 0, rank };
      expect(known).toEqual([
        { ...both, ordinal: 0 },
        { members: [rank], ordinal: 0, remoteSize: 0, rank: 0 },
        { members: [1, 0], ordinal: 0, remoteSize: 0, rank: 1 - rank },
        { ...both, ordinal: 1 },
        { ...both, ordinal: 2 },
        { members: [rank], ordinal: 1, remoteSize: 1, rank: 0 },
      ]);
    }
  });

  test("two jobs have two numbers", () => {
    const program = compile(mpi, "lifetime.c");
    const { files } = runTraced([
      "sh",
      "-c",
      `for i in 1 2; do mpirun.${mpi} -n 2 ${program}; done`,
    ]);
    expect(files).toHaveLength(4);
    expect(new Set(files.map(({ jobId }) => jobId)).size).toBe(2);
  });

  test("a message of 3 GB counts 3,000,000,000 bytes on both sides", () => {
    const { files } = runTraced(launch(mpi, [compile(mpi, "big.c")]));
    const bytes = files.map((file) => file.records.map((record) => record.bytes));
    expect(bytes).toEqual([
      [0, 3_000_000_000, 0],
      [0, 3_000_000_000, 0],
    ]);
  });
});
