import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { writeTrace } from "../../../src/trace/write-synthetic.ts";
import { missingTypes } from "../../fuzz/block-types.ts";
import { addSeeds } from "../../fuzz/corpus.ts";
import { handMadeSeeds } from "../../fuzz/seeds.ts";
import { randomTrace } from "./support/random.ts";
import { scratchFolder } from "./support/scratch.ts";
import { randomTransfers } from "./support/transfers.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Address and undefined-behaviour sanitizers over damaged files; see native/fuzz_main.cc. */
test("damaged files cannot make the decoder misbehave", { timeout: 300_000 }, async () => {
  await run("make", ["-C", join(root, "src/trace/native"), "fuzz"]);
  const folder = scratchFolder();
  const files = [0, 1, 2].map((rank) => {
    const path = join(folder, `${rank}.vst`);
    const killed = rank === 1 ? { finalized: false, unsealed: 23 } : {};
    const trace = randomTrace(rank, 400, 1 + rank);
    const transfers = randomTransfers(trace, rank, 200);
    writeTrace(path, { ...trace, transfers, rank, blockRecords: 50, ...killed });
    return path;
  });
  for (const [name, bytes] of Object.entries(handMadeSeeds())) {
    const path = join(folder, `${name}.vst`);
    writeFileSync(path, bytes);
    files.push(path);
  }
  const { stdout } = await run(join(root, "build/native/fuzz-reader"), ["1", "2000", ...files]);
  const [, rows, unusable] = /: (\d+) rows, (\d+) files unusable/.exec(stdout) ?? [];
  // The changes must neither spare all files nor spoil all of them.
  expect(Number(rows)).toBeGreaterThan(100_000);
  expect(Number(rows)).toBeLessThan(2000 * 3 * (400 + 200));
  expect(Number(unusable)).toBeGreaterThan(10);
});

test("fuzzing starts from traces that have each type of block of the format", () => {
  const folder = scratchFolder();
  expect(missingTypes(folder)).toContain("PROBES");
  expect(missingTypes(folder).length).toBeGreaterThanOrEqual(19);
  addSeeds(folder, []);
  expect(missingTypes(folder)).toEqual([]);
});
