import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ingest } from "../../../src/trace/ingest.ts";
import { Store } from "../../../src/trace/store.ts";
import { type SyntheticTrace, writeTrace } from "../../../src/trace/write-synthetic.ts";
import { scratchRun } from "./support/scratch.ts";

/** Three calls: MPI_Init's exit at 0, a send of 8 bytes at 1000 ns, MPI_Finalize until 3000 ns. */
function small(
  rank: number,
  worldSize: number,
  changes: Partial<SyntheticTrace> = {},
): SyntheticTrace {
  return {
    rank,
    worldSize,
    calls: [
      { call: "MPI_Init", category: "lifetime", offset: 0x10 },
      { call: "MPI_Send", category: "send", offset: 0x20, module: "/lib/libsolver.so" },
      { call: "MPI_Finalize", category: "lifetime", offset: 0x30 },
    ],
    columns: {
      state: [0, 1, 2],
      startNs: [-500, 1000, 2000],
      endNs: [0, 1100, 3000],
      bytes: [0, 8, 0],
      peer: [-1, 1 - rank, -1],
      communicator: [-1, 0, -1],
      tag: [-1, 5, -1],
    },
    ...changes,
  };
}

async function open(path: string): Promise<Store> {
  return Store.open(join(path, "run.duckdb"), { readOnly: true });
}

async function metaOf(store: Store): Promise<Record<string, string>> {
  const rows = await store.rows<{ key: string; value: string }>("FROM meta");
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

describe("a whole job of two ranks", () => {
  test("fills every table", async () => {
    const { path, traces } = scratchRun();
    writeTrace(join(traces, "0.vst"), small(0, 2, { buildIds: { "/lib/libsolver.so": "c0ffee" } }));
    writeTrace(
      join(traces, "1.vst"),
      // The same states under other numbers: a rank meets its calls in its own order.
      small(1, 2, {
        buildIds: { "/lib/libsolver.so": "c0ffee" },
        calls: small(1, 2).calls.toReversed(),
        columns: { ...small(1, 2).columns, state: [2, 1, 0] },
        lost: 3,
        sampledOut: 4,
        toolTicks: 100,
        callCostPicoseconds: 50_000,
        problems: ["the disk was full"],
        initExitNs: 20,
      }),
    );
    const result = await ingest(path);
    const store = await open(path);
    expect(result).toMatchObject({ ranks: 2, rows: 6 });
    expect(
      await store.rows(
        'SELECT call, category, modules.path, build_id, "offset" FROM states JOIN modules USING (module) ORDER BY state',
      ),
    ).toEqual([
      {
        call: "MPI_Init",
        category: "lifetime",
        path: "/opt/synthetic/program",
        build_id: "",
        offset: 0x10,
      },
      {
        call: "MPI_Send",
        category: "send",
        path: "/lib/libsolver.so",
        build_id: "c0ffee",
        offset: 0x20,
      },
      {
        call: "MPI_Finalize",
        category: "lifetime",
        path: "/opt/synthetic/program",
        build_id: "",
        offset: 0x30,
      },
    ]);
    expect(await store.rows("FROM edges ORDER BY edge")).toEqual([
      { edge: 0, from_state: 0, to_state: 1 },
      { edge: 1, from_state: 1, to_state: 2 },
    ]);
    expect(await store.rows("FROM communicators ORDER BY communicator")).toEqual([
      { communicator: 0, size: 2, ordinal: 0, members: [0, 1], remote_size: 0 },
      { communicator: 1, size: 1, ordinal: 0, members: [0], remote_size: 0 },
      { communicator: 2, size: 1, ordinal: 0, members: [1], remote_size: 0 },
    ]);
    expect(await store.rows("FROM calls WHERE rank = 1 ORDER BY start_ns")).toEqual([
      {
        rank: 1,
        thread: 0,
        state: 0,
        edge: -1,
        before_ns: 0,
        start_ns: -500,
        end_ns: 0,
        bytes: 0,
        before_bytes: 0,
        peer: -1,
        communicator: -1,
        tag: -1,
        requests: 0,
        completed: 0,
        file: -1,
      },
      {
        rank: 1,
        thread: 0,
        state: 1,
        edge: 0,
        before_ns: 1000,
        start_ns: 1000,
        end_ns: 1100,
        bytes: 8,
        before_bytes: 0,
        peer: 0,
        communicator: 0,
        tag: 5,
        requests: 0,
        completed: 0,
        file: -1,
      },
      {
        rank: 1,
        thread: 0,
        state: 2,
        edge: 1,
        before_ns: 900,
        start_ns: 2000,
        end_ns: 3000,
        bytes: 0,
        before_bytes: 8,
        peer: -1,
        communicator: -1,
        tag: -1,
        requests: 0,
        completed: 0,
        file: -1,
      },
    ]);
    expect(await store.rows("SELECT * EXCLUDE (trace_bytes) FROM ranks ORDER BY rank")).toEqual([
      {
        rank: 0,
        host: "node0",
        pid: 1000,
        program: "/opt/synthetic/program",
        threads: 1,
        init_ns: 0,
        end_ns: 3000,
        complete: true,
        intercepted: 3,
        recorded: 3,
        sampled_out: 0,
        lost: 0,
        tool_ns: 0,
      },
      // Own cost: 3 calls x 50 ns + 100 ticks of 1 ns.
      {
        rank: 1,
        host: "node0",
        pid: 1001,
        program: "/opt/synthetic/program",
        threads: 1,
        init_ns: 20,
        end_ns: 3000,
        complete: false,
        intercepted: 10,
        recorded: 3,
        sampled_out: 4,
        lost: 3,
        tool_ns: 250,
      },
    ]);
    expect(await metaOf(store)).toMatchObject({
      job_id: "1",
      started_at: "2026-01-01T00:00:00.000Z",
      wall_ns: "3000",
      world_size: "2",
      complete: "false",
      mpi: "synthetic",
    });
    expect(await store.rows("SELECT text FROM warnings")).toEqual([
      { text: "rank 1: 3 of 10 calls are not in the trace" },
      { text: "rank 1: the disk was full" },
    ]);
    expect(
      await store.rows(
        "SELECT kind, snippet, start_ns, end_ns FROM fragments WHERE rank = 0 ORDER BY start_ns, end_ns, kind",
      ),
    ).toEqual([
      { kind: "communication", snippet: 0, start_ns: -500, end_ns: 0 },
      { kind: "compute", snippet: 0, start_ns: 0, end_ns: 1000 },
      { kind: "communication", snippet: 1, start_ns: 1000, end_ns: 1100 },
      { kind: "compute", snippet: 1, start_ns: 1100, end_ns: 2000 },
      { kind: "communication", snippet: 2, start_ns: 2000, end_ns: 3000 },
    ]);
    expect(await store.rows("SELECT site FROM sites ORDER BY state")).toEqual([
      { site: "program+0x10" },
      { site: "libsolver.so+0x20" },
      { site: "program+0x30" },
    ]);
    store.close();
  });

  test("tells its progress", async () => {
    const { path, traces } = scratchRun();
    for (const rank of [0, 1]) writeTrace(join(traces, `${rank}.vst`), small(rank, 2));
    const seen: { filesDone: number; bytesDone: number; bytes: number; rows: number }[] = [];
    await ingest(path, { onProgress: (progress) => seen.push(progress) });
    expect(seen.map(({ filesDone, rows }) => [filesDone, rows])).toEqual([
      [0, 3],
      [1, 3],
      [1, 6],
      [2, 6],
    ]);
    expect(seen.at(-1)!.bytesDone).toBe(seen.at(-1)!.bytes);
  });
});

describe("clocks", () => {
  test("ranks of one boot share its monotonic clock, other hosts are placed by their real time", async () => {
    const { path, traces } = scratchRun();
    const realtimeNs = 1_767_225_600_000_000_000n;
    writeTrace(join(traces, "0.vst"), small(0, 3, { host: "a", monotonicNs: 1000n, realtimeNs }));
    // Same boot: its real time was set in between, which must not matter.
    writeTrace(
      join(traces, "1.vst"),
      small(1, 3, { host: "a", monotonicNs: 1700n, realtimeNs: realtimeNs + 700n }),
    );
    // Another boot, half a second later by real time, with an unrelated monotonic clock.
    writeTrace(
      join(traces, "2.vst"),
      small(2, 3, {
        host: "b",
        monotonicNs: 9_999_999_999n,
        realtimeNs: realtimeNs + 500_000_000n,
      }),
    );
    await ingest(path);
    const store = await open(path);
    expect(await store.rows("SELECT rank, init_ns, end_ns FROM ranks ORDER BY rank")).toEqual([
      { rank: 0, init_ns: 0, end_ns: 3000 },
      { rank: 1, init_ns: 700, end_ns: 3700 },
      { rank: 2, init_ns: 500_000_000, end_ns: 500_003_000 },
    ]);
    expect((await store.rows("SELECT text FROM warnings"))[0]).toEqual({
      text: "ranks ran on 2 hosts; their times are only as comparable as these hosts' clocks",
    });
    store.close();
  });
});

describe("what is missing is said", () => {
  test("ranks without trace, a killed rank, files that cannot be read", async () => {
    const { path, traces } = scratchRun();
    writeTrace(join(traces, "0.vst"), small(0, 6));
    writeTrace(join(traces, "3.vst"), small(3, 6, { finalized: false, unsealed: 2 }));
    writeFileSync(join(traces, "4.vst"), "");
    writeFileSync(join(traces, "5.vst"), "something else");
    mkdirSync(join(traces, "1.vst"));
    const { warnings } = await ingest(path);
    expect(warnings).toEqual([
      "1.vst is not a regular file; it was left out",
      "4.vst is empty; it was left out",
      "5.vst is not a varscope trace file; it was left out",
      "4 of 6 ranks left no usable trace: ranks 1-2, 4-5",
      "rank 3 did not return from MPI_Finalize (killed, aborted or still running); the trace ends at 0.000 s",
    ]);
    const store = await open(path);
    expect(await store.rows("SELECT rank, complete, recorded FROM ranks ORDER BY rank")).toEqual([
      { rank: 0, complete: true, recorded: 3 },
      { rank: 3, complete: false, recorded: 3 },
    ]);
    expect((await metaOf(store))["complete"]).toBe("false");
    store.close();
  });

  test("nothing at all", async () => {
    const { path, traces } = scratchRun();
    await expect(ingest(path)).rejects.toThrow(`no trace in ${traces}: was the command started by`);
    writeFileSync(join(traces, "0.vst"), "");
    await expect(ingest(path)).rejects.toThrow("no usable trace in");
    await expect(ingest(path)).rejects.toThrow("0.vst is empty");
  });
});

const jobOf = (id: bigint, rank: number, seconds: number): SyntheticTrace =>
  small(rank, 2, {
    jobId: id,
    columns: { state: [0, 2], startNs: [-5, 0], endNs: [0, seconds * 1e9] },
  });
const writeTwoJobs = (traces: string): void => {
  for (const rank of [0, 1]) writeTrace(join(traces, `${rank}.vst`), jobOf(0xaan, rank, 1));
  for (const rank of [0, 1]) writeTrace(join(traces, `bb-${rank}.vst`), jobOf(0xbbn, rank, 2));
};
const choiceLine = (shown: string, other: string): string =>
  `this run holds 2 MPI jobs; shown is ${shown}, not ${other} (2 ranks): choose with --job`;

describe("several jobs in one folder", () => {
  test("the one with the most rank-time is taken, or the one asked for", async () => {
    const { path, traces } = scratchRun();
    writeTwoJobs(traces);
    expect((await ingest(path)).warnings).toEqual([choiceLine("bb", "aa")]);
    expect((await ingest(path, { job: "0xAA" })).warnings).toEqual([choiceLine("aa", "bb")]);
    const store = await open(path);
    expect(await metaOf(store)).toMatchObject({ job_id: "aa", wall_ns: "1000000000" });
    store.close();
    await expect(ingest(path, { job: "cc" })).rejects.toThrow(
      "there is no MPI job cc in this run; it has bb, aa",
    );
  });

  test("a rank that is there twice counts once", async () => {
    const { path, traces } = scratchRun();
    writeTrace(join(traces, "0.vst"), jobOf(1n, 0, 1));
    writeTrace(join(traces, "1-0.vst"), jobOf(1n, 0, 1));
    const { ranks, warnings } = await ingest(path);
    expect(ranks).toBe(1);
    expect(warnings).toContain("1-0.vst is rank 0 like 0.vst and was left out");
  });
});
