import { join } from "node:path";
import { expect, test } from "vitest";
import { ingest } from "../../src/trace/ingest.ts";
import { Store } from "../../src/trace/store.ts";
import { MPIS, ROOT, run, temporary, varscope } from "./run-support/varscope.ts";

const STEPS = 20;

const writer = (mpi: string, ...words: string[]) => [
  join(ROOT, `build/workloads/writer-${mpi}`),
  ...words,
];

test.each(MPIS)("%s: rank 0, and no other, writes to the disk once a step", async (mpi) => {
  const directory = join(temporary(), "run");
  const command = [`mpirun.${mpi}`, "-n", "2", ...writer(mpi, "--steps", String(STEPS))];
  const { status, stdout } = varscope(["run", "-o", directory, "--", ...command]);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^steps 20 seconds [\d.]+\n$/);
  await ingest(directory);
  const store = await Store.open(join(directory, "run.duckdb"));
  try {
    const rows = await store.rows(`
      SELECT rank, call, count(*)::INTEGER AS calls FROM calls JOIN states USING (state)
       WHERE call IN ('fdatasync', 'pwrite') GROUP BY ALL ORDER BY rank, call`);
    expect(rows).toEqual([
      { rank: 0, call: "fdatasync", calls: STEPS },
      { rank: 0, call: "pwrite", calls: STEPS },
    ]);
  } finally {
    store.close();
  }
});

test.each([[["--steps", "0"]], [["--steps"]], [["--kilobytes", "-1"]]])("refuses %j", (words) => {
  const { status, stdout, stderr } = run(writer("mpich", ...words));
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain("usage: writer");
});
