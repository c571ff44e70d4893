import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { emitCoverage, isIn, type Mpi as Known } from "../../../interceptor/spec/coverage.ts";
import { parseCalls } from "../../../interceptor/spec/parse.ts";
import { readProgram } from "../../../interceptor/spec/programs.ts";
import {
  buildInterceptor,
  compile,
  launch,
  type Mpi,
  runTraced,
  source,
  temporary,
} from "../mpi/support/jobs.ts";
import { type Form, formsOf, largeFormsOf } from "../mpi/support/rows.ts";

const TABLE = fileURLToPath(new URL("../../../interceptor/spec/mpi-calls.txt", import.meta.url));
const CALLS = parseCalls(readFileSync(TABLE, "utf8"));

const callsIn = (file: string, text: string): string[] =>
  [...readProgram(file, text, CALLS).calls].toSorted();

describe("what a program calls, by its text", () => {
  test.each([
    ["a.c", "MPI_Send(x); MPI_Barrier (y);", ["mpi_barrier", "mpi_send"]],
    ["a.c", "L(MPI_Send)(x);", ["mpi_send", "mpi_send_c"]],
    // No large-count form: nothing is counted.
    ["a.c", "L(MPI_Wait)(x);", ["mpi_wait"]],
    [
      "a.c",
      "COLLECTIVE(Scan, Iscan, x);",
      ["mpi_iscan", "mpi_iscan_c", "mpi_scan", "mpi_scan_c", "mpi_scan_init", "mpi_scan_init_c"],
    ],
    ["a.F90", "call MPI_Send(x, 3)\ncall mpi_wait(r)", ["mpi_send", "mpi_wait"]],
    ["a.F90", "call MPI_Send(x, N(3))", ["mpi_send", "mpi_send_c"]],
    ["a.py", "comm.Send(x)", []],
  ])("%s: %s", (file, text, names) => {
    expect(callsIn(file, text)).toEqual(names);
  });

  test("its head says with which MPI it is run", () => {
    expect(readProgram("a.c", "/* MPICH alone. */", CALLS).only).toBe("mpich");
    expect(readProgram("a.F90", "! Open MPI alone.", CALLS).only).toBe("openmpi");
    expect(readProgram("a.c", "/* MPICH */", CALLS).only).toBeUndefined();
  });
});

test("the page tells a call without test from one that an MPI does not have", () => {
  const mpi: Known = {
    name: "mpich",
    title: "MPICH",
    declared: new Set(["MPI_Send", "MPI_Recv", "MPI_Recv_c"]),
    fortran: new Set(["mpi_send_", "mpi_recv_f08ts_"]),
  };
  const calls = CALLS.filter(({ name }) => /^MPI_(Send|Recv)(_c)?$/.test(name));
  const programs = [
    readProgram("a.c", "MPI_Send(x)", CALLS),
    readProgram("b.F90", "call MPI_Recv(x)", CALLS),
  ];
  const page = emitCoverage({ calls, local: [], mpis: [mpi], programs });
  const rows = page.split("\n").filter((line) => line.startsWith("| MPI_"));
  const key = "bytes, peer, tag, communicator";
  expect(rows).toEqual([
    `| MPI_Send | send | ${key} | a.c |  |`,
    `| MPI_Recv | receive | ${key} |  | b.F90 |`,
    `| MPI_Send_c | send | ${key} | not in this MPI | not in this MPI |`,
    `| MPI_Recv_c | receive | ${key} |  | not in this MPI |`,
  ]);
  expect(page).toContain("- MPICH: 1 of 3 in C, 1 of 2 in Fortran");
  expect(
    isIn(
      { ...mpi, fortran: new Set() },
      CALLS.find(({ name }) => name === "MPI_Recv_c")!,
      "Fortran",
    ),
  ).toBe(true);
});

/** Programs whose rows are compared with a table; others are named on the page, too. */
const PROGRAMS: [string, Mpi][] = [
  ["keys_collective", "mpich"],
  ["keys_messages", "mpich"],
  ["keys_communicators", "mpich"],
  ["keys_refused", "mpich"],
  ["rma", "mpich"],
  ["files", "mpich"],
  ["persistent", "mpich"],
  ["connect", "openmpi"],
];

describe("the page names no program for a call that it does not make", () => {
  beforeAll(buildInterceptor);

  test.each(PROGRAMS)("%s, with %s", (program, mpi) => {
    for (const language of ["C", "Fortran"] as const) {
      const forms = formsOf(program).filter((form) => form.language === language);
      const file = forms[0]!.file;
      const text = readFileSync(source(file), "utf8");
      // MPICH 4.0 has no large counts for files in Fortran: there the page says so.
      const large = text.includes(language === "C" ? "L(" : "N(") && file !== "files.F90";
      if (large) forms.push(...largeFormsOf(program).filter((form) => form.language === language));
      const claimed = [...readProgram(file, text, CALLS).calls]
        .filter((call) => RECORDED.has(call) && !FRAME.test(call))
        .filter((call) => file !== "files.F90" || !call.endsWith("_c"));
      expect([...new Set(forms.flatMap((form) => callsOf(mpi, form)))].toSorted()).toEqual(
        claimed.toSorted(),
      );
    }
  });
});

/** Every program has these, some by way of what they include. */
const FRAME = /^mpi_(init|finalize)$/;
const RECORDED = new Set(CALLS.map(({ name }) => name.toLowerCase()));

function callsOf(mpi: Mpi, form: Form): string[] {
  const cwd = temporary("cwd-");
  const command = launch(mpi, [compile(mpi, form.file, form.flags(mpi), form.name)]);
  const { files } = runTraced(command, { cwd });
  rmSync(cwd, { recursive: true });
  return files
    .flatMap(({ records }) => records.map(({ call }) => call.toLowerCase()))
    .filter((call) => !FRAME.test(call));
}
