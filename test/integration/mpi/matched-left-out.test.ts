import { beforeAll, expect, test } from "vitest";
import { buildInterceptor, compile, launch, MPIS, runTraced } from "./support/jobs.ts";
import { ANY, rows } from "./support/rows.ts";

beforeAll(buildInterceptor);

test.each(MPIS)("messages whose probe was left out are not taken for others, %s", (mpi) => {
  const { files, stdout } = runTraced(launch(mpi, [compile(mpi, "matched_left_out.c")]));
  expect(stdout).toBe("matched_left_out: done\n");
  for (const file of files) {
    const other = 1 - file.rank;
    const received = rows(file).filter(([call]) => call === "MPI_Mrecv");
    // Communicators: 0 the world, 1 the process alone, 2 the one with reversed ranks.
    expect(received).toEqual(
      Array.from({ length: 10 }, () => [
        ["MPI_Mrecv", 8, ANY, 2, -1, 0, 0],
        ["MPI_Mrecv", 8, other, 3, 2, 0, 0],
      ]).flat(),
    );
  }
});
