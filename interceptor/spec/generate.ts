/**
 * Writes everything that follows from mpi-calls.txt:
 *
 *     tsx interceptor/spec/generate.ts OUTPUT_FOLDER MPI=NAMES_FILE...
 *
 * C sources for interceptor/Makefile, mpi-calls.json for programs, mpi-calls.md for people. For each
 * MPI a folder with wrappers of the calls that its mpi.h declares: NAMES_FILE lists these, as
 * interceptor/mpi/list-mpi.sh writes it. Files whose text did not change keep their time stamp.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { emitCWrappers } from "./emit-c.ts";
import { emitCallsHeader, emitCallsJson, emitCallsMarkdown, emitCallsTable } from "./emit-calls.ts";
import { emitFortranWrappers } from "./emit-fortran.ts";
import { emitTrampolines } from "./emit-trampolines.ts";
import { parseCalls, SpecError } from "./parse.ts";

/** Names that an MPI's header declares, by the name of its folder. */
type Headers = ReadonlyMap<string, ReadonlySet<string>>;

function generate(output: string, headers: Headers): void {
  const spec = readFileSync(fileURLToPath(new URL("mpi-calls.txt", import.meta.url)), "utf8");
  const calls = parseCalls(spec);
  const files: Record<string, string> = {
    "calls.h": emitCallsHeader(calls, spec),
    "calls.c": emitCallsTable(calls),
    "trampolines.c": emitTrampolines(calls),
    "mpi-calls.json": emitCallsJson(calls),
    "mpi-calls.md": emitCallsMarkdown(calls),
  };
  for (const [mpi, names] of headers) {
    const declared = calls.filter(({ name }) => names.has(name));
    files[`${mpi}/wrappers_c.c`] = emitCWrappers(declared);
    files[`${mpi}/wrappers_fortran.c`] = emitFortranWrappers(declared);
  }
  for (const [name, text] of Object.entries(files)) writeIfChanged(join(output, name), text);
}

function writeIfChanged(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function readHeaders(pairs: readonly string[]): Headers {
  return new Map(
    pairs.map((pair) => {
      const [mpi = "", file = ""] = pair.split("=");
      return [mpi, new Set(readFileSync(file, "utf8").split("\n"))];
    }),
  );
}

const [output, ...pairs] = process.argv.slice(2);
if (!output || pairs.some((pair) => !/^\w+=./.test(pair))) {
  process.stderr.write("usage: tsx interceptor/spec/generate.ts OUTPUT_FOLDER MPI=NAMES_FILE...\n");
  process.exitCode = 2;
} else {
  try {
    generate(output, readHeaders(pairs));
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
