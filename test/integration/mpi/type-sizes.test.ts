import { beforeAll, expect, test } from "vitest";
import { buildInterceptor, compile, launch, MPIS, runTraced } from "./support/jobs.ts";

const ROUNDS = 40;
/** char, short, int, double, and a double with an int behind it, as the C compiler has them here. */
const NAMED = [1, 2, 4, 8, 12] as const;

/** What programs/type_sizes.c sends itself, by hand. */
function expectedBytes(): number[] {
  return Array.from({ length: ROUNDS }, (_, i) => {
    const named = NAMED[(i + 1) % NAMED.length]!;
    return [named, 2 * (i + 1), named];
  }).flat();
}

beforeAll(() => {
  buildInterceptor();
});

test.each(MPIS)("bytes of datatypes whose handles come again with other sizes, %s", (mpi) => {
  const program = compile(mpi, "type_sizes.c");
  const traced = runTraced(launch(mpi, [program], { ranks: 1 }));
  expect(traced.stdout).toBe("type_sizes: done, handles came again\n");
  for (const name of ["MPI_Irecv", "MPI_Send"]) {
    const own = traced.files[0]!.records.filter(({ call }) => call === name);
    expect(own.map(({ bytes }) => bytes)).toEqual(expectedBytes());
  }
});
