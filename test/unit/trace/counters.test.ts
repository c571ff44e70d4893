import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ingest } from "../../../src/trace/ingest.ts";
import { runDirectory } from "../../../src/trace/run-directory.ts";
import { Store } from "../../../src/trace/store.ts";
import { counterFile } from "./support/counter-file.ts";
import { scratchRun } from "./support/scratch.ts";

/** Rows of queries on the store of a run with this one trace. */
async function ask(bytes: Buffer, ...queries: string[]): Promise<unknown[][][]> {
  const { path, traces } = scratchRun();
  writeFileSync(join(traces, "2.vst"), bytes);
  await ingest(path);
  const store = await Store.open(runDirectory(path).store, { readOnly: true });
  const answers = [];
  for (const query of queries) {
    answers.push((await store.rows(query)).map((row) => Object.values(row)));
  }
  store.close();
  return answers;
}

const SAMPLES = `SELECT at_ns, counter, value FROM counter_samples
                  WHERE rank = 2 AND thread = 0 ORDER BY counter, at_ns`;

describe("a file made by hand", () => {
  test("readings, sealed and not, with those that were not made left out", async () => {
    const [counters, samples, rates] = await ask(
      counterFile(),
      "FROM counters",
      SAMPLES,
      "SELECT start_ns, end_ns, delta FROM counter_rates WHERE counter = 0 ORDER BY ALL",
    );
    expect(counters).toEqual([
      [0, "cpu_time", "ns", "scheduler", "thread", "read"],
      [1, "throttled_time", "ns", "scheduler", "group", "no limit here"],
      [2, "faults", "count", "memory", "thread", "read"],
    ]);
    expect(samples).toEqual([
      [10_000, 0, 0],
      [20_000, 0, 100],
      [30_000, 0, 100],
      [40_000, 0, 300],
      [50_000, 0, 400],
      [10_000, 2, 0],
      [30_000, 2, 0],
      [40_000, 2, 7],
      [50_000, 2, 7],
    ]);
    expect(rates).toEqual([
      [10_000, 20_000, 100],
      [20_000, 30_000, 0],
      [30_000, 40_000, 200],
      [40_000, 50_000, 100],
    ]);
  });

  test("counters over an interval, and how far off they can be", async () => {
    const [inside, early, point, outside] = await ask(
      counterFile(),
      "FROM counters_in(2, 0, 15000, 45000)",
      "FROM counters_in(2, 0, 0, 20000)",
      "FROM counters_in(2, 0, 32000, 33000)",
      "FROM counters_in(2, 0, 60000, 70000)",
    );
    expect(inside).toEqual([
      ["cpu_time", "ns", 300, 200, 400, 1],
      ["faults", "count", 7, 7, 7, 1],
    ]);
    expect(early).toEqual([
      ["cpu_time", "ns", 100, 100, 100, 0.5],
      ["faults", "count", 0, 0, 0, 0.5],
    ]);
    expect(point).toEqual([
      ["cpu_time", "ns", 20, 0, 200, 1],
      ["faults", "count", expect.closeTo(0.7, 9), 0, 7, 1],
    ]);
    expect(outside).toEqual([]);
  });
});

describe("damage", () => {
  const whole = counterFile();
  const start = (type: number): number => {
    for (let at = 4096; ; at += Math.ceil((40 + whole.readUInt32LE(at + 8)) / 8) * 8) {
      if (whole.readUInt16LE(at + 4) === type) return at;
    }
  };
  const flip = (at: number): Buffer => {
    const bytes = Buffer.from(whole);
    bytes[at]! ^= 0x10;
    return bytes;
  };

  test("a damaged block of readings costs these and nothing else", async () => {
    const [samples, warnings, calls] = await ask(
      flip(start(15) + 45),
      SAMPLES,
      "FROM warnings",
      "SELECT count(*) FROM calls",
    );
    expect(samples).toEqual([
      [50_000, 0, 400],
      [50_000, 2, 7],
    ]);
    const text = warnings!.flat().join("\n");
    expect(text).toContain("its checksum is wrong");
    expect(text).toContain("thread 0: 4 readings of counters are not there");
    expect(calls).toEqual([[1]]);
  });

  test("without the definition of the counters there are none, and it is told", async () => {
    const [counters, samples, warnings] = await ask(
      flip(start(14) + 60),
      "FROM counters",
      SAMPLES,
      "FROM warnings",
    );
    expect([counters, samples]).toEqual([[], []]);
    expect(warnings!.flat().join("\n")).toContain("readings");
  });

  test("slots that contradict the definition are told, not read", async () => {
    const [samples, warnings] = await ask(counterFile({ columns: 3 }), SAMPLES, "FROM warnings");
    expect(samples!.at(-1)).toEqual([40_000, 2, 7]);
    expect(warnings!.flat().join("\n")).toContain("its last counters contradict their definition");
  });
});
