import { beforeAll, expect, test } from "vitest";
import { buildCounter } from "./support/count.ts";
import { buildInterceptor } from "./support/jobs.ts";
import { checkProgram, formsOf, NULL, type Row, row, rows, wait } from "./support/rows.ts";

/** What programs/large.c does on a rank, by hand. */
function expectedRows(rank: number): Row[] {
  const peer = 1 - rank;
  const comm = 0;
  const sent = (tag: number): Row => row("Send_c", { comm, peer, tag, doubles: 10 });
  const received = (tag: number): Row => row("Recv_c", { comm, peer, tag, doubles: 10 });
  return [
    row("Init"),
    ...(rank === 0 ? [sent(1), received(2)] : [received(1), sent(2)]),
    row("Irecv_c", { comm, peer, tag: 3, doubles: 4 }),
    row("Isend_c", { comm, peer, tag: 3, doubles: 4 }),
    wait("Waitall", 2),
    row("Allreduce_c", { comm, doubles: 1 }),
    row("Gatherv_c", { comm, peer: 0, doubles: rank === 0 ? 1 + 2 : 2 }),
    row("Alltoallv_c", { comm, doubles: 1 + 1 }),
    row("Reduce_scatter_c", { comm, doubles: 1 + 2 }),
    row("Send_init_c", { comm, peer: NULL, tag: 4 }),
    row("Request_free"),
    row("Finalize"),
  ];
}

let counter: string;

beforeAll(() => {
  buildInterceptor();
  counter = buildCounter();
});

/** Of the two, MPICH has MPI-4; in Fortran large counts are of mpi_f08 alone. */
const FORMS = formsOf("large").filter(({ title }) => ["C", "use mpi_f08"].includes(title));

test.each(FORMS)("large-count calls, mpich, $title", (form) => {
  for (const file of checkProgram("mpich", form, counter)) {
    expect(rows(file)).toEqual(expectedRows(file.rank));
  }
});
