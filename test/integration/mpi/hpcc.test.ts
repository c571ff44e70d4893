import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { buildCounter, recordedCounts, runCounted } from "./support/count.ts";
import { buildInterceptor, launch, temporary } from "./support/jobs.ts";

/** HPL.dat of a problem that two ranks solve in about a second; line by line as HPL reads it. */
const INPUT = `HPLinpack benchmark input file
varscope
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
200          Ns
1            # of NBs
40           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
200          values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
`;

beforeAll(buildInterceptor);

/** Debian's hpcc is built for Open MPI. */
test("hpcc succeeds, and every call it makes is recorded", () => {
  const folder = temporary("hpcc-");
  writeFileSync(join(folder, "hpccinf.txt"), INPUT);
  const traced = runCounted(launch("openmpi", ["hpcc"]), buildCounter(), { cwd: folder });
  const summary = readFileSync(join(folder, "hpccoutf.txt"), "utf8");
  rmSync(folder, { recursive: true });
  expect(traced.status).toBe(0);
  expect(summary).toContain("Success=1");
  expect(summary).toContain("End of Summary section.");
  expect(traced.files).toHaveLength(2);
  for (const file of traced.files) {
    expect(file).toMatchObject({ finalized: true, lost: 0, problems: [] });
    expect(file.records.length).toBeGreaterThan(1000);
    expect(recordedCounts(file)).toEqual(traced.counted.get(file.pid));
  }
});
