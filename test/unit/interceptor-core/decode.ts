/**
 * A second decoder of trace files, written from trace_format.h alone, slow and strict: it throws at
 * the first byte that is not as the header file says.
 */
import { readFileSync } from "node:fs";
import { crc32c } from "./crc32c.ts";
import { Cursor, expectThat } from "./cursor.ts";
import {
  type CounterTrace,
  noCounters,
  readCounters,
  readCounterSet,
  readCounterStaging,
} from "./decode-counters.ts";
import { type Call, decodeFragments, readCall } from "./decode-fragments.ts";

export interface Staging {
  thread: number;
  written: number;
  intercepted: number;
  lost: number;
  sampledOut: number;
  capacity: number;
  /** All slots; which of them count is up to the reader's rule. */
  slots: Call[];
}

/** An entry of a COUNTS block that is in use. */
export interface Count {
  thread: number;
  state: number;
  calls: number;
  timed: number;
  ticks: number;
}

export interface Fragments {
  thread: number;
  firstTick: bigint;
  previousExit: bigint;
  calls: Call[];
}

export interface Trace {
  processState: number;
  worldRank: number;
  worldSize: number;
  jobId: bigint;
  pid: number;
  clockKind: number;
  ticksPerSecond: bigint;
  initExitTick: bigint;
  toolTicks: bigint;
  callCostPicoseconds: bigint;
  callTicks: bigint;
  process: [string, string][];
  modules: { path: string; buildId: string }[];
  /** `path` is -1 for states known by their site alone. */
  states: { module: number; offset: bigint; category: number; path: number; name: string }[];
  paths: { module: number; offset: bigint }[][];
  communicators: { number: number; ordinal: number; remoteSize: number; runs: number[][] }[];
  probes: Probe[];
  clocks: { tick: bigint; monotonic: bigint; realtime: bigint }[];
  fragments: Fragments[];
  staging: Staging[];
  counts: Count[];
  counters: CounterTrace;
  threads: { thread: number; ended: boolean; tick: bigint; name: string }[];
  problems: string[];
  ended: boolean;
  fileBytes: number;
  committed: number;
}

/** A struct vst_probe; delay is -1n where the kernel did not tell. */
export interface Probe {
  thread: number;
  tick: bigint;
  ticks: bigint;
  cpuNs: bigint;
  totalCpuNs: bigint;
  delayNs: bigint;
  kind: number;
  core: number;
}

function readProbes(payload: Cursor, thread: number, count: number): Probe[] {
  const probes = Array.from({ length: count }, () => ({
    thread,
    tick: payload.u64(),
    ticks: payload.u64(),
    cpuNs: payload.u64(),
    totalCpuNs: payload.u64(),
    delayNs: BigInt.asIntN(64, payload.u64()),
    kind: payload.u32(),
    core: payload.i32(),
  }));
  expectThat(payload.done(), "probes are what the block says");
  return probes;
}

const BLOCK_BYTES = 40;

function readHeader(file: Buffer): Trace {
  const at = new Cursor(file);
  expectThat(file.toString("latin1", 0, 8) === "VARSCOPE", "the magic");
  at.at = 8;
  expectThat(at.u32() === 0x01020304, "the byte order");
  expectThat(at.u32() === 3, "version 3.0");
  expectThat(at.u32() === 4096, "the header's length");
  const [clockKind, , pid] = [at.u32(), at.u32(), at.u32()];
  const [ticksPerSecond, jobId] = [at.u64(), at.u64()];
  const [worldRank, worldSize, initExitTick] = [at.i32(), at.i32(), at.u64()];
  const fixedPart = file.subarray(0, at.at);
  const [committed, processState, checksum] = [Number(at.u64()), at.u32(), at.u32()];
  expectThat(checksum === crc32c(fixedPart), "the header's checksum");
  expectThat(committed <= file.length, "what is committed is in the file");
  return {
    processState,
    worldRank,
    worldSize,
    jobId,
    pid,
    clockKind,
    ticksPerSecond,
    initExitTick,
    toolTicks: at.u64(),
    callCostPicoseconds: at.u64(),
    callTicks: at.u64(),
    fileBytes: file.length,
    committed,
    process: [],
    modules: [],
    states: [],
    paths: [],
    communicators: [],
    probes: [],
    clocks: [],
    fragments: [],
    staging: [],
    counts: [],
    counters: noCounters(),
    threads: [],
    problems: [],
    ended: false,
  };
}

function readStaging(payload: Cursor, thread: number): Staging {
  const [written, intercepted, lost, sampledOut] = [0, 0, 0, 0].map(() => Number(payload.u64()));
  const capacity = payload.u32();
  payload.u32();
  const slots = Array.from({ length: capacity }, () => readCall(payload));
  return { thread, written, intercepted, lost, sampledOut, capacity, slots } as Staging;
}

function readCounts(payload: Cursor, thread: number): Count[] {
  const capacity = payload.u32();
  expectThat(payload.u32() === 0, "what is reserved is 0");
  payload.u64();
  const all = Array.from({ length: capacity }, () => {
    const [state, inUse] = [payload.u32(), payload.u32()];
    const [calls, timed, ticks] = [0, 0, 0].map(() => Number(payload.u64()));
    return { inUse, thread, state, calls, timed, ticks } as Count & { inUse: number };
  });
  expectThat(payload.done(), "the entries fill the payload");
  const used = all.filter((count) => count.inUse === 1);
  expectThat(
    all.slice(used.length).every((count) => count.inUse === 0),
    "entries are filled from the first on",
  );
  return used.map(({ inUse, ...count }) => {
    expectThat(inUse === 1, "entries in use come first");
    return count;
  });
}

function readCommunicator(payload: Cursor): Trace["communicators"][number] {
  const [number, ordinal] = [payload.u32(), payload.u32()];
  payload.at += 16;
  const [runs, remoteSize] = [payload.u32(), payload.u32()];
  return {
    number,
    ordinal,
    remoteSize,
    runs: Array.from({ length: runs }, () => [payload.i32(), payload.i32(), payload.u32()]),
  };
}

function readFrames(payload: Cursor, modules: number): Trace["paths"][number] {
  const count = payload.u32();
  const frames = Array.from({ length: count }, () => {
    const [offset, module, reserved] = [payload.u64(), payload.u32(), payload.u32()];
    expectThat(module < modules, "a module is defined before its frames");
    expectThat(reserved === 0, "what is reserved is 0");
    return { module, offset };
  });
  expectThat(count > 0 && payload.done(), "a path is its frames");
  return frames;
}

function readBlock(trace: Trace, block: Cursor, payload: Cursor): void {
  block.at = 4;
  const type = block.u32();
  block.at = 16;
  const [thread, count, firstTick, previousExit] = [
    block.u32(),
    block.u32(),
    block.u64(),
    block.u64(),
  ];
  expectThat(!trace.ended, "nothing follows the end");
  switch (type) {
    case 1:
      while (!payload.done()) trace.process.push([payload.text(), payload.text()]);
      return;
    case 2: {
      expectThat(payload.u32() === trace.modules.length, "modules are numbered in order");
      const length = payload.u32();
      const buildId = payload.bytes.toString("hex", 8, 8 + length);
      payload.at = 40;
      trace.modules.push({ path: payload.text(), buildId });
      return;
    }
    case 3: {
      expectThat(payload.u32() === trace.states.length, "states are numbered in order");
      const [module, offset, category] = [payload.u32(), payload.u64(), payload.u32()];
      expectThat(module < trace.modules.length, "a module is defined before its states");
      const path = payload.u32() - 1;
      expectThat(path < trace.paths.length, "a path is defined before its states");
      trace.states.push({ module, offset, category, path, name: payload.text() });
      return;
    }
    case 4:
      trace.communicators.push(readCommunicator(payload));
      return;
    case 5: {
      const [tick, monotonic, realtime] = [payload.u64(), payload.u64(), payload.u64()];
      trace.clocks.push({ tick, monotonic, realtime });
      return;
    }
    case 6: {
      const calls = decodeFragments(payload.bytes, count, previousExit);
      expectThat(calls[0]?.enter === firstTick, "first_tick is the first enter");
      const known = calls.every((call) => call.state < trace.states.length);
      expectThat(known, "a state is defined before records of it");
      trace.fragments.push({ thread, firstTick, previousExit, calls });
      return;
    }
    case 7:
      trace.staging.push(readStaging(payload, thread));
      return;
    case 8:
      trace.problems.push(payload.text());
      expectThat(payload.done(), "a problem is one text");
      return;
    case 12: {
      const [number, system, parent, kind] = [
        payload.u32(),
        payload.u32(),
        payload.u32(),
        payload.u32(),
      ];
      const module = payload.u32();
      const none = 0xffffffff;
      expectThat(system > 0 && kind >= 1 && kind <= 3, "a thread is something");
      expectThat(module === none || module < trace.modules.length, "its module is defined before");
      expectThat(parent === none || parent !== number, "a thread does not make itself");
      const ended = payload.u32() === 1;
      payload.u64();
      trace.threads.push({ thread: number, ended, tick: payload.u64(), name: payload.text() });
      return;
    }
    case 9:
      trace.ended = true;
      return;
    case 13:
      trace.counts.push(...readCounts(payload, thread));
      return;
    case 10:
      expectThat(payload.u32() === trace.paths.length, "paths are numbered in order");
      trace.paths.push(readFrames(payload, trace.modules.length));
      return;
    case 14:
      readCounterSet(trace.counters, payload, count);
      return;
    case 15:
      readCounters(trace.counters, payload, { thread, count, firstTick });
      return;
    case 16:
      readCounterStaging(trace.counters, payload, thread);
      return;
    case 19:
      trace.probes.push(...readProbes(payload, thread, count));
      return;
    default:
      throw new Error(`unknown block type ${type}`);
  }
}

export function decodeTrace(path: string): Trace {
  const file = readFileSync(path);
  const trace = readHeader(file);
  let at = 4096;
  while (at < trace.committed) {
    const head = Buffer.from(file.subarray(at, at + BLOCK_BYTES));
    expectThat(head.toString("latin1", 0, 4) === "VBLK", `a block starts at ${at}`);
    const length = head.readUInt32LE(8);
    const end = at + BLOCK_BYTES + length;
    const checksum = head.readUInt32LE(12);
    head.writeUInt32LE(0, 12);
    const payload = file.subarray(at + BLOCK_BYTES, end);
    const changes = [7, 13, 16].includes(head.readUInt16LE(4));
    const wanted = changes ? 0 : crc32c(Buffer.concat([head, payload]));
    expectThat(checksum === wanted, `the checksum of the block at ${at}`);
    readBlock(trace, new Cursor(head), new Cursor(payload));
    at = Math.ceil(end / 8) * 8;
    expectThat(
      file.subarray(end, at).every((byte) => byte === 0),
      "padding is 0",
    );
  }
  expectThat(at === trace.committed, "blocks end where the committed part ends");
  return trace;
}

/** All calls of a thread by the reader's rule: sealed ones, then `written` - sealed slots. */
export function callsOf(trace: Trace, thread: number): Call[] {
  const sealed = trace.fragments.filter((f) => f.thread === thread).flatMap((f) => f.calls);
  const staging = trace.staging.filter((s) => s.thread === thread);
  expectThat(staging.length === 1, "a thread has one staging area");
  const unsealed = (staging[0]?.written ?? 0) - sealed.length;
  expectThat(unsealed >= 0 && unsealed <= (staging[0]?.capacity ?? 0), "the slots hold the rest");
  const calls = [...sealed, ...(staging[0]?.slots.slice(0, unsealed) ?? [])];
  let clock = 0n;
  for (const call of calls) {
    expectThat(call.enter >= clock && call.exit >= call.enter, "times do not go back");
    expectThat(call.state < trace.states.length, "states are defined");
    clock = call.exit;
  }
  return calls;
}
