import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { ingest } from "../../../../src/trace/ingest.ts";
import { type Row, Store } from "../../../../src/trace/store.ts";
import { INTERCEPTOR, launch, type Mpi, run, temporary } from "./jobs.ts";

export interface TransferRun {
  stdout: string;
  status: number | null;
  /** Lines that each rank wrote to its file truth-RANK. */
  truth: string[][];
  /** Rows of a query of the store. */
  query(sql: string): Promise<Row[]>;
  remove(): void;
}

/** Runs a program on two ranks under varscope in a folder of its own, ingests what it left, and does `more` with the store. */
export async function runForTransfers(
  mpi: Mpi,
  program: string[],
  more?: (store: Store) => Promise<void>,
): Promise<TransferRun> {
  const directory = temporary("transfers-");
  const trace = join(directory, "trace");
  mkdirSync(trace);
  const { stdout, stderr, status } = run(launch(mpi, program), {
    cwd: directory,
    env: {
      VARSCOPE_TRACE_DIR: trace,
      LD_PRELOAD: join(INTERCEPTOR, "libvarscope.so"),
      VARSCOPE_BUDGET: "full", // programs that poll call far more often than a budget bears
    },
  });
  expect({ stderr, status }).toEqual({ stderr, status: 0 });
  const { warnings } = await ingest(directory);
  expect(warnings).toEqual([]);
  if (more) {
    const store = await Store.open(join(directory, "run.duckdb"));
    await more(store).finally(() => store.close());
  }
  return {
    stdout,
    status,
    truth: [0, 1].map((rank) =>
      readFileSync(join(directory, `truth-${rank}`), "utf8")
        .trim()
        .split("\n"),
    ),
    async query(sql) {
      const store = await Store.open(join(directory, "run.duckdb"), { readOnly: true });
      try {
        return await store.rows(sql);
      } finally {
        store.close();
      }
    },
    remove: () => rmSync(directory, { recursive: true }),
  };
}

/** Transfers of one rank in the form of the lines of truth: in order of completion. */
export function transferLines(rank: number, more = ""): string {
  return `SELECT s.call || ' ' || w.call || ' ' || peer || ' ' || tag || ' ' || bytes || ' ' || outcome
                 ${more} AS line
            FROM transfers t JOIN states s ON t.start_state = s.state JOIN states w ON t.wait_state = w.state
           WHERE rank = ${rank} ORDER BY t.rowid`;
}
