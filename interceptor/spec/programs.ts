import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "./parse.ts";

export type Language = "C" | "Fortran";

/** A test program, by its text. */
export interface Program {
  file: string;
  language: Language;
  /** The one MPI that tests run it with, or undefined for all. */
  only: string | undefined;
  /** MPI functions it calls, lower case; those in L() or with N() in both widths. */
  calls: ReadonlySet<string>;
}

/** The programs of some folders; C stands for C++ and Python, too. */
export function readPrograms(folders: readonly string[], calls: readonly Call[]): Program[] {
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .toSorted()
      .filter((file) => /\.(c|cpp|F90|py)$/.test(file))
      .map((file) => readProgram(file, readFileSync(join(folder, file), "utf8"), calls)),
  );
}

/** "Open MPI alone" or "MPICH alone" in the comment at the head says that tests run it there alone. */
const ALONE = /\b(Open MPI|MPICH) alone\b/;

export function readProgram(file: string, text: string, calls: readonly Call[]): Program {
  const found = ALONE.exec(text.slice(0, 500))?.[1];
  const language = file.endsWith(".F90") ? "Fortran" : "C";
  const large = new Set(calls.filter((call) => call.large).map(({ name }) => name.toLowerCase()));
  const names = new Set<string>();
  for (const [name, both] of language === "C" ? callsInC(text) : callsInFortran(text)) {
    names.add(name);
    if (both && large.has(`${name}_c`)) names.add(`${name}_c`);
  }
  const only = found === "Open MPI" ? "openmpi" : found === "MPICH" ? "mpich" : undefined;
  return { file, language, only, calls: names };
}

type Found = [name: string, bothWidths: boolean];

/** MPI_X(...), L(MPI_X)(...), and COLLECTIVE(X, Ix, ...), which calls X, Ix and X_init in both widths. */
function callsInC(text: string): Found[] {
  const plain = [...text.matchAll(/\b(MPI_\w+)\s*\(/g)].map(
    ([, name = ""]): Found => [name, false],
  );
  const inL = [...text.matchAll(/\bL\((MPI_\w+)\)/g)].map(([, name = ""]): Found => [name, true]);
  const families = [...text.matchAll(/\bCOLLECTIVE\((\w+), (\w+),/g)].flatMap(
    ([, name = "", started = ""]): Found[] =>
      [name, started, `${name}_init`].map((one) => [`MPI_${one}`, true]),
  );
  return [...plain, ...inL, ...families].map(([name, both]) => [name.toLowerCase(), both]);
}

/** Programs whose counts are of kind COUNT or in N() are compiled in both widths. */
function callsInFortran(text: string): Found[] {
  const both = /\bN\(|\bCOUNT ::/.test(text);
  return [...text.matchAll(/\bcall\s+(mpi_\w+)/gi)].map(([, name = ""]) => [
    name.toLowerCase(),
    both,
  ]);
}
