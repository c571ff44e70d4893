import { basename } from "node:path";
import {
  type CallColumns,
  type CounterColumns,
  type DecodeResult,
  type NativeEdges,
  type NativeTrace,
  type NativeWorks,
  nativeAddon,
  type TraceDescription,
  type TransferColumns,
  type TransferResult,
  type WorkColumns,
} from "./native.ts";

export type {
  CallColumns,
  CounterColumns,
  CounterDescription,
  DecodeResult,
  ThreadCounts,
  ThreadLife,
  TraceDescription,
  TransferColumns,
  TransferResult,
  WorkColumns,
} from "./native.ts";

/** A file that cannot be used at all. */
export class TraceFileError extends Error {
  /** @param message one line that starts with the name of the file */
  constructor(message: string) {
    super(message);
    this.name = "TraceFileError";
  }
}

/** How the numbers of one file become those of the store. */
export interface TraceMapping {
  /** By the file's state number; -1: not defined. */
  states: Int32Array;
  /** By the file's communicator number; -1: not known. */
  communicators: Int32Array;
  /** By the file's number of a file that was read or written; -1: not known. */
  files: Int32Array;
  /** CLOCK_MONOTONIC of this host at time 0 of the job. */
  zeroNs: bigint;
}

/** Numbers edges across the files of a job, in order of appearance. */
export class EdgeNumbers {
  readonly native: NativeEdges = new (nativeAddon().Edges)();

  /** from, to of edge 0, then of edge 1, ... */
  pairs(): Int32Array {
    return this.native.list();
  }
}

/** Numbers works across the files of a job, in order of appearance. */
export class WorkNumbers {
  private readonly native: NativeWorks = new (nativeAddon().Works)();

  /**
   * Numbers the works of the first `rows` calls of `calls`: fills `work`, and `fresh` with the works that have
   * no number yet. Returns how many these are, or undefined if too few works repeat to be worth numbers.
   */
  number(
    calls: CallColumns,
    rows: number,
    work: Int32Array<ArrayBuffer>,
    fresh: WorkColumns,
  ): number | undefined {
    const works = this.native.number(calls, rows, work, fresh);
    return works < 0 ? undefined : works;
  }
}

/**
 * One trace file, checked when it is opened: what is damaged is named in `description.damage`, what
 * is intact is delivered. Works on files of running and of killed processes, too; the description is
 * a snapshot. Holds no open file except between the first and the last batch of `decode`.
 */
export class TraceReader {
  readonly path: string;
  /** Last part of the path: how messages name the file. */
  readonly name: string;
  readonly description: TraceDescription;
  private readonly native: NativeTrace;

  /** @throws TraceFileError if nothing in the file can be used */
  constructor(path: string) {
    this.path = path;
    this.name = basename(path);
    try {
      this.native = new (nativeAddon().Trace)(path);
    } catch (error) {
      throw this.failure(error);
    }
    this.description = this.native.describe();
  }

  /**
   * Decodes all calls by thread and time. Yields the number of rows that stand in `columns` after
   * each batch; the caller takes them out before it asks for more.
   * @throws TraceFileError if the file is gone
   */
  *decode(
    mapping: TraceMapping,
    edges: EdgeNumbers,
    columns: CallColumns,
  ): Generator<number, DecodeResult> {
    try {
      const { states, communicators, files, zeroNs } = mapping;
      this.native.begin(states, communicators, files, zeroNs, edges.native);
    } catch (error) {
      throw this.failure(error);
    }
    for (let rows = this.native.next(columns); rows > 0; rows = this.native.next(columns)) {
      yield rows;
    }
    return this.native.finish();
  }

  /**
   * Decodes all readings of counters, by thread and time of each counter. Yields rows like `decode`, and
   * returns lines on what turned out damaged.
   * @param numbers of the store, by counter of the file
   * @throws TraceFileError if the file is gone
   */
  *decodeCounters(
    numbers: Int32Array,
    zeroNs: bigint,
    columns: CounterColumns,
  ): Generator<number, string[]> {
    try {
      this.native.beginCounters(numbers, zeroNs);
    } catch (error) {
      throw this.failure(error);
    }
    for (;;) {
      const rows = this.native.nextCounters(columns);
      if (rows === 0) return this.native.finishCounters();
      yield rows;
    }
  }

  /**
   * Decodes all transfers, by completing thread and time. Works like `decode`, and independently of it.
   * @throws TraceFileError if the file is gone
   */
  *decodeTransfers(
    mapping: TraceMapping,
    columns: TransferColumns,
  ): Generator<number, TransferResult> {
    const { native } = this;
    try {
      native.beginTransfers(mapping.states, mapping.communicators, mapping.files, mapping.zeroNs);
    } catch (error) {
      throw this.failure(error);
    }
    for (let rows = native.nextTransfers(columns); rows > 0; rows = native.nextTransfers(columns)) {
      yield rows;
    }
    return native.finishTransfers();
  }

  private failure(error: unknown): unknown {
    if (!(error instanceof Error) || error.name === "UserError") return error;
    return new TraceFileError(`${this.name} ${error.message}`);
  }
}

/** Buffers for `rows` works. */
export function makeWorkColumns(rows: number): WorkColumns {
  return {
    work: new Int32Array(rows),
    rank: new Int32Array(rows),
    thread: new Int16Array(rows),
    state: new Int32Array(rows),
    edge: new Int32Array(rows),
    bytes: new BigInt64Array(rows),
    before_bytes: new BigInt64Array(rows),
    peer: new Int32Array(rows),
    communicator: new Int32Array(rows),
    tag: new Int32Array(rows),
    requests: new Int32Array(rows),
    completed: new Int32Array(rows),
    file: new Int32Array(rows),
  };
}

/** Buffers for batches of `rows` rows. */
export function makeCallColumns(rows: number): CallColumns {
  return {
    rank: new Int32Array(rows),
    thread: new Int16Array(rows),
    state: new Int32Array(rows),
    edge: new Int32Array(rows),
    before_ns: new BigInt64Array(rows),
    start_ns: new BigInt64Array(rows),
    end_ns: new BigInt64Array(rows),
    bytes: new BigInt64Array(rows),
    before_bytes: new BigInt64Array(rows),
    peer: new Int32Array(rows),
    communicator: new Int32Array(rows),
    tag: new Int32Array(rows),
    requests: new Int32Array(rows),
    completed: new Int32Array(rows),
    file: new Int32Array(rows),
  };
}
