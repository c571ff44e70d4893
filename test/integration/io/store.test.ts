import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ingest } from "../../../src/trace/ingest.ts";
import { Store } from "../../../src/trace/store.ts";
import { MPIS } from "../mpi/support/jobs.ts";
import { MPI_ENVIRONMENT, run, varscope } from "../run-support/varscope.ts";
import { compileInto } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "varscope-io-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(MPIS)("I/O in the store, %s", (mpi) => {
  let program: string;
  beforeAll(() => {
    program = compileInto(folder, mpi, "io.c");
  });

  test("files are numbered once for all ranks that see the same one", async () => {
    const output = join(folder, `kinds-${mpi}`);
    const words = ["run", "-o", output, "--full", "--", `mpirun.${mpi}`, "-n", "2", program];
    const result = varscope([...words, "kinds"], { cwd: folder, env: MPI_ENVIRONMENT });
    expect(result).toMatchObject({ status: 0, stdout: "0 0 3 3 4 4 5 6 0\n" });
    await ingest(output);
    const store = await Store.open(join(output, "run.duckdb"), { readOnly: true });
    const used = await store.rows(`
      SELECT f.kind, f.file_system, count(DISTINCT file) AS files, count(DISTINCT rank) AS ranks, sum(bytes)::INTEGER AS bytes
        FROM calls JOIN files f USING (file) JOIN states USING (state)
       WHERE call = 'write' GROUP BY ALL ORDER BY kind`);
    expect(used).toEqual([
      { kind: "device", file_system: expect.any(String), files: 1, ranks: 2, bytes: 12 },
      { kind: "pipe", file_system: "pipefs", files: 2, ranks: 2, bytes: 6 },
      { kind: "socket", file_system: "sockfs", files: 2, ranks: 2, bytes: 8 },
      { kind: "terminal", file_system: "devpts", files: 2, ranks: 2, bytes: 10 },
    ]);
    const rows = await store.rows(`
      SELECT category LIKE 'io@_%' ESCAPE '@' AS io, min(communicator) AS "from", max(communicator) AS "to",
             max(file) >= 0 AS file
        FROM calls JOIN states USING (state) GROUP BY 1 ORDER BY 1`);
    expect(rows[1]).toEqual({ io: true, from: -1, to: -1, file: true });
    expect(rows[0]).toMatchObject({ io: false, file: false });
    const kinds = await store.rows(`
      SELECT DISTINCT kind FROM fragments JOIN states ON state = snippet
       WHERE kind <> 'compute' AND call IN ('write', 'MPI_Init_thread') ORDER BY 1`);
    expect(kinds.map(({ kind }) => kind)).toContain("io");
    store.close();
    const report = varscope(["report", output, "--json"], { cwd: folder });
    expect(report.status).toBe(0);
  });

  test("a program that closes all descriptors goes on as before, and is recorded", async () => {
    const alone = run([program, "shut"], { cwd: folder });
    const told = readFileSync(join(folder, "shut"), "utf8");
    rmSync(join(folder, "shut"));
    const output = join(folder, `shut-${mpi}`);
    const traced = varscope(["run", "-o", output, "--full", "--", program, "shut"], {
      cwd: folder,
    });
    expect(told).toBe("0 1\n");
    expect(readFileSync(join(folder, "shut"), "utf8")).toBe(told);
    rmSync(join(folder, "shut"));
    expect(traced.status).toBe(alone.status);
    await ingest(output);
    const store = await Store.open(join(output, "run.duckdb"), { readOnly: true });
    const calls = await store.rows(`
      SELECT call, count(*)::INTEGER AS n, sum(bytes)::INTEGER AS bytes FROM calls JOIN states USING (state)
       WHERE category LIKE 'io@_%' ESCAPE '@' GROUP BY call ORDER BY call`);
    store.close();
    expect(calls).toEqual([
      { call: "close", n: 1023, bytes: 0 },
      { call: "fclose", n: 1, bytes: 0 },
      { call: "fopen", n: 1, bytes: 0 },
      { call: "fprintf", n: 1, bytes: 4 },
      { call: "open", n: 1, bytes: 0 },
      { call: "write", n: 1, bytes: 1 },
    ]);
  });
});
