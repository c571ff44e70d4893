import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callsOf, decodeTrace } from "./decode.ts";
import { buildDriver, runDriver, temporaryFolder } from "./run-driver.ts";

const folder = temporaryFolder();
const driver = buildDriver("plain");
const hasReader = existsSync(join(import.meta.dirname, "../../../build/native/trace.node"));

/** Scenarios whose traces differ in how they end: finished, killed, broken off. */
const scenarios: [name: string, argument: number][] = [
  ["calls", 20_000],
  ["threads", 5000],
  ["short-threads", 40],
  ["kill", 300_000],
  ["size-limit", 300_000],
];

test.skipIf(!hasReader).each(scenarios)(
  "the reader finds what is there after %s",
  async (name, n) => {
    const { EdgeNumbers, makeCallColumns, TraceReader } = await import(
      "../../../src/trace/reader.ts"
    );
    const run = runDriver(driver, folder, name, n);
    expect([run.status, run.stderr]).toEqual([0, ""]);
    const trace = decodeTrace(run.trace);
    const reader = new TraceReader(run.trace);
    const { description } = reader;
    expect(description.damage).toEqual([]);
    expect(description).toMatchObject({
      rank: trace.worldRank,
      worldSize: trace.worldSize,
      pid: trace.pid,
      jobId: trace.jobId.toString(16),
      finalized: trace.processState === 2,
      stopped: trace.processState === 3,
      process: trace.process,
      problems: trace.problems,
    });
    expect(description.states.map((s) => [s.call, s.offset, s.category])).toEqual(
      trace.states.map((s) => [s.name, s.offset, s.category]),
    );
    expect(description.modules.map((m) => [m.path, m.buildId])).toEqual(
      trace.modules.map((m) => [m.path, m.buildId]),
    );
    const columns = makeCallColumns(65_536);
    const mapping = {
      states: Int32Array.from(trace.states.keys()),
      communicators: new Int32Array(16),
      files: new Int32Array(0),
      zeroNs: description.initExitNs,
    };
    const rows = new Map<number, { state: number; bytes: bigint; peer: number; tag: number }[]>();
    const batches = reader.decode(mapping, new EdgeNumbers(), columns);
    for (let batch = batches.next(); !batch.done; batch = batches.next()) {
      for (let i = 0; i < batch.value; i++) {
        const [state, bytes] = [columns.state[i] as number, columns.bytes[i] as bigint];
        const [peer, tag] = [columns.peer[i] as number, columns.tag[i] as number];
        const thread = columns.thread[i] as number;
        if (!rows.has(thread)) rows.set(thread, []);
        rows.get(thread)?.push({ state, bytes, peer, tag });
      }
    }
    for (const { thread, written, lost, intercepted } of trace.staging) {
      const calls = callsOf(trace, thread);
      const wanted = calls.map((call) => ({
        state: call.state,
        bytes: BigInt.asIntN(64, call.bytes),
        peer: call.peer,
        tag: call.tag,
      }));
      expect(rows.get(thread) ?? []).toEqual(wanted);
      const counts = description.threads.find((t) => t.thread === thread);
      expect(counts).toMatchObject({ written, lost, intercepted, damaged: 0 });
    }
  },
);
