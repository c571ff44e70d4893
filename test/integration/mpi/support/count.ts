import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  compilePlain,
  GENERATED,
  type RunOptions,
  runTraced,
  temporary,
  type Traced,
} from "./jobs.ts";
import type { TraceFile } from "./trace-file.ts";

export type Counts = Record<string, number>;

export interface Counted extends Traced {
  /** Calls by name, of each process, as the counting library saw them. */
  counted: Map<number, Counts>;
}

interface CallName {
  name: string;
  /** Every name under which a program can call it. */
  symbols: string[];
}

export function readCalls(): CallName[] {
  return JSON.parse(readFileSync(join(GENERATED, "mpi-calls.json"), "utf8")) as CallName[];
}

/** Builds the library of support/count.c; returns its path. */
export function buildCounter(): string {
  const folder = join(GENERATED, "../test-mpi");
  mkdirSync(folder, { recursive: true });
  const names = join(folder, "count-names.h");
  const calls = readCalls();
  const rows = calls.flatMap(({ symbols }, number) =>
    symbols.map((symbol) => `X(${symbol}, ${number})`),
  );
  writeFileSync(names, `${rows.join("\n")}\n`);
  return compilePlain(
    fileURLToPath(new URL("count.c", import.meta.url)),
    ["-shared", "-fPIC", `-DNAMES_FILE="${names}"`, `-DCOUNTS=${calls.length}`],
    "libcount.so",
  );
}

/** Runs a command under interceptor and counting library together. */
export function runCounted(command: string[], counter: string, options: RunOptions = {}): Counted {
  const directory = temporary("counts-");
  const traced = runTraced(command, {
    ...options,
    env: { ...options.env, LD_PRELOAD: counter, COUNT_DIR: directory },
  });
  const calls = readCalls();
  const counted = new Map<number, Counts>();
  for (const pid of readdirSync(directory)) {
    const lines = readFileSync(join(directory, pid), "utf8").trim().split("\n");
    const counts: Counts = {};
    for (const [index, line] of lines.entries()) {
      if (line !== "0") counts[calls[index]!.name] = Number(line);
    }
    counted.set(Number(pid), counts);
  }
  rmSync(directory, { recursive: true });
  return { ...traced, counted };
}

/** Calls by name in a trace. */
export function recordedCounts(file: TraceFile): Counts {
  const counts: Counts = {};
  for (const { call } of file.records) counts[call] = (counts[call] ?? 0) + 1;
  return counts;
}
