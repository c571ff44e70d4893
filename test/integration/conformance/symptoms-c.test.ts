import { beforeAll, describe, expect, test } from "vitest";
import { buildCounter, recordedCounts } from "../mpi/support/count.ts";
import { buildInterceptor, compile, launch, MPIS } from "../mpi/support/jobs.ts";
import type { TraceFile, TraceRecord } from "../mpi/support/trace-file.ts";
import { checkSame } from "./support/same.ts";

interface Symptom {
  title: string;
  /** Program of symptoms_*.c, and its argument. */
  program: "requests" | "objects" | "lifecycle";
  kind: string;
  /** Further words. */
  words?: string[];
  /** How often each rank makes some calls. */
  calls?: Record<string, number>;
  check?: (file: TraceFile) => void;
}

const of = (file: TraceFile, name: string): TraceRecord[] =>
  file.records.filter(({ call }) => call === `MPI_${name}`);

/** World ranks of the communicator of a record. */
const membersOf = (file: TraceFile, { communicator }: TraceRecord): number[] | undefined =>
  file.communicators.find(({ number }) => number === communicator)?.members;

const SYMPTOMS: Symptom[] = [
  {
    title: "requests with one and the same handle are mixed up", // B10
    program: "requests",
    kind: "shared-handles",
    calls: { Irecv: 20 * 16, Isend: 20 * 16, Waitall: 20 },
    check: (file) => {
      const sums = of(file, "Waitall").map(({ requests, completed }) => [requests, completed]);
      expect(sums).toEqual(Array.from({ length: 20 }, () => [32, 32]));
      const tags = of(file, "Isend").map(({ tag }) => tag);
      expect(tags).toEqual(Array.from({ length: 320 }, (_, index) => index % 16));
    },
  },
  {
    title: "null requests and no requests at all kill the tool", // B12
    program: "requests",
    kind: "null",
    calls: {
      Wait: 1,
      Waitall: 3,
      Waitany: 1,
      Waitsome: 1,
      Test: 1,
      Testall: 1,
      Testany: 1,
      Testsome: 1,
    },
    check: (file) => {
      for (const name of ["Isend", "Irecv", "Recv"]) {
        expect(of(file, name)).toMatchObject([{ bytes: 0, peer: -3 }]);
      }
      // Nothing was pending, whatever number was passed.
      for (const name of ["Waitany", "Waitsome", "Testany", "Testsome"]) {
        expect(of(file, name)).toMatchObject([{ requests: 3, completed: 0 }]);
      }
    },
  },
  {
    title: "waiting for an inactive persistent request ends its life", // B13
    program: "requests",
    kind: "inactive",
    calls: { Startall: 50, Waitall: 50, Wait: 50, Test: 50, Request_free: 2 },
    check: (file) => {
      const starts = of(file, "Startall").map(({ bytes, requests }) => [bytes, requests]);
      expect(starts).toEqual(Array.from({ length: 50 }, () => [8, 2]));
    },
  },
  {
    title: "statuses of sends and collectives are read for sizes", // B14
    program: "requests",
    kind: "send-status",
    calls: { Isend: 10, Irecv: 10, Ibarrier: 10, Wait: 30 },
    check: (file) => {
      expect(of(file, "Isend").map(({ bytes }) => bytes)).toEqual([
        0, 4, 8, 12, 16, 20, 24, 28, 32, 36,
      ]);
      for (const { bytes } of [...of(file, "Wait"), ...of(file, "Ibarrier")]) expect(bytes).toBe(0);
    },
  },
  {
    title: "traffic with oneself aborts the job", // B19
    program: "objects",
    kind: "self",
    calls: { Sendrecv: 100, Allreduce: 100 },
    check: (file) => {
      for (const record of of(file, "Sendrecv")) {
        expect(record).toMatchObject({ peer: file.rank, bytes: 8, communicator: 1 });
        expect(membersOf(file, record)).toEqual([file.rank]);
      }
    },
  },
  {
    title: "a handle that comes again after Comm_free is taken for the old communicator", // B18
    program: "objects",
    kind: "reuse",
    calls: { Comm_split: 3000, Bcast: 3000, Comm_free: 3000 },
    check: (file) => {
      const members = [[0, 1], [1, 0], [file.rank]];
      for (const [index, record] of of(file, "Bcast").entries()) {
        const expected = members[index % 3]!;
        expect(membersOf(file, record)).toEqual(expected);
        expect(record.peer).toBe(expected[0]);
      }
      const numbers = new Set(of(file, "Bcast").map(({ communicator }) => communicator));
      expect(numbers.size).toBe(3000);
    },
  },
  {
    title: "an intercommunicator is lost with the communicator that it was made from", // B17
    program: "objects",
    kind: "between",
    check: (file) => {
      const [used] = of(file, "Sendrecv");
      expect(used).toMatchObject({ peer: 1 - file.rank, bytes: 8 });
      const definition = file.communicators.find(({ number }) => number === used!.communicator);
      expect(definition).toMatchObject({ members: [file.rank], remoteSize: 1 });
      const [between, merged] = of(file, "Allreduce");
      expect(between!.communicator).toBe(used!.communicator);
      expect(membersOf(file, merged!)).toEqual([0, 1]);
    },
  },
  {
    title: "graphs without weights or neighbours crash the tool", // B21
    program: "objects",
    kind: "graphs",
    calls: { Dist_graph_create_adjacent: 3, Neighbor_allgather: 2, Neighbor_alltoall: 1 },
    check: (file) => {
      expect(of(file, "Neighbor_allgather").map(({ bytes }) => bytes)).toEqual([4, 0]);
      expect(of(file, "Neighbor_alltoall").map(({ bytes }) => bytes)).toEqual([4]);
    },
  },
  {
    title: "one-sided windows abort the job", // B22
    program: "objects",
    kind: "windows",
    check: (file) => {
      for (const name of ["Put", "Fetch_and_op"]) {
        expect(of(file, name)).toMatchObject([{ bytes: 4, peer: 1 - file.rank, communicator: 0 }]);
      }
    },
  },
  {
    title: "sizes above 2 GiB wrap", // B49
    program: "objects",
    kind: "large",
    check: (file) => {
      for (const name of ["Bcast", "Allreduce", "Allgather", "Ibcast"]) {
        expect(of(file, name)).toMatchObject([{ bytes: 3_355_443_200 }]);
      }
    },
  },
  {
    title: "legal calls before MPI_Init and after MPI_Finalize crash or answer wrongly", // B24
    program: "lifecycle",
    kind: "early",
    calls: { Init: 1, Barrier: 100, Finalize: 1 },
  },
  ...["single", "funneled", "serialized", "multiple"].map(
    (kind): Symptom => ({
      title: `the thread level provided for ${kind} is another`, // B25
      program: "lifecycle",
      kind,
      calls: { Init_thread: 1, Barrier: 100, Finalize: 1 },
    }),
  ),
  {
    title: "the tools interface before MPI_Init upsets the tool",
    program: "lifecycle",
    kind: "tools-first",
    calls: { Init: 1, Barrier: 100, Finalize: 1 },
  },
  {
    title: "MPI_Finalize does not return while a rank is late or a thread still writes", // B27
    program: "lifecycle",
    kind: "late",
    calls: { Init: 1, Barrier: 100, Finalize: 1 },
  },
  {
    title: "work in destructors after MPI_Finalize loses the output", // B28
    program: "lifecycle",
    kind: "destructor",
    calls: { Init: 1, Barrier: 100, Finalize: 1 },
  },
  {
    title: "children that leave by exit hang, or write into the parent's file", // B31
    program: "lifecycle",
    kind: "children",
    calls: { Init: 1, Barrier: 100, Finalize: 1 },
  },
  {
    title: "extensions that the tool does not know cannot be resolved", // B42
    program: "lifecycle",
    kind: "extensions",
    calls: { Init: 1, Barrier: 100, Finalize: 1 },
  },
  {
    title: "MPI_Pcontrol with other levels and arguments crashes the tool", // B44
    program: "lifecycle",
    kind: "pcontrol",
    calls: { Init: 1, Barrier: 100, Finalize: 1 },
  },
  ...["1", "9", "255"].map(
    (status): Symptom => ({
      title: `exit status ${status} of the application becomes another`, // B34
      program: "lifecycle",
      kind: "status",
      words: [status],
      calls: { Init: 1, Barrier: 100, Finalize: 1 },
    }),
  ),
];

let counter: string;

beforeAll(() => {
  buildInterceptor();
  counter = buildCounter();
});

describe.each(MPIS)("%s", (mpi) => {
  test.each(SYMPTOMS)("$title", ({ program, kind, words = [], calls = {}, check }) => {
    const path = compile(mpi, `symptoms_${program}.c`);
    const files = checkSame(launch(mpi, [path, kind, ...words]), counter);
    expect(files.map(({ rank }) => rank)).toEqual([0, 1]);
    for (const file of files) {
      const counts = recordedCounts(file);
      for (const [call, count] of Object.entries(calls)) expect(counts[`MPI_${call}`]).toBe(count);
      check?.(file);
    }
  });
});
