import { beforeAll, describe, expect, test } from "vitest";
import { buildCounter } from "./support/count.ts";
import { buildInterceptor, MPIS, type Mpi } from "./support/jobs.ts";
import {
  ANY,
  checkProgram,
  formsFor,
  inForm,
  NULL,
  type Row,
  row,
  rows,
  wait,
} from "./support/rows.ts";

/** What programs/persistent.c does on a rank, by hand from the standard and mpi-calls.txt. */
function expectedRows(rank: number, mpi: Mpi, language: "C" | "Fortran"): Row[] {
  const other = 1 - rank;
  const world = { comm: 0 };
  const reversed = { comm: 2, peer: other };
  const free = row("Request_free");
  // 10 to send and room for 20, as posted; peer, tag and communicator are the same.
  const both = row("Startall", { doubles: 10 + 20, peer: other, tag: 1, requests: 2, ...world });
  const start = (doubles: number, tag: number): Row =>
    row("Start", { ...reversed, doubles, tag, requests: 1 });
  const startAny = row("Start", { comm: 2, doubles: 3, peer: ANY, tag: ANY, requests: 1 });
  return [
    row("Init"),
    row("Send_init", { ...world, peer: other, tag: 1 }),
    row("Recv_init", { ...world, peer: other, tag: 1 }),
    both,
    wait("Waitall", 2),
    both,
    wait("Waitall", 2),
    wait("Request_get_status"),
    free,
    free,
    row("Comm_split", world),
    row("Ssend_init", { ...reversed, tag: 2 }),
    row("Recv_init", { comm: 2, peer: ANY, tag: ANY }),
    startAny,
    start(3, 2),
    wait("Wait"),
    wait("Wait"),
    free,
    row("Rsend_init", { ...reversed, tag: 3 }),
    startAny,
    row("Barrier", world),
    start(2, 3),
    wait("Wait"),
    wait("Wait"),
    free,
    free,
    row("Comm_free", { comm: 2 }),
    row("Bsend_init", { ...world, peer: other, tag: 4 }),
    row("Start", { ...world, doubles: 1, peer: other, tag: 4, requests: 1 }),
    wait("Wait"),
    row("Recv", { ...world, doubles: 1, peer: other, tag: 4 }),
    free,
    row("Buffer_detach"),
    row("Send_init", { ...world, peer: NULL, tag: 5 }),
    row("Recv_init", { ...world, peer: other, tag: 6 }),
    row("Startall", { ...world, doubles: 8, requests: 2 }), // peers and tags differ
    row("Cancel"),
    wait("Wait"),
    row("Test_cancelled"),
    wait("Wait"),
    free,
    free,
    row("Isend", { ...world, doubles: 1, peer: other, tag: 7 }),
    free,
    row("Recv", { ...world, doubles: 1, peer: other, tag: 7 }),
    ...(mpi === "mpich" ? ofMpi4(other, language) : []),
    row("Finalize"),
  ];
}

function ofMpi4(other: number, language: "C" | "Fortran"): Row[] {
  const ends = [wait("Wait"), row("Request_free")];
  const ready = (call: string): Row => row(call, { peer: other, tag: 9, comm: 0 });
  return [
    row("Comm_idup_with_info", { comm: 0 }),
    wait("Wait"),
    row("Comm_free", { comm: 3 }),
    row("Allreduce_init", { comm: 0 }),
    row("Start", { comm: 0, doubles: 5, requests: 1 }),
    ...ends,
    row("Bcast_init", { comm: 0, peer: 1 }),
    row("Start", { comm: 0, peer: 1, doubles: 2, requests: 1 }),
    ...ends,
    row("Isendrecv", { comm: 0, doubles: 2 + 3, peer: other, tag: 8 }),
    wait("Wait"),
    row("Psend_init", { comm: 0, peer: other, tag: 9 }),
    row("Precv_init", { comm: 0, peer: other, tag: 9 }),
    // two partitions of four, sent and received
    row("Startall", { comm: 0, peer: other, tag: 9, doubles: 2 * 4 + 2 * 4, requests: 2 }),
    ready("Pready"),
    ready("Pready_range"),
    ...(language === "C" ? [wait("Parrived")] : []),
    wait("Waitall", 2),
    row("Request_free"),
    row("Request_free"),
  ];
}

/** The program asks again and again until the part is there. */
const isVainQuestion = ([call, , , , , , completed]: Row): boolean =>
  call === "MPI_Parrived" && completed === 0;

let counter: string;

beforeAll(() => {
  buildInterceptor();
  counter = buildCounter();
});

describe.each(MPIS)("%s", (mpi) => {
  test.each(formsFor(mpi, "persistent"))("persistent requests, $title", (form) => {
    for (const file of checkProgram(mpi, form, counter)) {
      const seen = rows(file).filter((one) => !isVainQuestion(one));
      expect(seen).toEqual(inForm(form, expectedRows(file.rank, mpi, form.language)));
    }
  });
});
