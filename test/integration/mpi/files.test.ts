import { beforeAll, describe, expect, test } from "vitest";
import { buildCounter } from "./support/count.ts";
import { buildInterceptor, MPIS } from "./support/jobs.ts";
import { checkProgram, formsFor, inForm, type Row, row, rows, wait } from "./support/rows.ts";

const meta = (call: string): Row => row(`File_${call}`, { comm: 0 });
const file = (call: string, doubles: number): Row => row(`File_${call}`, { comm: 0, doubles });
const awaited = (call: string, doubles: number): Row[] => [file(call, doubles), wait("Wait")];

/** What programs/files.c does on a rank, by hand from the standard and mpi-calls.txt. */
function expectedRows(rank: number, language: "C" | "Fortran"): Row[] {
  const barrier = row("Barrier", { comm: 0 });
  return [
    row("Init"),
    meta("open"),
    meta("set_size"),
    meta("set_view"),
    file("write_at", 4),
    meta("sync"),
    barrier,
    file("read_at", 4),
    meta("seek"),
    file("read", 2),
    meta("seek"),
    file("write", 2),
    meta("seek"),
    file("write_all", 2),
    meta("sync"),
    barrier,
    meta("seek"),
    file("read_all", 2),
    meta("seek"),
    file("read", rank === 0 ? 3 : 2), // asked for 3; the file ends after 2 of rank 1's
    barrier,
    file("write_at_all", 1),
    file("read_at_all", 1),
    ...awaited("iwrite_at", 1),
    ...awaited("iread_at", 1),
    ...awaited("iwrite_at_all", 1),
    ...awaited("iread_at_all", 1),
    meta("seek"),
    ...awaited("iread", 3),
    ...awaited("iread_all", 4),
    meta("seek"),
    ...awaited("iwrite", 1),
    ...awaited("iwrite_all", 2),
    meta("seek_shared"),
    file("write_shared", 1),
    barrier,
    file("write_ordered", 2),
    barrier,
    meta("get_position_shared"),
    barrier,
    meta("seek_shared"),
    file("read_shared", 1),
    barrier,
    file("read_ordered", 2),
    meta("seek"),
    file("read_all_begin", 2),
    meta("read_all_end"),
    file("write_at_all_begin", 1),
    meta("write_at_all_end"),
    file("read_at_all_begin", 1),
    meta("read_at_all_end"),
    meta("seek"),
    file("write_all_begin", 2),
    meta("write_all_end"),
    meta("seek_shared"),
    file("write_ordered_begin", 1),
    meta("write_ordered_end"),
    file("read_ordered_begin", 1),
    meta("read_ordered_end"),
    ...awaited("iwrite_shared", 1),
    ...awaited("iread_shared", 2),
    meta("set_atomicity"),
    barrier,
    meta("get_size"),
    meta("set_info"),
    meta("preallocate"),
    meta("close"),
    barrier,
    ...(rank === 0 ? [row("File_delete")] : []),
    // Of MPI_COMM_SELF; it fails.
    ...(language === "C" ? [row("File_open", { comm: 1 })] : []),
    row("Finalize"),
  ];
}

let counter: string;

beforeAll(() => {
  buildInterceptor();
  counter = buildCounter();
});

describe.each(MPIS)("%s", (mpi) => {
  // MPICH 4.0 has no large counts for files in Fortran.
  const forms = formsFor(mpi, "files").filter(({ language, large }) => language === "C" || !large);

  test.each(forms)("MPI-IO, $title", (form) => {
    for (const trace of checkProgram(mpi, form, counter)) {
      expect(rows(trace)).toEqual(inForm(form, expectedRows(trace.rank, form.language)));
    }
  });
});
