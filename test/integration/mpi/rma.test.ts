import { beforeAll, describe, expect, test } from "vitest";
import { buildCounter } from "./support/count.ts";
import { buildInterceptor, MPIS } from "./support/jobs.ts";
import { checkProgram, formsFor, inForm, NULL, type Row, row, rows, wait } from "./support/rows.ts";

/** What programs/rma.c does on a rank, by hand from the standard and mpi-calls.txt. */
function expectedRows(rank: number): Row[] {
  const peer = 1 - rank;
  const world = { comm: 0 };
  const fence = row("Win_fence", world);
  const transfer = (call: string, doubles: number, comm = 0): Row =>
    row(call, { comm, peer, doubles });
  const awaited = (call: string, doubles: number): Row[] => [transfer(call, doubles), wait("Wait")];
  const free = row("Win_free", world);
  // The window keeps the identity of its communicator, which is freed and reverses the ranks.
  const reversed = { comm: 2 };
  return [
    row("Init"),
    row("Win_create", world),
    fence,
    transfer("Put", 3),
    row("Put", { ...world, peer: NULL }),
    fence,
    transfer("Get", 2),
    transfer("Accumulate", 4),
    fence,
    transfer("Win_lock", 0),
    transfer("Get_accumulate", 2), // MPI_NO_OP: no origin, but a result
    transfer("Fetch_and_op", 1),
    transfer("Win_flush", 0),
    transfer("Win_unlock", 0),
    row("Win_lock_all", world),
    ...awaited("Rput", 1),
    transfer("Win_flush_local", 0),
    ...awaited("Rget", 5),
    ...awaited("Raccumulate", 1),
    ...awaited("Rget_accumulate", 2),
    row("Win_flush_all", world),
    row("Win_flush_local_all", world),
    row("Win_sync", world),
    row("Win_unlock_all", world),
    free,
    row("Win_allocate", world),
    fence,
    row("Compare_and_swap", { ...world, peer, bytes: 4 }),
    fence,
    free,
    row("Comm_split", world),
    row("Win_allocate", reversed),
    row("Comm_free", reversed),
    row("Win_post", reversed),
    row("Win_start", reversed),
    transfer("Put", 2, 2),
    row("Win_complete", reversed),
    row("Win_wait", reversed),
    row("Win_post", reversed),
    row("Win_start", reversed),
    row("Win_complete", reversed),
    row("Win_test", { ...reversed, completed: 1 }),
    row("Win_free", reversed),
    row("Win_allocate_shared", world),
    free,
    row("Win_create_dynamic", world),
    row("Win_attach", world),
    row("Win_detach", world),
    free,
    row("Finalize"),
  ];
}

/** The program asks again and again until the epoch is over. */
const isVainQuestion = ([call, , , , , , completed]: Row): boolean =>
  call === "MPI_Win_test" && completed === 0;

let counter: string;

beforeAll(() => {
  buildInterceptor();
  counter = buildCounter();
});

describe.each(MPIS)("%s", (mpi) => {
  test.each(formsFor(mpi, "rma"))("one-sided calls, $title", (form) => {
    for (const file of checkProgram(mpi, form, counter)) {
      const seen = rows(file).filter((one) => !isVainQuestion(one));
      expect(seen).toEqual(inForm(form, expectedRows(file.rank)));
    }
  });
});
