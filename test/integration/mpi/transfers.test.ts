import { beforeAll, describe, expect, test } from "vitest";
import { buildInterceptor, compile, MPIS } from "./support/jobs.ts";
import { formsOf } from "./support/rows.ts";
import { runForTransfers, transferLines } from "./support/transfers.ts";

beforeAll(() => {
  buildInterceptor();
});

describe.each(MPIS)("%s", (mpi) => {
  test.each(formsOf("transfers"))("transfers from start to completion, $title", async (form) => {
    const program = compile(mpi, form.file, form.flags(mpi), form.name);
    const traced = await runForTransfers(mpi, [program]);
    expect(traced.stdout).toBe("transfers: done\n");
    for (const rank of [0, 1]) {
      const lines = (await traced.query(transferLines(rank))).map(({ line }) => line);
      expect(lines).toEqual(traced.truth[rank]);
    }
    expect(await traced.query("FROM transfer_counts WHERE unmatched != 0")).toEqual([]);
    // What waited did so between its start and its completion, in the call that completed it.
    const wrong = await traced.query(
      `SELECT t.* FROM transfers t JOIN states w ON t.wait_state = w.state
        WHERE completed_ns < posted_ns OR waited_ns > completed_ns - posted_ns
           OR NOT EXISTS (FROM calls c WHERE (c.rank, c.thread, c.state) = (t.rank, t.wait_thread, t.wait_state)
                          AND c.end_ns = completed_ns
                          AND waited_ns = CASE w.category WHEN 'wait' THEN c.end_ns - c.start_ns ELSE 0 END)
           OR NOT EXISTS (FROM calls c WHERE (c.rank, c.thread, c.state) = (t.rank, t.thread, t.start_state)
                          AND c.end_ns = posted_ns)`,
    );
    expect(wrong).toEqual([]);
    traced.remove();
  });

  test("transfers of several threads, and between them", async () => {
    const traced = await runForTransfers(mpi, [compile(mpi, "transfers_threads.c")]);
    expect(traced.stdout).toBe("transfers_threads: done\n");
    for (const rank of [0, 1]) {
      const across = "|| ' ' || (t.thread <> wait_thread)::INTEGER";
      const lines = (await traced.query(transferLines(rank, across))).map(({ line }) =>
        String(line),
      );
      // Of receives from a certain rank whose status is ignored, it is not known what came.
      const vague = lines.filter((line) => /^MPI_Irecv MPI_Waitall \d 2\d\d /.test(line));
      const told = lines.filter((line) => !vague.includes(line));
      expect(vague).toHaveLength(4 * 100);
      expect(told.toSorted()).toEqual(traced.truth[rank]!.toSorted());
    }
    expect(await traced.query("FROM transfer_counts WHERE unmatched != 0")).toEqual([]);
    traced.remove();
  });
});
