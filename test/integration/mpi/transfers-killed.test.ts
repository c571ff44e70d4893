import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ingest } from "../../../src/trace/ingest.ts";
import { Store } from "../../../src/trace/store.ts";
import {
  buildInterceptor,
  compile,
  INTERCEPTOR,
  launch,
  MPIS,
  run,
  temporary,
} from "./support/jobs.ts";

beforeAll(() => {
  buildInterceptor();
});

/** One round is 32 receives, 32 sends, and a call that completes all. */
const PER_ROUND = 64;

test.each(MPIS)("%s: killed at any moment, no transfer is lost or made up", async (mpi) => {
  const program = compile(mpi, "transfers_killed.c");
  for (const milliseconds of [1, 7, 30, 60, 90, 150]) {
    const directory = temporary("killed-");
    const trace = join(directory, "trace");
    mkdirSync(trace);
    run(launch(mpi, [program, String(milliseconds)], { ranks: 1 }), {
      cwd: directory,
      env: {
        VARSCOPE_TRACE_DIR: trace,
        VARSCOPE_BUDGET: "full",
        LD_PRELOAD: join(INTERCEPTOR, "libvarscope.so"),
      },
    });
    const { warnings } = await ingest(directory);
    expect(warnings.filter((line) => /damaged|not there|transfers/.test(line))).toEqual([]);
    const rounds = Number(readFileSync(join(directory, "rounds")).readBigInt64LE());
    const store = await Store.open(join(directory, "run.duckdb"), { readOnly: true });
    const [counted] = await store.rows(
      `SELECT count(*)::INTEGER AS transfers, count(DISTINCT completed_ns)::INTEGER AS rounds,
              count(*) FILTER (tag <> (rowid % 32) OR peer <> 0 OR bytes <> 8 OR outcome <> 0)::INTEGER AS wrong
         FROM transfers`,
    );
    store.close();
    // The last round may have been recorded, though the program did not get to count it.
    expect([rounds, rounds + 1]).toContain(counted!["rounds"]);
    expect(counted).toMatchObject({
      transfers: PER_ROUND * Number(counted!["rounds"]),
      wrong: 0,
    });
    rmSync(directory, { recursive: true });
  }
});
