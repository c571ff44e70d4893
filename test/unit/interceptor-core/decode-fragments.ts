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

const NOTHING = {
  communicator: 0xffffffff,
  peer: 0,
  tag: 0,
  bytes: 0n,
  requests: 0,
  completed: 0,
};

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
  const followers = new Map<number, number>();
  const lastOf = new Map<number, Omit<Call, "enter" | "exit" | "state">>();
  const calls: Call[] = [];
  let clock = previousExit;
  let before: number | undefined;
  for (let i = 0; i < count; i++) {
    const enter = (clock + gap.varint()) & MASK;
    const exit = (enter + duration.varint()) & MASK;
    const foreseen: number = before === undefined ? 0 : (followers.get(before) ?? 0);
    const number: number = nextState(i) ?? foreseen;
    if (before !== undefined) followers.set(before, number);
    const last = lastOf.get(number) ?? NOTHING;
    const [passed, completed] = nextRequests(i) ?? [last.requests, last.completed];
    const values = {
      communicator: nextCommunicator(i) ?? last.communicator,
      peer: nextPeer(i) ?? last.peer,
      tag: nextTag(i) ?? last.tag,
      bytes: nextBytes(i) ?? last.bytes,
      requests: passed,
      completed,
    };
    lastOf.set(number, values);
    calls.push({ enter, exit, state: number, ...values });
    clock = exit;
    before = number;
  }
  expectThat(
    [gap, duration, state, communicator, peer, tag, bytes, requests].every((c) => c.done()),
    "columns end with their last record",
  );
  return calls;
}

/** One struct vst_record. */
export function readCall(from: Cursor): Call {
  const [enter, exit, bytes] = [from.u64(), from.u64(), from.u64()];
  const [state, communicator] = [from.u32(), from.u32()];
  const [peer, tag] = [from.i32(), from.i32()];
  return {
    enter,
    exit,
    bytes,
    state,
    communicator,
    peer,
    tag,
    requests: from.u32(),
    completed: from.u32(),
  };
}
