import { Cursor, expectThat } from "./cursor.ts";

export interface Call {
  enter: bigint;
  exit: bigint;
  bytes: bigint;
  state: number;
  communicator: number;
  peer: number;
  tag: number;
  requests: number;
  completed: number;
  skipped: number;
}

function unzigzag(value: bigint): number {
  return Number(value & 1n ? -(value >> 1n) - 1n : value >> 1n);
}

/** A column of pairs (skipped, value): the value at record `i`, or undefined where it is foreseen. */
function pairs<T>(column: Cursor, read: () => T): (i: number) => T | undefined {
  let next = column.done() ? -1 : Number(column.varint());
  return (i) => {
    if (i !== next) return undefined;
    const value = read();
    next = column.done() ? -1 : i + 1 + Number(column.varint());
    return value;
  };
}

type Values = Omit<Call, "enter" | "exit" | "skipped">;

const NOTHING: Values = {
  state: 0,
  communicator: 0xffffffff,
  peer: 0,
  tag: 0,
  bytes: 0n,
  requests: 0,
  completed: 0,
};

function keyOf(values: Values): string {
  const { state, communicator, peer, tag, bytes, requests, completed } = values;
  return [state, communicator, peer, tag, bytes, requests, completed].join();
}

/** The four rules for models, one call after the other. */
class Models {
  private readonly all: Values[] = [];
  private readonly latestEqual = new Map<string, number>();
  private readonly latestOfState = new Map<number, number>();
  private model: number | undefined;

  /** What the next record repeats, if anything. */
  get next(): Values | undefined {
    return this.model === undefined ? undefined : this.all[this.model];
  }

  lastOf(state: number): Values | undefined {
    const last = this.latestOfState.get(state);
    return last === undefined ? undefined : this.all[last];
  }

  add(values: Values): void {
    const key = keyOf(values);
    const model = this.next;
    let followed: number | undefined;
    if (model && keyOf(model) === key) followed = this.model;
    else if (this.latestEqual.has(key)) followed = this.latestEqual.get(key);
    else if (model?.state === values.state) followed = this.model;
    else followed = this.latestOfState.get(values.state);
    this.model = followed === undefined ? undefined : followed + 1;
    this.latestEqual.set(key, this.all.length);
    this.latestOfState.set(values.state, this.all.length);
    this.all.push(values);
  }
}

const MASK = (1n << 64n) - 1n;

export function decodeFragments(payload: Buffer, count: number, previousExit: bigint): Call[] {
  const all = new Cursor(payload);
  const column = () => {
    const length = all.u32();
    all.at += length;
    return new Cursor(payload.subarray(all.at - length, all.at));
  };
  const [gap, duration, state, communicator] = [column(), column(), column(), column()];
  const [peer, tag, bytes, requests] = [column(), column(), column(), column()];
  const skipped = column();
  expectThat(all.done(), "the columns fill the payload");
  const nextState = pairs(state, () => Number(state.varint()));
  const nextCommunicator = pairs(communicator, () =>
    Number((communicator.varint() - 1n) & 0xffffffffn),
  );
  const nextPeer = pairs(peer, () => unzigzag(peer.varint()));
  const nextTag = pairs(tag, () => unzigzag(tag.varint()));
  const nextBytes = pairs(bytes, () => bytes.varint());
  const nextRequests = pairs(requests, () => {
    const coded = requests.varint();
    const passed = Number(coded >> 1n);
    return [passed, coded & 1n ? Number(requests.varint()) : passed] as const;
  });
  const nextSkipped = pairs(skipped, () => Number(skipped.varint()));
  const models = new Models();
  const calls: Call[] = [];
  let clock = previousExit;
  for (let i = 0; i < count; i++) {
    const enter = (clock + gap.varint()) & MASK;
    const exit = (enter + duration.varint()) & MASK;
    const model = models.next;
    const number = nextState(i) ?? model?.state ?? 0;
    const like = (model?.state === number ? model : models.lastOf(number)) ?? NOTHING;
    const [passed, completed] = nextRequests(i) ?? [like.requests, like.completed];
    const values = {
      state: number,
      communicator: nextCommunicator(i) ?? like.communicator,
      peer: nextPeer(i) ?? like.peer,
      tag: nextTag(i) ?? like.tag,
      bytes: nextBytes(i) ?? like.bytes,
      requests: passed,
      completed,
    };
    models.add(values);
    calls.push({ enter, exit, ...values, skipped: nextSkipped(i) ?? 0 });
    clock = exit;
  }
  expectThat(
    [gap, duration, state, communicator, peer, tag, bytes, requests, skipped].every((c) =>
      c.done(),
    ),
    "columns end with their last record",
  );
  return calls;
}

/** One struct vst_record. */
export function readCall(from: Cursor): Call {
  const [enter, exit, bytes] = [from.u64(), from.u64(), from.u64()];
  const [state, communicator] = [from.u32(), from.u32()];
  const [peer, tag] = [from.i32(), from.i32()];
  const [requests, completed, skipped] = [from.u32(), from.u32(), from.u32()];
  expectThat(from.u32() === 0, "what is reserved is 0");
  return {
    enter,
    exit,
    bytes,
    state,
    communicator,
    peer,
    tag,
    requests,
    completed,
    skipped,
  };
}
