import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Report } from "../../../src/report/model.ts";
import { MPIS, mpirun, ROOT, temporary, varscope } from "../run-support/varscope.ts";

/** A rank comes 200 ms late; half of that says that the wait was seen. */
const SEEN = 0.1;

describe.each(MPIS)("collectives that a rank comes late to, %s", (mpi) => {
  test("are named with kind, call and the late rank, and nobody else waits", () => {
    const folder = join(ROOT, "build/test/waits");
    mkdirSync(folder, { recursive: true });
    const program = join(folder, `collectives-${mpi}`);
    const source = join(import.meta.dirname, "collectives.c");
    execFileSync(`mpicc.${mpi}`, ["-O1", "-g", "-o", program, source]);
    const directory = join(temporary(), "run");
    const job = varscope(["run", "--full", "-o", directory, "--", ...mpirun(mpi, program)]);
    expect(job.status).toBe(0);
    const report = JSON.parse(varscope(["report", directory, "--json"]).stdout) as Report;

    const long = report.waits.filter(({ waitingSeconds }) => waitingSeconds > SEEN);
    const found = long.map(({ kind, call, ranks, causeRank }) => {
      return `${kind} in ${call}: ${ranks.join(",")} for ${causeRank}`;
    });
    expect(found.toSorted()).toEqual([
      "late root in MPI_Bcast: 0 for 1",
      "wait at barrier in MPI_Barrier: 0 for 1",
      "wait at barrier in MPI_Barrier: 0 for 1",
      "wait at barrier in MPI_Wait: 0 for 1",
      "wait at n-to-1 in MPI_Reduce: 0 for 1",
      "wait at n-to-n in MPI_Allreduce: 0 for 1",
      "wait at n-to-n in MPI_Comm_dup: 0 for 1",
      "wait at prefix in MPI_Scan: 1 for 0",
    ]);
    // Two ranks make eight collectives on the world (seven here and MPI_Finalize) and one on its copy.
    expect(report.quality.matching).toMatchObject({
      collectives: { calls: 18, matched: 18, unmatched: 0 },
    });
    expect(report.waiting.causes[0]?.rank).toBe(1);
    expect(varscope(["report", directory, "--text"]).stdout).toContain("Waiting in calls");
  });
});
