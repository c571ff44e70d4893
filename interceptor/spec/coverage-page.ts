/**
 * Writes mpi-coverage.md, for people:
 *
 *     tsx interceptor/spec/coverage-page.ts PAGE MPI=NAMES_FILE,FORTRAN_FILE...
 *
 * NAMES_FILE as interceptor/mpi/list-mpi.sh writes it, FORTRAN_FILE as list-fortran.sh does. Apart from generate.ts,
 * because it follows from the test programs, of which the interceptor's code must not.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { emitCoverage, type Mpi } from "./coverage.ts";
import { parseLocal } from "./local.ts";
import { parseCalls } from "./parse.ts";
import { readPrograms } from "./programs.ts";

const TITLES: Readonly<Record<string, string>> = { openmpi: "Open MPI", mpich: "MPICH" };
const PROGRAMS = ["mpi", "conformance"].map((kind) => `../../test/integration/${kind}/programs/`);

function here(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function lines(file: string): ReadonlySet<string> {
  return new Set(readFileSync(file, "utf8").split("\n").filter(Boolean));
}

function readMpi(pair: string): Mpi {
  const [name = "", files = ""] = pair.split("=");
  const [declared = "", fortran = ""] = files.split(",");
  return { name, title: TITLES[name] ?? name, declared: lines(declared), fortran: lines(fortran) };
}

const [page, ...pairs] = process.argv.slice(2);
if (!page || pairs.some((pair) => !/^\w+=.+,.+/.test(pair))) {
  process.stderr.write("usage: tsx interceptor/spec/coverage-page.ts PAGE MPI=NAMES,FORTRAN...\n");
  process.exitCode = 2;
} else {
  const calls = parseCalls(readFileSync(here("mpi-calls.txt"), "utf8"));
  const names = new Set(calls.map(({ name }) => name));
  const local = parseLocal(readFileSync(here("mpi-local.txt"), "utf8"), names);
  const programs = readPrograms(PROGRAMS.map(here).filter(existsSync), calls);
  const mpis = pairs.map(readMpi);
  writeFileSync(page, emitCoverage({ calls, local, mpis, programs }));
}
