import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { hpccInput } from "../../../scripts/overhead/programs.ts";
import { buildCounter, recordedCounts, runCounted } from "./support/count.ts";
import { buildInterceptor, launch, temporary } from "./support/jobs.ts";

/** A problem that two ranks solve in about a second. */
const SIZE = 200;

beforeAll(buildInterceptor);

/** Debian's hpcc is built for Open MPI. */
test("hpcc succeeds, and every call it makes is recorded", () => {
  const folder = temporary("hpcc-");
  writeFileSync(join(folder, "hpccinf.txt"), hpccInput(2, SIZE));
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
