import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import type { Report } from "../../src/report/model.ts";
import {
  checksum,
  MPIS,
  mpirun,
  ROOT,
  stencil,
  temporary,
  varscope,
} from "./run-support/varscope.ts";

const SCHEMA: object = JSON.parse(
  readFileSync(join(ROOT, "src/report/report.schema.json"), "utf8"),
) as object;
const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(SCHEMA);

/** The stencil's own account of its calls, from its source: per step 4 + 4 + 1 + 1, and set-up. */
const STEPS = 300;
const CALLS_PER_STEP = 10;

describe.each(MPIS)("a recorded job of %s", (mpi) => {
  test("gives a report that keeps to the published schema and adds up", () => {
    const folder = temporary();
    const command = mpirun(mpi, ...stencil(mpi, "--steps", String(STEPS)));
    const job = varscope(["run", "-o", "run", "--", ...command], { cwd: folder });
    expect(job.status, job.stderr).toBe(0);
    expect(checksum(job.stdout)).toBeDefined();

    const { status, stdout, stderr } = varscope(["report", "run", "--json"], { cwd: folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const report = JSON.parse(stdout) as Report;
    validate(report);
    expect(validate.errors).toBeNull();

    expect(report.run).toMatchObject({ ranks: 2, complete: true, command, exitCode: 0 });
    const { events, coverage } = report.quality;
    expect(events.intercepted).toBe(events.recorded + events.sampledOut + events.lost);
    expect(events.recorded).toBeGreaterThanOrEqual(2 * STEPS * CALLS_PER_STEP);
    expect(events.recorded).toBeLessThan(2 * (STEPS * CALLS_PER_STEP + 30));
    const parts = Object.values(coverage.parts).reduce((sum, part) => sum + part, 0);
    expect(parts).toBeCloseTo(coverage.totalRankSeconds, 6);
  });

  test("is shown as text that fits a terminal, and answers SQL", () => {
    const folder = temporary();
    const command = mpirun(mpi, ...stencil(mpi, "--steps", String(STEPS)));
    varscope(["run", "--", ...command], { cwd: folder });

    const text = varscope(["report"], { cwd: folder });
    expect(text.status, text.stderr).toBe(0);
    for (const line of text.stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(text.stdout).toContain("2 ranks");

    const query =
      "SELECT count(*) AS n FROM calls JOIN states USING (state) WHERE call = 'MPI_Allreduce'";
    const sql = varscope(["sql", query, "--json"], { cwd: folder });
    expect(sql.stderr).toBe("");
    const rows = JSON.parse(sql.stdout) as { n: number }[];
    expect(rows[0]?.n).toBeGreaterThanOrEqual(2 * STEPS);
  });
});
