import { readFileSync } from "node:fs";

/**
 * A second, independent reader of trace files for these tests, written from the text of
 * interceptor/include/trace_format.h alone: slow, strict, and only for small files.
 */
export interface TraceFile {
  pid: number;
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
  problems: string[];
  records: TraceRecord[];
}

export interface Communicator {
  number: number;
  ordinal: number;
  members: number[];
  rank: number;
  remoteSize: number;
}

export interface TraceRecord {
  thread: number;
  call: string;
  module: string;
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
      problems: [],
      records: [],
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
          call: text(payload, 24),
        });
        return;
      case 4:
        this.file.communicators.push(communicator(payload));
        return;
      case 6:
        this.fragments(at, payload, thread);
        return;
      case 8:
        this.file.problems.push(text(payload, 0));
        return;
    }
  }

  private fragments(at: number, payload: Buffer, thread: number): void {
    const count = this.data.readUInt32LE(at + 20);
    const columns = splitColumns(payload);
    const states = readStates(columns[2]!, count);
    const value = (column: number): bigint[] => readValues(columns[column]!, states);
    const [communicators, peers, tags, bytes] = [value(3), value(4), value(5), value(6)];
    const requests = readRequests(columns[7]!, states);
    const gaps = new Varints(columns[0]!);
    const durations = new Varints(columns[1]!);
    let clock = this.data.readBigUInt64LE(at + 32);
    for (let i = 0; i < count; i++) {
      const enter = clock + gaps.next();
      clock = enter + durations.next();
      this.add(thread, states[i]!, {
        enter,
        exit: clock,
        bytes: Number(bytes[i]!),
        communicator: Number(communicators[i]!) - 1,
        peer: unzigzag(peers[i]!),
        tag: unzigzag(tags[i]!),
        requests: requests[i]![0],
        completed: requests[i]![1],
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
      const at = 40 + i * 48;
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
    rest: Omit<TraceRecord, "thread" | "call" | "module">,
  ): void {
    const state = this.states.get(number);
    if (!state) throw new Error(`state ${number} is not defined`);
    const module = this.file.modules[state.module];
    if (module === undefined) throw new Error(`module ${state.module} is not defined`);
    this.file.records.push({ thread, call: state.call, module, ...rest });
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
  for (let at = 0; columns.length < 8; ) {
    const bytes = payload.readUInt32LE(at);
    columns.push(payload.subarray(at + 4, at + 4 + bytes));
    at += 4 + bytes;
  }
  return columns;
}

/** Position of the next exception in a sparse column, or infinity. */
function nextPair(column: Varints, position: number): number {
  return column.ended ? Number.POSITIVE_INFINITY : position + Number(column.next());
}

function readStates(data: Buffer, count: number): number[] {
  const column = new Varints(data);
  const followers = new Map<number, number>();
  const states: number[] = [];
  let exception = nextPair(column, 0);
  for (let i = 0; i < count; i++) {
    const before = states[i - 1];
    let state = before === undefined ? 0 : (followers.get(before) ?? 0);
    if (i === exception) {
      state = Number(column.next());
      exception = nextPair(column, i + 1);
    }
    if (before !== undefined) followers.set(before, state);
    states.push(state);
  }
  return states;
}

function readColumn<T>(data: Buffer, states: number[], none: T, read: (from: Varints) => T): T[] {
  const column = new Varints(data);
  const last = new Map<number, T>();
  let exception = nextPair(column, 0);
  return states.map((state, i) => {
    if (i === exception) {
      last.set(state, read(column));
      exception = nextPair(column, i + 1);
    }
    return last.get(state) ?? none;
  });
}

function readValues(data: Buffer, states: number[]): bigint[] {
  return readColumn(data, states, 0n, (from) => from.next());
}

function readRequests(data: Buffer, states: number[]): [number, number][] {
  return readColumn<[number, number]>(data, states, [0, 0], (from) => {
    const coded = Number(from.next());
    const requests = Math.floor(coded / 2);
    return [requests, coded % 2 === 0 ? requests : Number(from.next())];
  });
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
