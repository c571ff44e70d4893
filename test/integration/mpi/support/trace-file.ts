import { readFileSync } from "node:fs";

/**
 * A second, independent reader of trace files for these tests, written from the text of
 * interceptor/include/trace_format.h alone: slow, strict, and only for small files.
 */
export interface TraceFile {
  pid: number;
  ticksPerSecond: number;
  jobId: bigint;
  rank: number;
  size: number;
  finalized: boolean;
  /** Sums over the threads' counters. */
  intercepted: number;
  lost: number;
  sampledOut: number;
  facts: Map<string, string>;
  modules: string[];
  communicators: Communicator[];
  files: FileDefinition[];
  problems: string[];
  records: TraceRecord[];
  /** Threads as they come and end, in file order. */
  lives: ThreadLife[];
}

export interface ThreadLife {
  thread: number;
  systemThread: number;
  /** -1: not known. */
  parent: number;
  kind: number;
  /** Of the start routine; undefined: not known. */
  module: string | undefined;
  ended: boolean;
  tick: bigint;
  name: string;
}

export interface Communicator {
  number: number;
  ordinal: number;
  members: number[];
  rank: number;
  remoteSize: number;
}

export interface FileDefinition {
  number: number;
  kind: number;
  device: bigint;
  inode: bigint;
  fileSystem: bigint;
  path: string;
}

export interface TraceRecord {
  thread: number;
  call: string;
  module: string;
  /** Return address of the call, from where the module was loaded. */
  offset: bigint;
  enter: bigint;
  exit: bigint;
  bytes: number;
  communicator: number;
  peer: number;
  tag: number;
  requests: number;
  completed: number;
}

interface State {
  call: string;
  module: number;
  offset: bigint;
}

const NO_COMMUNICATOR = 0xffffffff;

export function readTraceFile(path: string): TraceFile {
  return new Decoder(readFileSync(path)).file;
}

class Decoder {
  private readonly data: Buffer;
  private readonly states = new Map<number, State>();
  private readonly sealed = new Map<number, number>();
  readonly file: TraceFile;

  constructor(data: Buffer) {
    this.data = data;
    if (data.toString("latin1", 0, 8) !== "VARSCOPE") throw new Error("not a trace file");
    this.file = {
      pid: data.readUInt32LE(28),
      ticksPerSecond: Number(data.readBigUInt64LE(32)),
      jobId: data.readBigUInt64LE(40),
      rank: data.readInt32LE(48),
      size: data.readInt32LE(52),
      finalized: data.readUInt32LE(72) === 2,
      intercepted: 0,
      lost: 0,
      sampledOut: 0,
      facts: new Map(),
      modules: [],
      communicators: [],
      files: [],
      problems: [],
      records: [],
      lives: [],
    };
    const committed = Number(data.readBigUInt64LE(64));
    const staging: [number, Buffer][] = [];
    for (let at = data.readUInt32LE(16); at < committed; ) {
      if (data.readUInt32LE(at) !== 0x4b4c4256) throw new Error(`no block at ${at}`);
      const length = data.readUInt32LE(at + 8);
      const payload = data.subarray(at + 40, at + 40 + length);
      const thread = data.readUInt32LE(at + 16);
      if (data.readUInt16LE(at + 4) === 7) staging.push([thread, payload]);
      else this.block(at, payload, thread);
      at += 40 + Math.ceil(length / 8) * 8;
    }
    for (const [thread, payload] of staging) this.staging(thread, payload);
    this.file.records.sort((a, b) => a.thread - b.thread || Number(a.enter - b.enter));
  }

  private block(at: number, payload: Buffer, thread: number): void {
    switch (this.data.readUInt16LE(at + 4)) {
      case 1: {
        const words = payload.toString("utf8").split("\0");
        for (let i = 0; i + 1 < words.length; i += 2) this.file.facts.set(words[i]!, words[i + 1]!);
        return;
      }
      case 2:
        this.file.modules[payload.readUInt32LE(0)] = text(payload, 40);
        return;
      case 3:
        this.states.set(payload.readUInt32LE(0), {
          module: payload.readUInt32LE(4),
          offset: payload.readBigUInt64LE(8),
          call: text(payload, 24),
        });
        return;
      case 4:
        this.file.communicators.push(communicator(payload));
        return;
      case 6:
        this.fragments(at, payload, thread);
        return;
      case 12:
        this.file.lives.push({
          thread: payload.readUInt32LE(0),
          systemThread: payload.readUInt32LE(4),
          parent: payload.readInt32LE(8),
          kind: payload.readUInt32LE(12),
          module: this.file.modules[payload.readUInt32LE(16)],
          ended: payload.readUInt32LE(20) === 1,
          tick: payload.readBigUInt64LE(32),
          name: text(payload, 40),
        });
        return;
      case 11:
        this.file.files.push({
          number: payload.readUInt32LE(0),
          kind: payload.readUInt32LE(4),
          device: payload.readBigUInt64LE(8),
          inode: payload.readBigUInt64LE(16),
          fileSystem: payload.readBigUInt64LE(24),
          path: text(payload, 32),
        });
        return;
      case 8:
        this.file.problems.push(text(payload, 0));
        return;
    }
  }

  private fragments(at: number, payload: Buffer, thread: number): void {
    const count = this.data.readUInt32LE(at + 20);
    const [gaps, durations, ...others] = splitColumns(payload);
    const rest = others.slice(0, 6); // what was left out between is of no interest here
    const ticks = [new Varints(gaps!), new Varints(durations!)] as const;
    let clock = this.data.readBigUInt64LE(at + 32);
    for (const row of readRows(rest, count)) {
      const enter = clock + ticks[0].next();
      clock = enter + ticks[1].next();
      this.add(thread, Number(row[0]), {
        enter,
        exit: clock,
        bytes: Number(row[4]),
        communicator: Number(row[1]) - 1,
        peer: unzigzag(row[2]),
        tag: unzigzag(row[3]),
        requests: Number(row[5]),
        completed: Number(row[6]),
      });
    }
    this.sealed.set(thread, (this.sealed.get(thread) ?? 0) + count);
  }

  private staging(thread: number, payload: Buffer): void {
    const counter = (index: number): number => Number(payload.readBigUInt64LE(index * 8));
    this.file.intercepted += counter(1);
    this.file.lost += counter(2);
    this.file.sampledOut += counter(3);
    const unsealed = counter(0) - (this.sealed.get(thread) ?? 0);
    for (let i = 0; i < unsealed; i++) {
      const at = 40 + i * 56;
      const found = payload.readUInt32LE(at + 28);
      this.add(thread, payload.readUInt32LE(at + 24), {
        enter: payload.readBigUInt64LE(at),
        exit: payload.readBigUInt64LE(at + 8),
        bytes: Number(payload.readBigUInt64LE(at + 16)),
        communicator: found === NO_COMMUNICATOR ? -1 : found,
        peer: payload.readInt32LE(at + 32),
        tag: payload.readInt32LE(at + 36),
        requests: payload.readUInt32LE(at + 40),
        completed: payload.readUInt32LE(at + 44),
      });
    }
  }

  private add(
    thread: number,
    number: number,
    rest: Omit<TraceRecord, "thread" | "call" | "module" | "offset">,
  ): void {
    const state = this.states.get(number);
    if (!state) throw new Error(`state ${number} is not defined`);
    const module = this.file.modules[state.module];
    if (module === undefined) throw new Error(`module ${state.module} is not defined`);
    const { call, offset } = state;
    this.file.records.push({ thread, call, module, offset, ...rest });
  }
}

class Varints {
  private readonly data: Buffer;
  private at = 0;

  constructor(data: Buffer) {
    this.data = data;
  }

  get ended(): boolean {
    return this.at >= this.data.length;
  }

  next(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.data.readUInt8(this.at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
}

function splitColumns(payload: Buffer): Buffer[] {
  const columns: Buffer[] = [];
  for (let at = 0; columns.length < 9; ) {
    const bytes = payload.readUInt32LE(at);
    columns.push(payload.subarray(at + 4, at + 4 + bytes));
    at += 4 + bytes;
  }
  return columns;
}

/** State, coded communicator, peer, tag, bytes; requests, completed. */
type Row = [bigint, bigint, bigint, bigint, bigint, bigint, bigint];

const EMPTY_ROW: Row = [0n, 0n, 0n, 0n, 0n, 0n, 0n];

/** A sparse column: what is to be taken from it at each position, in order. */
class Exceptions {
  private readonly from: Varints;
  private position: number;

  constructor(data: Buffer) {
    this.from = new Varints(data);
    this.position = -1;
    this.moveOn();
  }

  private moveOn(): void {
    if (this.from.ended) this.position = Number.POSITIVE_INFINITY;
    else this.position += 1 + Number(this.from.next());
  }

  at<T>(position: number, foreseen: T, read: (from: Varints) => T): T {
    if (position !== this.position) return foreseen;
    const value = read(this.from);
    this.moveOn();
    return value;
  }
}

function readPair(from: Varints): [bigint, bigint] {
  const coded = from.next();
  return [coded / 2n, coded % 2n === 0n ? coded / 2n : from.next()];
}

function same(a: Row, b: Row): boolean {
  return a.every((value, i) => value === b[i]);
}

/** Columns 2 to 7, decoded as the format says it, by searching all earlier rows. */
function readRows(data: Buffer[], count: number): Row[] {
  const columns = data.map((column) => new Exceptions(column));
  const rows: Row[] = [];
  let model = -1;
  for (let i = 0; i < count; i++) {
    const foreseen = rows[model]?.[0] ?? 0n;
    const state = columns[0]!.at(i, foreseen, (from) => from.next());
    const like =
      model >= 0 && state === foreseen ? rows[model]! : rows.findLast((row) => row[0] === state);
    const base = like ?? EMPTY_ROW;
    const value = (column: number): bigint =>
      columns[column]!.at(i, base[column]!, (from) => from.next());
    const simple = [value(1), value(2), value(3), value(4)] as const;
    const row: Row = [
      state,
      ...simple,
      ...columns[5]!.at<[bigint, bigint]>(i, [base[5], base[6]], readPair),
    ];
    model = nextModel(rows, row, model);
    rows.push(row);
  }
  return rows;
}

/** Model of the row after `row`, which follows `rows` and has the model `model`; -1: none. */
function nextModel(rows: Row[], row: Row, model: number): number {
  const modelRow = rows[model];
  if (modelRow && same(modelRow, row)) return model + 1;
  const twin = rows.findLastIndex((earlier) => same(earlier, row));
  if (twin >= 0) return twin + 1;
  if (modelRow && modelRow[0] === row[0]) return model + 1;
  const relative = rows.findLastIndex((earlier) => earlier[0] === row[0]);
  return relative < 0 ? -1 : relative + 1;
}

function communicator(payload: Buffer): Communicator {
  const members: number[] = [];
  for (let run = 0; run < payload.readUInt32LE(24); run++) {
    const at = 32 + run * 12;
    for (let i = 0; i < payload.readUInt32LE(at + 8); i++) {
      members.push(payload.readInt32LE(at) + i * payload.readInt32LE(at + 4));
    }
  }
  if (members.length !== payload.readUInt32LE(16)) throw new Error("members do not add up");
  return {
    number: payload.readUInt32LE(0),
    ordinal: payload.readUInt32LE(4),
    members,
    rank: payload.readUInt32LE(20),
    remoteSize: payload.readUInt32LE(28),
  };
}

function text(payload: Buffer, at: number): string {
  return payload.toString("utf8", at, payload.indexOf(0, at));
}

function unzigzag(value: bigint): number {
  return Number(value % 2n === 0n ? value / 2n : -(value / 2n) - 1n);
}
