import { beforeAll, expect, test } from "vitest";
import { buildCounter } from "./support/count.ts";
import { buildInterceptor } from "./support/jobs.ts";
import { checkProgram, formsOf, type Row, row, rows } from "./support/rows.ts";

/** What programs/connect.c does on a rank, by hand. */
function expectedRows(rank: number, language: "C" | "Fortran"): Row[] {
  const first = (call: string): Row[] => (rank === 0 ? [row(call)] : []);
  const met = { comm: 2 };
  return [
    row("Init"),
    ...first("Open_port"),
    ...first("Publish_name"),
    ...first("Lookup_name"),
    ...first("Unpublish_name"),
    row("Bcast", { comm: 0, peer: 0, bytes: 256 }),
    row(rank === 0 ? "Comm_accept" : "Comm_connect", { comm: 1 }),
    row("Sendrecv", { ...met, peer: 1 - rank, tag: 1, doubles: 2 }),
    row("Comm_disconnect", met),
    ...first("Close_port"),
    ...(language === "C" ? joined(rank) : []),
    row("Finalize"),
  ];
}

/** Once more through a socket, whose address rank 0 tells. */
function joined(rank: number): Row[] {
  return [
    row("Bcast", { comm: 0, peer: 0, bytes: 16 }),
    row("Comm_join"),
    row("Sendrecv", { comm: 3, peer: 1 - rank, tag: 2, doubles: 2 }),
    row("Comm_disconnect", { comm: 3 }),
  ];
}

let counter: string;

beforeAll(() => {
  buildInterceptor();
  counter = buildCounter();
});

/** Debian's MPICH has no ports over its network layer. */
test.each(formsOf("connect"))("ports, openmpi, $title", (form) => {
  for (const file of checkProgram("openmpi", form, counter)) {
    expect(rows(file)).toEqual(expectedRows(file.rank, form.language));
  }
});
