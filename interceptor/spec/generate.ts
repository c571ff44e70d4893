/**
 * Writes everything that follows from mpi-calls.txt:
 *
 *     tsx interceptor/spec/generate.ts OUTPUT_FOLDER
 *
 * C sources for interceptor/Makefile, mpi-calls.json for programs, mpi-calls.md for people. Files whose
 * text did not change keep their time stamp.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { emitCWrappers } from "./emit-c.ts";
import { emitCallsHeader, emitCallsJson, emitCallsMarkdown, emitCallsTable } from "./emit-calls.ts";
import { emitFortranWrappers } from "./emit-fortran.ts";
import { emitTrampolines } from "./emit-trampolines.ts";
import { parseCalls, SpecError } from "./parse.ts";

function generate(output: string): void {
  const spec = readFileSync(fileURLToPath(new URL("mpi-calls.txt", import.meta.url)), "utf8");
  const calls = parseCalls(spec);
  const files: Record<string, string> = {
    "calls.h": emitCallsHeader(calls, spec),
    "calls.c": emitCallsTable(calls),
    "wrappers_c.c": emitCWrappers(calls),
    "wrappers_fortran.c": emitFortranWrappers(calls),
    "trampolines.c": emitTrampolines(calls),
    "mpi-calls.json": emitCallsJson(calls),
    "mpi-calls.md": emitCallsMarkdown(calls),
  };
  mkdirSync(output, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeIfChanged(join(output, name), text);
}

function writeIfChanged(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  writeFileSync(path, text);
}

const output = process.argv[2];
if (!output || process.argv.length > 3) {
  process.stderr.write("usage: tsx interceptor/spec/generate.ts OUTPUT_FOLDER\n");
  process.exitCode = 2;
} else {
  try {
    generate(output);
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
