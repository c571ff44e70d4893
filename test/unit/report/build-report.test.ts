import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, describe, expect, it } from "vitest";
import { buildReport } from "../../../src/report/build-report.ts";
import type { Report } from "../../../src/report/model.ts";
import { runDirectory, type RunRecord } from "../../../src/trace/run-directory.ts";
import type { Store } from "../../../src/trace/store.ts";
import { DISTURBED_RUN, storeWith } from "./hand-made.ts";

const SCHEMA = JSON.parse(
  readFileSync(new URL("../../../src/report/report.schema.json", import.meta.url), "utf8"),
) as object;
const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(SCHEMA);

const RECORD: RunRecord = {
  schema: "varscope.run/1",
  command: ["mpirun", "-n", "2", "./stencil"],
  startedAt: "2026-03-04T05:06:07.000Z",
  host: "node1",
  directory: "/home/me",
  varscopeVersion: "0.1.0",
  exitCode: 0,
};

let store: Store | undefined;
afterEach(() => {
  store?.close();
  store = undefined;
});

async function reportOf(rows: string, record?: RunRecord): Promise<Report> {
  store = await storeWith(rows);
  return buildReport({ store, directory: runDirectory("/runs/one"), record });
}

describe("buildReport", () => {
  it("tells what was run", async () => {
    const { run } = await reportOf(DISTURBED_RUN, RECORD);
    expect(run).toEqual({
      command: ["mpirun", "-n", "2", "./stencil"],
      program: "/opt/app/stencil",
      startedAt: "2026-03-04T05:06:07.250Z",
      wallSeconds: 10,
      ranks: 2,
      hosts: ["node1", "node2"],
      mpi: { implementation: "Open MPI", version: "4.1.4" },
      complete: true,
      unfinishedRanks: [],
      missingRanks: [],
      iterations: null,
      directory: "/runs/one",
      exitCode: 0,
      signal: null,
    });
  });

  it("does without run.json", async () => {
    const { run } = await reportOf(DISTURBED_RUN);
    expect(run.command).toEqual(["/opt/app/stencil"]);
    expect(run.exitCode).toBeNull();
  });

  it("names unfinished and missing ranks", async () => {
    const { run } = await reportOf(`${DISTURBED_RUN}
      UPDATE meta SET value = '4' WHERE key = 'world_size';
      UPDATE meta SET value = 'false' WHERE key = 'complete';
      UPDATE ranks SET complete = false WHERE rank = 1;`);
    expect(run).toMatchObject({
      complete: false,
      ranks: 4,
      unfinishedRanks: [1],
      missingRanks: [2, 3],
    });
  });

  it("adds up events and coverage", async () => {
    const { quality } = await reportOf(DISTURBED_RUN);
    expect(quality.events).toEqual({ intercepted: 610, recorded: 600, sampledOut: 6, lost: 4 });
    // Seconds by hand from the ledger's rows: 6 + 1.2 + 8 + 0.8 = 16 of 20 rank-seconds.
    const { parts } = quality.coverage;
    expect(parts.vsensor).toBeCloseTo(16, 9);
    expect(parts.waiting).toBeCloseTo(2.5, 9);
    expect(parts.untraced).toBeCloseTo(0.369, 9);
    expect(quality.coverage.percent).toBeCloseTo(80, 9);
    const sum = Object.values(parts).reduce((total, part) => total + part, 0);
    expect(sum).toBeCloseTo(quality.coverage.totalRankSeconds, 9);
    expect(quality.overhead.percent).toBeCloseTo(0.03, 9);
    expect(quality.traceBytes).toBe(2400);
    expect(quality.warnings).toEqual([]);
  });

  it("warns when counts or the ledger do not add up", async () => {
    const { quality } = await reportOf(`${DISTURBED_RUN}
      INSERT INTO warnings VALUES ('7.vst: damaged'), ('and another');
      UPDATE ranks SET lost = 5 WHERE rank = 1;
      DELETE FROM ledger WHERE part = 'waiting';`);
    expect(quality.warnings).toHaveLength(4);
    expect(quality.warnings.slice(0, 2)).toEqual(["7.vst: damaged", "and another"]);
    expect(quality.warnings[2]).toContain("610 intercepted, but 611");
    expect(quality.warnings[3]).toContain("17.500000 s of 20.000000 s");
  });

  it("lists sensors with their calls, sites and lost time", async () => {
    const { sensors } = await reportOf(DISTURBED_RUN);
    expect(sensors).toHaveLength(2);
    expect(sensors[0]).toMatchObject({
      id: 0,
      kind: "compute",
      from: "MPI_Allreduce",
      to: "MPI_Waitall",
      site: "stencil+0x1000",
      fromSite: "stencil+0x1234",
      source: null,
      evidence: "inferred",
      basis: "arguments",
      confidence: 0.75,
      verdict: "same_work",
      fragments: 400,
      referenceSeconds: 0.03,
      referenceInterval: [0.029, 0.031],
      totalSeconds: 14,
    });
    expect(sensors[0]?.lostSeconds).toBeCloseTo(2, 9);
    expect(sensors[1]).toMatchObject({ from: "MPI_Waitall", to: "MPI_Waitall" });
    expect(sensors[1]?.lostSeconds).toBeCloseTo(0.4, 9);
  });

  it("lists what is rare but long", async () => {
    const { unusualPaths } = await reportOf(DISTURBED_RUN);
    expect(unusualPaths).toEqual([
      {
        kind: "compute",
        from: "MPI_Waitall",
        to: "MPI_Allreduce",
        site: "stencil+0x1234",
        fromSite: "stencil+0x1000",
        fragments: 2,
        ranks: 2,
        totalSeconds: 0.05,
        longestSeconds: 0.03,
        longestRank: 1,
        longestStartSeconds: 9,
      },
    ]);
  });

  it("tells culprits from victims", async () => {
    const { regions } = await reportOf(DISTURBED_RUN);
    expect(regions).toHaveLength(1);
    expect(regions[0]).toMatchObject({
      id: 1,
      kind: "compute",
      event: 1,
      scope: "ranks",
      ranks: [1],
      hosts: ["node2"],
      startSeconds: 4,
      endSeconds: 6,
      performance: 0.5,
      lostSeconds: 1,
      lostInterval: [0.9, 1.1],
      iterations: null,
      runImpactSeconds: null,
      runImpactInterval: null,
      culprits: [1],
      victims: [0],
      throughout: [],
      evidence: [
        {
          source: "probes",
          kind: "compute",
          against: "self",
          insideCount: 8,
          outsideCount: 24,
          ratio: 1.5,
          ratioInterval: [1.4, 1.6],
          share: 0.58,
          shareInterval: null,
          verdict: "slower",
        },
        {
          source: "kernel",
          kind: "run_delay",
          against: "self",
          insideCount: null,
          outsideCount: null,
          ratio: 4,
          ratioInterval: null,
          share: 0.2,
          shareInterval: [0.1, 0.3],
          verdict: "does_not_explain",
        },
      ],
      causes: [],
    });
    expect(regions[0]?.advice).toMatch(/rank 1 on node2/);
  });

  it("sums each rank's time and speed", async () => {
    const { ranks } = await reportOf(DISTURBED_RUN);
    // Compute bins by hand: rank 1 needed 7 x 0.4 s + 2 x 0.8 s for 9 x 0.4 s of work.
    expect(ranks[1]?.performance).toBeCloseTo(3.6 / 4.4, 9);
    expect(ranks).toMatchObject([
      {
        rank: 0,
        host: "node1",
        computeSeconds: 6.025,
        communicationSeconds: 3.7,
        ioSeconds: 0,
        waitingSeconds: 2.5,
        performance: 1,
      },
      {
        rank: 1,
        host: "node2",
        computeSeconds: 9,
        communicationSeconds: 0.8,
        ioSeconds: 0,
        waitingSeconds: 0,
      },
    ]);
  });

  it("draws what is unknown as null", async () => {
    const { heatmaps } = await reportOf(DISTURBED_RUN);
    expect(heatmaps.map(({ kind }) => kind)).toEqual(["compute", "communication"]);
    expect(heatmaps[0]).toEqual({
      kind: "compute",
      startSeconds: 0,
      binSeconds: 1,
      ranks: [0, 1],
      performance: [
        [1, 1, 1, 1, 1, 1, 1, 1, 1, null],
        [1, 1, 1, 1, 0.5, 0.5, 1, 1, 1, null],
      ],
    });
    expect(heatmaps[1]?.performance[1]).toEqual(Array.from({ length: 10 }, () => null));
  });

  it("keeps an imbalance apart from regions", async () => {
    const { imbalances } = await reportOf(DISTURBED_RUN);
    expect(imbalances).toEqual([
      {
        kind: "compute",
        ranks: [1],
        excessPercent: 12.5,
        costSeconds: 0.7,
        verdict: "undecided",
        reason: "probes would decide it",
      },
    ]);
  });
});

describe("the published schema", () => {
  it.each([
    ["a disturbed run", DISTURBED_RUN],
    ["an empty store", ""],
  ])("holds for %s", async (_, rows) => {
    const report: unknown = JSON.parse(JSON.stringify(await reportOf(rows, RECORD)));
    expect(validate(report) ? [] : validate.errors).toEqual([]);
  });

  it.each<[string, (report: Report) => void]>([
    ["a missing part", (report) => Reflect.deleteProperty(report.quality.coverage.parts, "tool")],
    ["an unknown part", (report) => Reflect.set(report.quality.coverage.parts, "idle", 1)],
    ["a text as number", (report) => Reflect.set(report.run, "wallSeconds", "10")],
    ["another schema", (report) => Reflect.set(report, "schema", "varscope.report/2")],
    ["a negative rank", (report) => report.regions[0]?.ranks.push(-1)],
    ["an interval of one", (report) => report.regions[0]?.lostInterval.pop()],
    ["an unknown verdict", (report) => Reflect.set(report.imbalances[0] ?? {}, "verdict", "slow")],
    [
      "a text in the heat map",
      (report) => Reflect.set(report.heatmaps[0]?.performance[0] ?? [], 0, "1"),
    ],
    ["no advice", (report) => Reflect.deleteProperty(report.regions[0] ?? {}, "advice")],
  ])("refuses %s", async (_, spoil) => {
    const report = await reportOf(DISTURBED_RUN, RECORD);
    spoil(report);
    expect(validate(report)).toBe(false);
  });

  it("lets fields be added where the contract allows it", async () => {
    const report = await reportOf(DISTURBED_RUN, RECORD);
    Reflect.set(report.run, "scheduler", "slurm");
    expect(validate(report)).toBe(true);
  });
});
