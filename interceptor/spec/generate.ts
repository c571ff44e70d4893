/**
 * Writes everything that follows from mpi-calls.txt and the lists of other calls:
 *
 *     tsx interceptor/spec/generate.ts OUTPUT_FOLDER MPI=NAMES_FILE...
 *
 * C sources for interceptor/Makefile, mpi-calls.json for programs, mpi-calls.md for people. For each MPI a folder with wrappers of the calls that its mpi.h declares: NAMES_FILE lists these, as
 * interceptor/mpi/list-mpi.sh writes it; one that no table has is a warning. Files whose text did not change keep their time stamp.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { emitCWrappers } from "./emit-c.ts";
import { emitCallsHeader, emitCallsJson, emitCallsMarkdown, emitCallsTable } from "./emit-calls.ts";
import { emitFortranWrappers } from "./emit-fortran.ts";
import { emitPrototypeCheck, emitPrototypes } from "./emit-prototypes.ts";
import { emitTrampolines } from "./emit-trampolines.ts";
import { LocalError, parseLocal, unknownFunctions } from "./local.ts";
import { parseOtherCalls } from "./other-calls.ts";
import { parseCalls, SpecError } from "./parse.ts";

/** Names that an MPI's header declares, by the name of its folder. */
type Headers = ReadonlyMap<string, ReadonlySet<string>>;

function here(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function generate(output: string, headers: Headers): void {
  const spec = readFileSync(here("mpi-calls.txt"), "utf8");
  const calls = parseCalls(spec);
  const intercepted = new Set(calls.map(({ name }) => name));
  const local = parseLocal(readFileSync(here("mpi-local.txt"), "utf8"), intercepted);
  const others = ["io-calls.txt", "thread-calls.txt"].flatMap((name) =>
    parseOtherCalls(readFileSync(here(name), "utf8"), name),
  );
  const files: Record<string, string> = {
    "calls.h": emitCallsHeader(calls, others, spec),
    "calls.c": emitCallsTable([...calls, ...others]),
    "trampolines.c": emitTrampolines(calls),
    "mpi-calls.json": emitCallsJson(calls),
    "mpi-calls.md": emitCallsMarkdown(calls),
  };
  for (const [mpi, names] of headers) {
    const declared = calls.filter(({ name }) => names.has(name));
    files[`${mpi}/wrappers_c.c`] = emitCWrappers(declared);
    files[`${mpi}/wrappers_fortran.c`] = emitFortranWrappers(declared);
    files[`${mpi}/prototypes.h`] = emitPrototypes(declared);
    files[`${mpi}/check_prototypes.c`] = emitPrototypeCheck(declared);
    for (const name of unknownFunctions(names, intercepted, local)) {
      process.stderr.write(
        `interceptor: warning: ${mpi} has ${name}, which is in neither table; it passes through\n`,
      );
    }
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
    if (!(error instanceof SpecError || error instanceof LocalError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
