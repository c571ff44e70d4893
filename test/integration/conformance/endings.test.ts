import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { recordedCounts } from "../mpi/support/count.ts";
import { buildInterceptor, compile, launch, MPIS, run, runTraced } from "../mpi/support/jobs.ts";
import { MPI_ENVIRONMENT, temporary, traceFiles, varscope } from "../run-support/varscope.ts";

interface Ending {
  title: string;
  kind: string;
  /** Statuses that an untraced job can end with, when it is a matter of chance. */
  mpich?: number[];
}

/** Every rank ends so, or rank 1 does and the launcher ends the other. */
const ENDINGS: Ending[] = [
  // MPICH's launcher takes ranks that leave without a word for a failure or not, as it happens.
  { title: "all leave by _exit without MPI_Finalize", kind: "leave", mpich: [0, 1] },
  { title: "all leave by exit without MPI_Finalize", kind: "leave-by-exit", mpich: [1, 3] },
  { title: "MPI_Abort", kind: "abort" },
  { title: "SIGKILL", kind: "kill" },
  { title: "SIGTERM", kind: "terminate" },
  { title: "a null pointer", kind: "segfault" },
  { title: "abort()", kind: "stdlib-abort" },
];

beforeAll(buildInterceptor);

describe.each(MPIS)("%s", (mpi) => {
  test.each(ENDINGS)("a job ended by $title leaves nothing to read", ({ kind, mpich }) => {
    // B29, B30
    const command = launch(mpi, [compile(mpi, "symptoms_lifecycle.c"), kind]);
    const plain = run(command);
    const traced = runTraced(command);
    const statuses = mpi === "mpich" && mpich ? mpich : [plain.status];
    for (const { status } of [plain, traced]) expect(statuses).toContain(status);
    // A launcher that ends a job may drop what it has not passed on; what is there is the program's.
    for (const line of traced.stderr.split("\n")) expect(line).not.toMatch(/varscope/);
    expect(traced.files.map(({ rank }) => rank)).toEqual([0, 1]);
    for (const file of traced.files) {
      // All 100 barriers were over before the end began; the barrier that never ends is not recorded.
      expect(recordedCounts(file)).toEqual({ MPI_Init: 1, MPI_Barrier: 100 });
      expect(file).toMatchObject({ finalized: false, sampledOut: 0, problems: [] });
      expect(file.intercepted).toBe(file.records.length + file.lost);
    }
  });

  test.each(["kill", "abort", "leave"])("the report of a job ended by %s says so", (kind) => {
    const cwd = temporary();
    const command = launch(mpi, [compile(mpi, "symptoms_lifecycle.c"), kind]);
    varscope(["run", "--no-io", "--no-threads", "-o", "here", "--", ...command], {
      cwd,
      env: MPI_ENVIRONMENT,
    });
    expect(traceFiles(join(cwd, "here"))).toEqual(["0.vst", "1.vst"]);
    for (const name of traceFiles(join(cwd, "here"))) {
      expect(readFileSync(join(cwd, "here/trace", name)).length).toBeGreaterThan(4096);
    }
    const reported = varscope(["report", "here", "--json"], { cwd });
    expect(reported.status).toBe(0);
    expect(JSON.parse(reported.stdout)).toMatchObject({
      run: { ranks: 2, complete: false },
      quality: { events: { recorded: 2 * 101 } },
    });
  });
});
