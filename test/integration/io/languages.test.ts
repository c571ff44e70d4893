import { rmSync } from "node:fs";
import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildInterceptor, type Mpi, MPIS, temporary } from "../mpi/support/jobs.ts";
import { compileInto, type IoRow, ioRows, type Pair, program, runBoth } from "./support.ts";

const folder = temporary("io-languages-");
beforeAll(buildInterceptor, 600_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** Bytes that calls like `pattern` moved to or from the file `name`. */
function moved(rows: IoRow[], pattern: RegExp, name: string): number {
  return rows
    .filter(([call, , , , file]) => pattern.test(call) && file === name)
    .reduce((sum, [, bytes]) => sum + bytes, 0);
}

function checkSame({ plain, traced, files }: Pair, stdout: string): void {
  expect(plain).toMatchObject({ status: 0, stdout });
  expect(traced).toEqual(plain);
  expect(files).toHaveLength(2);
  for (const file of files) {
    expect(file).toMatchObject({ finalized: true, lost: 0, problems: [] });
    expect(file.intercepted).toBe(file.records.length);
  }
}

describe.each(MPIS)("I/O of other languages, %s", (mpi: Mpi) => {
  test("C++ streams", () => {
    const pair = runBoth(mpi, [compileInto(folder, mpi, "streams.cpp")]);
    checkSame(pair, "100000\n");
    for (const file of pair.files) {
      const rows = ioRows(file);
      expect(moved(rows, /^writev?$/, "streams")).toBe(100_000);
      expect(moved(rows, /^readv?$/, "streams")).toBe(100_000);
      const writes = file.records.filter(({ call }) => /^writev?$/.test(call));
      expect(writes.every(({ module }) => /libstdc\+\+/.test(basename(module)))).toBe(true);
    }
  });

  test("Fortran records", () => {
    const pair = runBoth(mpi, [compileInto(folder, mpi, "records.F90")]);
    checkSame(pair, "T\n");
    for (const file of pair.files) {
      const rows = ioRows(file);
      expect(moved(rows, /^write$/, "records")).toBe(8000);
      expect(moved(rows, /^read$/, "records")).toBe(8000);
    }
  });

  // mpi4py of the distribution is built against Open MPI.
  test.runIf(mpi === "openmpi")("Python", () => {
    const pair = runBoth(mpi, ["/usr/bin/python3", program("files.py")]);
    checkSame(pair, "10000 True True\n");
    for (const file of pair.files) {
      const rows = ioRows(file);
      const writes = rows.filter(([call, , , , name]) => call === "write" && name === "python");
      expect(writes.map(([, bytes]) => bytes)).toEqual(Array.from({ length: 10 }, () => 1000));
      expect(moved(rows, /^read$/, "python")).toBe(10_000);
    }
  });
});
