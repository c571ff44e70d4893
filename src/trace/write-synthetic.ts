import { type Category, categoryNumber } from "./categories.ts";
import { type NativeTraceInput, type NativeTransfers, nativeAddon } from "./native.ts";

/** Whole numbers; bigints where they do not fit a double. */
export type WideColumn = ArrayLike<number> | BigInt64Array;

/**
 * Calls of one process, one entry per call; those of one thread in order of time and not
 * overlapping. Times are nanoseconds since time 0 of the job. Columns left out hold what a call
 * without that argument has.
 */
export interface SyntheticColumns {
  /** Index into SyntheticTrace.calls. */
  state: ArrayLike<number>;
  startNs: WideColumn;
  endNs: WideColumn;
  bytes?: WideColumn;
  /** World rank, or -1 none, -2 any, -3 null. */
  peer?: ArrayLike<number>;
  /** Index into SyntheticTrace.communicators; -1 none. */
  communicator?: ArrayLike<number>;
  tag?: ArrayLike<number>;
  requests?: ArrayLike<number>;
  completed?: ArrayLike<number>;
  /** Calls of the thread that were left out since the one before. They count as sampled out. */
  skipped?: ArrayLike<number>;
  thread?: ArrayLike<number>;
}

export interface SyntheticCall {
  /** Name in the MPI standard. */
  call: string;
  category: Category;
  /** Path of the object the call is made from; default: the program. */
  module?: string;
  offset?: number;
  /** Frames of its call path from the site outwards; default: known by its site alone. */
  path?: { module?: string; offset: number }[];
}

export interface SyntheticTrace {
  rank: number;
  worldSize: number;
  /** The states of this process. */
  calls: SyntheticCall[];
  columns: SyntheticColumns;
  host?: string;
  bootId?: string;
  program?: string;
  arguments?: string[];
  pid?: number;
  jobId?: bigint;
  /** Default: MPI_COMM_WORLD and MPI_COMM_SELF; these two must come first. */
  communicators?: { members: ArrayLike<number>; ordinal?: number; remoteSize?: number }[];
  /** Build ids of modules by path, in hexadecimal. */
  buildIds?: Record<string, string>;
  /** False: the process was killed. Default true. */
  finalized?: boolean;
  /** Records of each thread that were not sealed; with finalized: false. Default 0. */
  unsealed?: number;
  /** What calls completed; the writer does not check that they make sense. */
  transfers?: NativeTransfers;
  lost?: number;
  /** Calls of thread 0 left out beside those that the column `skipped` tells of. */
  sampledOut?: number;
  /**
   * What threads left out, state by state; to go with `skipped` and `sampledOut`, which count the same calls.
   * `lastNs`: end of the latest timed one.
   */
  leftOut?: {
    thread?: number;
    /** Index into `calls`. */
    state: number;
    calls: number;
    timed: number;
    timedNs: number;
    lastNs?: number;
  }[];
  problems?: string[];
  /** Exit of MPI_Init. Default 0. */
  initExitNs?: number;
  /** CLOCK_MONOTONIC of the host at time 0 of the job. Default 1000 s. */
  monotonicNs?: bigint;
  /** CLOCK_REALTIME at time 0. Default 2026-01-01T00:00:00Z. */
  realtimeNs?: bigint;
  /** Frequency of the time-stamp counter; default: ticks are nanoseconds. */
  ticksPerSecond?: number;
  toolTicks?: number;
  callCostPicoseconds?: number;
  /** Own cost measured in the per-call path; default: not measured. */
  callTicks?: number;
  /** Records per block. Default 4096. */
  blockRecords?: number;
}

/**
 * Writes a trace file as the interceptor would have written it.
 * @throws RangeError if the description contradicts itself
 * @throws Error if the file cannot be written
 */
export function writeTrace(path: string, trace: SyntheticTrace): void {
  const rows = trace.columns.state.length;
  const columns = fillColumns(trace.columns, rows);
  const finalized = trace.finalized ?? true;
  if (finalized && trace.unsealed) throw new RangeError("a finalized process sealed all records");
  check(columns, trace.calls.length);
  const threads = columns.thread.reduce((most, thread) => Math.max(most, thread + 1), 1);
  const program = trace.program ?? "/opt/synthetic/program";
  const frames = trace.calls.flatMap((call) => call.path ?? []);
  const modules = [program, ...[...trace.calls, ...frames].map((place) => place.module ?? program)];
  const paths = [...new Set(modules)];
  const monotonicNs = trace.monotonicNs ?? 1_000_000_000_000n;
  const realtimeNs = trace.realtimeNs ?? BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;
  const first = rows > 0 ? Number(columns.startNs[0]) : 0;
  const last = rows > 0 ? Number(columns.endNs[rows - 1]) : 0;
  const initExitNs = trace.initExitNs ?? 0;
  nativeAddon().writeTrace(path, {
    rank: trace.rank,
    worldSize: trace.worldSize,
    pid: trace.pid ?? 1000 + trace.rank,
    jobId: trace.jobId ?? 1n,
    process: [
      ["host", trace.host ?? "node0"],
      ["boot_id", trace.bootId ?? `boot-of-${trace.host ?? "node0"}`],
      ["program", program],
      ...(trace.arguments ?? [program]).map((word): [string, string] => ["argv", word]),
      ["mpi", "synthetic"],
      ["mpi_version", "1.0"],
      ["varscope", "synthetic"],
    ],
    modules: paths.map((module) => ({
      path: module,
      buildId: Uint8Array.from(Buffer.from(trace.buildIds?.[module] ?? "", "hex")),
    })),
    paths: trace.calls
      .flatMap((call) => (call.path ? [call.path] : []))
      .map((way) =>
        way.map((frame) => ({
          module: paths.indexOf(frame.module ?? program),
          offset: BigInt(frame.offset),
        })),
      ),
    states: trace.calls.map((call, i) => ({
      module: paths.indexOf(call.module ?? program),
      offset: BigInt(call.offset ?? 0x1000 + 16 * i),
      category: categoryNumber(call.category),
      call: call.call,
      path: call.path ? trace.calls.slice(0, i).filter((earlier) => earlier.path).length : -1,
    })),
    communicators: makeCommunicators(trace),
    monotonicNs,
    realtimeOffsetNs: realtimeNs - monotonicNs,
    ticksPerSecond: trace.ticksPerSecond ?? 0,
    initExitNs,
    firstNs: Math.min(first, initExitNs),
    lastNs: Math.max(last, initExitNs),
    toolTicks: trace.toolTicks ?? 0,
    callCostPicoseconds: trace.callCostPicoseconds ?? 0,
    callTicks: trace.callTicks ?? 0,
    leftOut: (trace.leftOut ?? []).map((count) => Object.assign({ thread: 0, lastNs: 0 }, count)),
    blockRecords: trace.blockRecords ?? 4096,
    columns,
    unsealed: new Int32Array(threads).fill(trace.unsealed ?? 0),
    ...(trace.transfers ? { transfers: trace.transfers } : {}),
    lost: trace.lost ?? 0,
    sampledOut: trace.sampledOut ?? 0,
    problems: trace.problems ?? [],
    finalized,
  });
}

function makeCommunicators(trace: SyntheticTrace): NativeTraceInput["communicators"] {
  const world = Int32Array.from({ length: trace.worldSize }, (_, rank) => rank);
  const all = trace.communicators ?? [{ members: world }, { members: [trace.rank] }];
  return all.map((communicator) => {
    const members = Int32Array.from(communicator.members);
    return {
      members,
      ordinal: communicator.ordinal ?? 0,
      rank: Math.max(0, members.indexOf(trace.rank)),
      remoteSize: communicator.remoteSize ?? 0,
    };
  });
}

function fillColumns(given: SyntheticColumns, rows: number): NativeTraceInput["columns"] {
  const narrow = (column: ArrayLike<number> | undefined, otherwise: number): Int32Array =>
    column ? Int32Array.from(column) : new Int32Array(rows).fill(otherwise);
  const wide = (column: WideColumn | undefined): Float64Array | BigInt64Array => {
    if (!column) return new Float64Array(rows);
    if (column instanceof BigInt64Array || column instanceof Float64Array) return column;
    return Float64Array.from(column);
  };
  const requests = narrow(given.requests, 0);
  return {
    state: narrow(given.state, 0),
    startNs: wide(given.startNs),
    endNs: wide(given.endNs),
    bytes: wide(given.bytes),
    peer: narrow(given.peer, -1),
    communicator: narrow(given.communicator, -1),
    tag: narrow(given.tag, -1),
    requests,
    completed: given.completed ? narrow(given.completed, 0) : requests,
    skipped: narrow(given.skipped, 0),
    thread: narrow(given.thread, 0),
  };
}

/** The native writer trusts its input; `states` is the number of states. */
function check(columns: NativeTraceInput["columns"], states: number): void {
  const rows = columns.state.length;
  for (const [name, column] of Object.entries(columns)) {
    if (column.length !== rows) {
      throw new RangeError(`column ${name} has ${column.length} rows, state has ${rows}`);
    }
  }
  const ends = new Map<number, number | bigint>();
  for (let i = 0; i < rows; i++) {
    const start = columns.startNs[i]!;
    const end = columns.endNs[i]!;
    const thread = columns.thread[i]!;
    if (columns.state[i]! < 0 || columns.state[i]! >= states) {
      throw new RangeError(`call ${i} has state ${columns.state[i]}, there are ${states}`);
    }
    if (thread < 0 || thread > 1000) throw new RangeError(`call ${i} has thread ${thread}`);
    const before = ends.get(thread);
    if (!(end >= start) || (before !== undefined && !(start >= before))) {
      throw new RangeError(`call ${i} of thread ${thread} goes back in time: ${start} to ${end}`);
    }
    ends.set(thread, end);
  }
}
