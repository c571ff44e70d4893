import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { UserError } from "../user-error.ts";

/**
 * The native addon as it is: built from native/ by its Makefile. Only reader.ts and
 * write-synthetic.ts use it.
 */
export interface NativeAddon {
  /** Opens and checks a trace file. Throws an Error whose message reads on after "RANK.vst: ". */
  Trace: new (
    path: string,
  ) => NativeTrace;
  Edges: new () => NativeEdges;
  Works: new () => NativeWorks;
  writeTrace(path: string, description: NativeTraceInput): void;
}

export interface NativeEdges {
  /** from, to of edge 0, then of edge 1, ... */
  list(): Int32Array;
}

export interface NativeWorks {
  /** Numbers the works of the first `rows` calls; returns how many are in `fresh`, or -1 if too few repeat. */
  number(
    calls: CallColumns,
    rows: number,
    work: Int32Array<ArrayBuffer>,
    fresh: WorkColumns,
  ): number;
}

export interface NativeTrace {
  describe(): TraceDescription;
  begin(
    states: Int32Array,
    communicators: Int32Array,
    files: Int32Array,
    subtractNs: bigint,
    edges: NativeEdges,
  ): void;
  /** Rows written; 0 at the end. */
  next(columns: CallColumns): number;
  finish(): DecodeResult;
  /** @param numbers of the store, by counter of the file */
  beginCounters(numbers: Int32Array, subtractNs: bigint): void;
  /** Rows written; 0 at the end. */
  nextCounters(columns: CounterColumns): number;
  /** Lines on what was damaged. */
  finishCounters(): string[];
  beginTransfers(
    states: Int32Array,
    communicators: Int32Array,
    files: Int32Array,
    subtractNs: bigint,
  ): void;
  /** Rows written; 0 at the end. */
  nextTransfers(columns: TransferColumns): number;
  finishTransfers(): TransferResult;
}

export interface TransferResult {
  /** Lines on what turned out damaged while decoding, see TraceDescription.damage. */
  damage: string[];
  rows: number;
}

export interface DecodeResult {
  /** Lines on blocks that turned out damaged while decoding, see TraceDescription.damage. */
  damage: string[];
  rows: number;
  /** Latest exit of a call in the store's time; meaningless without rows. */
  lastEndNs: bigint;
  /**
   * Spans in which a thread left calls out on purpose, in the store's time: columns of the table `gaps`. Per
   * thread, their calls add up to what it left out.
   */
  gaps: {
    thread: Int16Array<ArrayBuffer>;
    start_ns: BigInt64Array<ArrayBuffer>;
    end_ns: BigInt64Array<ArrayBuffer>;
    calls: BigInt64Array<ArrayBuffer>;
  };
}

/** Column buffers of the view `calls`, named like its columns. */
export interface CallColumns {
  rank: Int32Array<ArrayBuffer>;
  thread: Int16Array<ArrayBuffer>;
  state: Int32Array<ArrayBuffer>;
  edge: Int32Array<ArrayBuffer>;
  before_ns: BigInt64Array<ArrayBuffer>;
  start_ns: BigInt64Array<ArrayBuffer>;
  end_ns: BigInt64Array<ArrayBuffer>;
  bytes: BigInt64Array<ArrayBuffer>;
  before_bytes: BigInt64Array<ArrayBuffer>;
  peer: Int32Array<ArrayBuffer>;
  communicator: Int32Array<ArrayBuffer>;
  tag: Int32Array<ArrayBuffer>;
  requests: Int32Array<ArrayBuffer>;
  completed: Int32Array<ArrayBuffer>;
  file: Int32Array<ArrayBuffer>;
}

/** Column buffers of the table `works`, named like its columns. */
export interface WorkColumns extends Omit<CallColumns, "before_ns" | "start_ns" | "end_ns"> {
  work: Int32Array<ArrayBuffer>;
}

/** Column buffers of the table `counter_samples`, named like its columns. */
export interface CounterColumns {
  rank: Int32Array<ArrayBuffer>;
  thread: Int16Array<ArrayBuffer>;
  at_ns: BigInt64Array<ArrayBuffer>;
  counter: Int16Array<ArrayBuffer>;
  value: BigInt64Array<ArrayBuffer>;
}

/** A counter that was asked for, as struct vst_counter of trace_format.h. */
export interface CounterDescription {
  name: string;
  unit: string;
  group: string;
  /** Why it is not read; empty if it is. */
  reason: string;
  scope: number;
}

/** PROBES blocks, one entry per probe. Times are CLOCK_MONOTONIC of the host. */
export interface ProbeColumns {
  /** Entries that count; columns may be longer. */
  rows: number;
  thread: Int16Array<ArrayBuffer>;
  /** enum vst_probe_kind of trace_probe.h. */
  kind: Int16Array<ArrayBuffer>;
  /** -1: not known. */
  core: Int32Array<ArrayBuffer>;
  start_ns: BigInt64Array<ArrayBuffer>;
  duration_ns: Float64Array<ArrayBuffer>;
  cpu_ns: BigInt64Array<ArrayBuffer>;
  total_cpu_ns: BigInt64Array<ArrayBuffer>;
  /** -1: the kernel did not tell. */
  delay_ns: BigInt64Array<ArrayBuffer>;
}

/** Column buffers of the table `transfers`, named like its columns and in their order. */
export interface TransferColumns {
  rank: Int32Array<ArrayBuffer>;
  thread: Int16Array<ArrayBuffer>;
  start_state: Int32Array<ArrayBuffer>;
  posted_ns: BigInt64Array<ArrayBuffer>;
  completed_ns: BigInt64Array<ArrayBuffer>;
  waited_ns: BigInt64Array<ArrayBuffer>;
  bytes: BigInt64Array<ArrayBuffer>;
  peer: Int32Array<ArrayBuffer>;
  communicator: Int32Array<ArrayBuffer>;
  tag: Int32Array<ArrayBuffer>;
  wait_thread: Int16Array<ArrayBuffer>;
  wait_state: Int32Array<ArrayBuffer>;
  outcome: Int16Array<ArrayBuffer>;
  receive: Int16Array<ArrayBuffer>;
}

/** What a trace file says without its calls. Numbers of states and so on are those of the file. */
export interface TraceDescription {
  rank: number;
  worldSize: number;
  pid: number;
  /** Hexadecimal. */
  jobId: string;
  /** MPI_Finalize returned and the file has its end. */
  finalized: boolean;
  /** Recording ended early; `problems` says why. */
  stopped: boolean;
  traceBytes: number;
  /** Exit of MPI_Init, CLOCK_MONOTONIC of the host. */
  initExitNs: bigint;
  /** Latest time known without decoding, CLOCK_MONOTONIC of the host; calls can end later. */
  lastNs: bigint;
  /** CLOCK_REALTIME - CLOCK_MONOTONIC. */
  realtimeOffsetNs: bigint;
  /** The interceptor's own cost outside the per-call path. */
  toolNs: number;
  /** Its own cost in the per-call path, as it measured it in the run; 0: not measured. */
  callsNs: number;
  /** Its calibrated cost of one recorded call. */
  callCostNs: number;
  /** Keys as VST_KEY_* in trace_format.h, in file order. */
  process: [key: string, value: string][];
  modules: { number: number; path: string; buildId: string }[];
  states: {
    number: number;
    module: number;
    offset: bigint;
    category: number;
    call: string;
    /** Number of its call path; -1: known by its site alone. */
    path: number;
  }[];
  paths: { number: number; frames: NativeFrame[] }[];
  communicators: {
    number: number;
    ordinal: number;
    membersHash: string;
    size: number;
    remoteSize: number;
    /** first, stride, count of each run of world ranks. */
    runs: Int32Array;
  }[];
  /** What POSIX and stdio calls went to; kind is enum vst_file_kind, fileSystem a magic number. */
  files: {
    number: number;
    kind: number;
    device: bigint;
    inode: bigint;
    fileSystem: bigint;
    path: string;
  }[];
  threads: ThreadCounts[];
  /** In the file's order. */
  counters: CounterDescription[];
  probes: ProbeColumns;
  /** THREAD blocks: threads as they come and end, in file order. */
  lives: ThreadLife[];
  /** Transfers that were completed, those that are in the file, and completed requests without known start. */
  transfers: { written: number; there: number; unmatched: number };
  /** PROBLEM blocks: what the interceptor had to report. */
  problems: string[];
  /** What is damaged or missing; each line reads on after "RANK.vst: ". */
  damage: string[];
}

/** A frame of a call path: where its callee returns to. */
export interface NativeFrame {
  module: number;
  offset: bigint;
}

export interface ThreadLife {
  thread: number;
  systemThread: number;
  /** Number, then, of the thread that made it; -1: not known. */
  parent: number;
  /** enum vst_thread_kind */
  kind: number;
  /** Of the start routine; -1: not known. */
  module: number;
  offset: bigint;
  /** It ended at `atNs`; else it came to its first call then. */
  ended: boolean;
  /** CLOCK_MONOTONIC of the host; 0 unless `placed`: its tick makes sense. */
  atNs: bigint;
  placed: boolean;
  name: string;
}

export interface ThreadCounts {
  thread: number;
  /** False if the block with the counters is missing; then the next four are 0. */
  counted: boolean;
  written: number;
  intercepted: number;
  lost: number;
  sampledOut: number;
  /** Records in blocks that passed their check. */
  sealed: number;
  /** Records that damaged blocks claim to hold. */
  damaged: number;
  /** Records not yet sealed that follow. */
  unsealed: number;
  /** What it left out on purpose, state by state. */
  leftOut: LeftOutCount[];
}

export interface LeftOutCount {
  /** Number of the file. */
  state: number;
  calls: number;
  /** Those of them that were timed, and how long they took together. */
  timed: number;
  timedNs: number;
}

/** Input of the synthetic writer, everything filled in; see write-synthetic.ts. */
export interface NativeTraceInput {
  rank: number;
  worldSize: number;
  pid: number;
  jobId: bigint;
  process: [key: string, value: string][];
  modules: { path: string; buildId: Uint8Array }[];
  states: { module: number; offset: bigint; category: number; call: string; path: number }[];
  paths: NativeFrame[][];
  communicators: { members: Int32Array; ordinal: number; rank: number; remoteSize: number }[];
  monotonicNs: bigint;
  realtimeOffsetNs: bigint;
  ticksPerSecond: number;
  initExitNs: number;
  firstNs: number;
  lastNs: number;
  toolTicks: number;
  callCostPicoseconds: number;
  callTicks: number;
  blockRecords: number;
  columns: {
    thread: Int32Array;
    state: Int32Array;
    startNs: Float64Array | BigInt64Array;
    endNs: Float64Array | BigInt64Array;
    bytes: Float64Array | BigInt64Array;
    peer: Int32Array;
    communicator: Int32Array;
    tag: Int32Array;
    requests: Int32Array;
    completed: Int32Array;
    skipped: Int32Array;
  };
  /** COUNTS entries; `lastNs` of the last one of a thread counts. */
  leftOut: (LeftOutCount & { thread: number; lastNs: number })[];
  /** Per thread: records left in the slots. */
  unsealed: Int32Array;
  transfers?: NativeTransfers;
  lost: number;
  sampledOut: number;
  problems: string[];
  finalized: boolean;
}

/** Transfers of the synthetic writer: struct vst_transfer as columns, in order of completion. */
export interface NativeTransfers {
  /** That completed it. */
  thread: Int32Array;
  endRecord: BigInt64Array;
  startThread: Int32Array;
  startRecord: BigInt64Array;
  /** enum vst_transfer_flag; values without flag are 0. */
  flags: Int32Array;
  peer: Int32Array;
  tag: Int32Array;
  communicator: Int32Array;
  bytes: BigInt64Array;
  blockTransfers: number;
  /** Left in the slots of each thread. */
  unsealed: number;
}

let addon: NativeAddon | undefined;

/** @throws UserError if the addon was not built or does not load */
export function nativeAddon(): NativeAddon {
  if (addon) return addon;
  // From the sources (src/trace) and from the compiled program (build/js/trace).
  const places = ["../../build/native/trace.node", "../../native/trace.node"].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  const path = places.find((place) => existsSync(place));
  if (!path) {
    throw new UserError(`the trace reader is not built (${places[0]} is missing): npm run build`);
  }
  try {
    addon = createRequire(import.meta.url)(path) as NativeAddon;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(`the trace reader ${path} does not load, build it again: ${reason}`);
  }
  return addon;
}
