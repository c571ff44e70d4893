import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { decode } from "../../unit/trace/support/decode.ts";
import {
  buildInterceptor,
  compile,
  INTERCEPTOR,
  launch,
  MPIS,
  run,
  temporary,
} from "./support/jobs.ts";
import { row, rows } from "./support/rows.ts";
import { readTraceFile } from "./support/trace-file.ts";

beforeAll(buildInterceptor);

const WORKLOADS = fileURLToPath(new URL("../../../build/workloads/", import.meta.url));

/** Calls by name, recorded and left out, and the counters of all threads. */
function count(path: string, name: string): Record<string, number> {
  const { reader, calls: records, damage } = decode(path);
  const { threads, states } = reader.description;
  const named = new Set(states.filter(({ call }) => call === name).map(({ number }) => number));
  expect(damage).toEqual([]);
  const total = { recorded: 0, leftOut: 0, intercepted: 0, written: 0, sampledOut: 0, lost: 0 };
  total.recorded = records.filter(({ state }) => named.has(state)).length;
  for (const thread of threads) {
    total.intercepted += thread.intercepted;
    total.written += thread.written;
    total.sampledOut += thread.sampledOut;
    total.lost += thread.lost;
    for (const { state, calls } of thread.leftOut) {
      if (named.has(state)) total.leftOut += calls;
    }
  }
  return total;
}

function traced(
  command: string[],
  budget: string,
): { paths: string[]; stdout: string; done: () => void } {
  const directory = temporary("left-out-");
  const { status, stdout, stderr } = run(command, {
    env: {
      VARSCOPE_TRACE_DIR: directory,
      VARSCOPE_BUDGET: budget,
      VARSCOPE_THREADS: "off",
      VARSCOPE_IO: "off",
      LD_PRELOAD: join(INTERCEPTOR, "libvarscope.so"),
    },
  });
  expect([status, stderr]).toEqual([0, ""]);
  const paths = readdirSync(directory).map((name) => join(directory, name));
  expect(paths).toHaveLength(2);
  return { paths, stdout, done: () => rmSync(directory, { recursive: true }) };
}

/** The program says how often it called MPI_Iprobe. */
test.each(MPIS.flatMap((mpi) => ["0", "0.2", "1"].map((budget) => ({ mpi, budget }))))(
  "$mpi, budget $budget: a million calls a second are all counted",
  ({ mpi, budget }) => {
    const program = [join(WORKLOADS, `call-rate-${mpi}`), "--work", "300", "600000"];
    const { paths, stdout, done } = traced(launch(mpi, program), budget);
    const calls = Number(/ calls (\d+)/.exec(stdout)?.[1]);
    expect(calls).toBe(600_000);
    for (const path of paths) {
      const all = count(path, "MPI_Iprobe");
      expect(all["recorded"]! + all["leftOut"]!).toBe(calls);
      expect(all["intercepted"]).toBe(all["written"]! + all["sampledOut"]! + all["lost"]!);
      expect(all).toMatchObject({ lost: 0, sampledOut: all["leftOut"] });
      expect(all["leftOut"]).toBeGreaterThan(0);
    }
    done();
  },
);

/** Levels of any sign are 32 bits wide. */
const MARKED = [
  row("Init"),
  ...[1, 2].map(() => row("Barrier", { comm: 0 })),
  row("Pcontrol", { bytes: 0 }),
  row("Pcontrol", { bytes: 1 }),
  row("Barrier", { comm: 0 }),
  row("Pcontrol", { bytes: 7 }),
  row("Pcontrol", { bytes: 2 ** 32 - 2 }),
  row("Finalize"),
];

test.each(MPIS.flatMap((mpi) => ["phases.c", "phases.F90"].map((file) => ({ mpi, file }))))(
  "$file with $mpi: MPI_Pcontrol pauses, resumes and marks",
  ({ mpi, file }) => {
    const program = compile(mpi, file, [], file.replace(".", "-"));
    const { paths, done } = traced(launch(mpi, [program]), "full");
    for (const path of paths) {
      expect(rows(readTraceFile(path))).toEqual(MARKED);
      expect(count(path, "MPI_Barrier")).toMatchObject({ recorded: 3, leftOut: 3, sampledOut: 3 });
    }
    done();
  },
);
