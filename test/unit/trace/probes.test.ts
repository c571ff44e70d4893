import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ingest } from "../../../src/trace/ingest.ts";
import { runDirectory } from "../../../src/trace/run-directory.ts";
import { Store } from "../../../src/trace/store.ts";
import { type HandMadeProbe, probeFile, probesBlock } from "./support/probe-file.ts";
import { scratchRun } from "./support/scratch.ts";

/** The table `probes` of a run with this one trace, and the warnings. */
async function ingested(bytes: Buffer): Promise<{ probes: unknown[][]; warnings: string[] }> {
  const { path, traces } = scratchRun();
  writeFileSync(join(traces, "2.vst"), bytes);
  const { warnings } = await ingest(path);
  const store = await Store.open(runDirectory(path).store, { readOnly: true });
  const rows = await store.rows("FROM probes");
  store.close();
  return { probes: rows.map((row) => Object.values(row)), warnings };
}

const ROUND: HandMadeProbe[] = [
  [3000, 1335, 13_400, 500_000, 70_000, 1, 5],
  [4400, 1656, 16_600, 514_000, 70_000, 2, 5],
  [6100, 1800, 18_100, 531_000, 70_000, 3, undefined],
];

describe("PROBES blocks of a file made by hand", () => {
  test("become rows, in the store's time", async () => {
    const later: HandMadeProbe[] = [[9000, 1340, 13_500, 600_000, undefined, 1, 0]];
    const { probes, warnings } = await ingested(
      probeFile([probesBlock(ROUND), probesBlock(later)]),
    );
    expect(probes).toEqual([
      [2, 0, "compute", 10_000, 13_350, 13_400, 500_000, 70_000, 5],
      [2, 0, "cache", 24_000, 16_560, 16_600, 514_000, 70_000, 5],
      [2, 0, "memory", 41_000, 18_000, 18_100, 531_000, 70_000, -1],
      [2, 0, "compute", 70_000, 13_400, 13_500, 600_000, null, 0],
    ]);
    expect(warnings.filter((line) => line.includes("damaged"))).toEqual([]);
  });

  test("a file without any is read as before", async () => {
    expect((await ingested(probeFile([]))).probes).toEqual([]);
  });

  test("kinds that are not known are left out, the others kept", async () => {
    const { probes } = await ingested(
      probeFile([probesBlock([[3000, 5, 5, 5, 5, 77, 0], ROUND[1]!])]),
    );
    expect(probes.map((row) => row[2])).toEqual(["cache"]);
  });

  test.each<[string, Buffer]>([
    ["a wrong count", probesBlock(ROUND, { count: 2 })],
    ["a count beyond reason", probesBlock(ROUND, { count: 0xffffffff })],
    ["a thread beyond reason", probesBlock(ROUND, { thread: 40_000 })],
    ["a kind beyond reason", probesBlock([[3000, 5, 5, 5, 5, 70_000, 0]])],
    ["a time beyond reason", probesBlock([[2 ** 62, 5, 5, 5, 5, 1, 0]])],
  ])("%s is damage, and what follows is read", async (_, broken) => {
    const { probes, warnings } = await ingested(probeFile([broken, probesBlock([ROUND[0]!])]));
    expect(probes).toHaveLength(1);
    expect(warnings.join("\n")).toMatch(/damaged \(its (length|numbers)/);
  });
});
