import { beforeAll, describe, expect, test } from "vitest";
import { buildCounter, recordedCounts } from "../mpi/support/count.ts";
import { buildInterceptor, compile, launch, MPIS } from "../mpi/support/jobs.ts";
import { formsOf } from "../mpi/support/rows.ts";
import type { TraceFile } from "../mpi/support/trace-file.ts";
import { checkSame } from "./support/same.ts";

interface Symptom {
  title: string;
  kind: string;
  /** Calls of each rank besides MPI_Init and MPI_Finalize; a number where it is not a matter of timing. */
  calls: Record<string, number | "some">;
  check?: (file: TraceFile) => void;
}

const bytesOf = (file: TraceFile, name: string): number[] =>
  file.records.filter(({ call }) => call === name).map(({ bytes }) => bytes);

/** shared/research names them B01 to B05. */
const SYMPTOMS: Symptom[] = [
  {
    title: "MPI_IN_PLACE taken for a buffer gives wrong sums", // B01
    kind: "in-place",
    calls: { MPI_Allreduce: 1, MPI_Allgather: 1, MPI_Reduce_scatter: 1, MPI_Scan: 1 },
    check: (file) => {
      // From the arguments that mean something in place: 2 integers, 1 from each of 2, 1 + 1, 2.
      for (const call of ["Allreduce", "Allgather", "Reduce_scatter", "Scan"]) {
        expect(bytesOf(file, `MPI_${call}`)).toEqual([8]);
      }
    },
  },
  {
    title: "a Sendrecv whose status is ignored aborts", // B02
    kind: "sendrecv-ignored",
    calls: { MPI_Sendrecv: 10 },
    check: (file) => expect(bytesOf(file, "MPI_Sendrecv")).toEqual(Array(10).fill(8)),
  },
  {
    title: "the status of a Sendrecv does not reach the caller",
    kind: "sendrecv-status",
    calls: { MPI_Sendrecv: 10 },
    check: (file) => expect(bytesOf(file, "MPI_Sendrecv")).toEqual(Array(10).fill(8)),
  },
  {
    title: "a Waitall whose statuses are ignored crashes",
    kind: "waitall-ignored",
    calls: { MPI_Irecv: 4, MPI_Isend: 4, MPI_Waitall: 1 },
  },
  {
    title: "the statuses of a Waitall do not reach the caller",
    kind: "waitall-statuses",
    calls: { MPI_Irecv: 4, MPI_Isend: 4, MPI_Waitall: 1 },
  },
  {
    title: "a Testsome whose statuses are ignored gives other indices", // B03
    kind: "some-ignored",
    calls: { MPI_Irecv: 4, MPI_Isend: 4, MPI_Testsome: "some" },
    check: allCompletedOnce,
  },
  {
    title: "a Waitsome with statuses gives other indices or crashes at exit",
    kind: "some-statuses",
    calls: { MPI_Irecv: 4, MPI_Isend: 4, MPI_Waitsome: "some" },
    check: allCompletedOnce,
  },
  {
    title: "Comm_split hands back a handle that is none of Fortran's", // B04
    kind: "split",
    calls: { MPI_Comm_split: 50, MPI_Bcast: 50, MPI_Comm_free: 50 },
    check: (file) => {
      const used = file.records.filter(({ call }) => call === "MPI_Bcast");
      expect(used.map(({ communicator }) => communicator)).toEqual(
        Array.from({ length: 50 }, (_, index) => 2 + index),
      );
    },
  },
  {
    title: "calls are counted in the Fortran layer and once more in the C layer", // B05
    kind: "barriers",
    calls: { MPI_Barrier: 1000 },
  },
];

function allCompletedOnce(file: TraceFile): void {
  const completed = file.records.map((record) => record.completed);
  expect(completed.reduce((a, b) => a + b)).toBe(8);
}

let counter: string;

beforeAll(() => {
  buildInterceptor();
  counter = buildCounter();
});

/** Program, interfaces and helper calls: one library serves them all, and sees none of the implementation's own. */
describe.each(MPIS)("%s", (mpi) => {
  const forms = formsOf("symptoms_fortran").filter(({ language }) => language === "Fortran");

  describe.each(forms)("$title", (form) => {
    test.each(SYMPTOMS)("$title", ({ kind, calls, check }) => {
      const program = compile(mpi, form.file, form.flags(mpi), form.name);
      const files = checkSame(launch(mpi, [program, kind]), counter);
      expect(files).toHaveLength(2);
      for (const file of files) {
        const counts = recordedCounts(file);
        const seen = Object.entries(counts).map(([call, count]): [string, number | "some"] => [
          call,
          calls[call] === "some" ? "some" : count,
        ]);
        expect(Object.fromEntries(seen)).toEqual({ MPI_Init: 1, ...calls, MPI_Finalize: 1 });
        check?.(file);
      }
    });
  });
});
