import { EdgeNumbers, makeCallColumns, TraceReader } from "../../../../src/trace/reader.ts";

export interface Call {
  thread: number;
  state: number;
  /** Numbers of from and to state; undefined if there is no edge. */
  edge: [number, number] | undefined;
  before: bigint;
  start: bigint;
  end: bigint;
  bytes: bigint;
  beforeBytes: bigint;
  peer: number;
  communicator: number;
  tag: number;
  requests: number;
  completed: number;
}

export interface Decoded {
  reader: TraceReader;
  calls: Call[];
  /** All lines on damage, found when opening or when decoding. */
  damage: string[];
  /** thread, start, end, calls of the spans in which calls were left out. */
  gaps: number[][];
}

function own(numbers: { number: number }[], least: number): Int32Array {
  const length = Math.max(least, (numbers.at(-1)?.number ?? -1) + 1);
  return Int32Array.from({ length }, (_, number) => number);
}

/**
 * Decodes a file with its own numbers of states and communicators.
 * @param zeroNs CLOCK_MONOTONIC at time 0; default: that of the synthetic writer
 * @param batch rows per batch; results must not depend on it
 */
export function decode(path: string, zeroNs = 1_000_000_000_000n, batch = 1000): Decoded {
  const reader = new TraceReader(path);
  const { states, communicators, damage } = reader.description;
  const edges = new EdgeNumbers();
  const columns = makeCallColumns(batch);
  // MPI_COMM_WORLD and MPI_COMM_SELF are known without a definition.
  const mapping = {
    states: own(states, 0),
    communicators: own(communicators, 2),
    files: own(reader.description.files, 0),
    zeroNs,
  };
  const batches = reader.decode(mapping, edges, columns);
  const raw: (Omit<Call, "edge"> & { edge: number })[] = [];
  let next = batches.next();
  for (; !next.done; next = batches.next()) {
    for (let i = 0; i < next.value; i++) {
      raw.push({
        thread: columns.thread[i]!,
        state: columns.state[i]!,
        edge: columns.edge[i]!,
        before: columns.before_ns[i]!,
        start: columns.start_ns[i]!,
        end: columns.end_ns[i]!,
        bytes: columns.bytes[i]!,
        beforeBytes: columns.before_bytes[i]!,
        peer: columns.peer[i]!,
        communicator: columns.communicator[i]!,
        tag: columns.tag[i]!,
        requests: columns.requests[i]!,
        completed: columns.completed[i]!,
      });
    }
  }
  const pairs = edges.pairs();
  const edgeOf = ({ edge }: { edge: number }): Call["edge"] =>
    edge < 0 ? undefined : [pairs[2 * edge]!, pairs[2 * edge + 1]!];
  const calls: Call[] = raw.map((call) => Object.assign(call, { edge: edgeOf(call) }));
  const { thread, start_ns, end_ns, calls: left } = next.value.gaps;
  const gaps = [...thread.keys()].map((i) =>
    [thread[i]!, start_ns[i]!, end_ns[i]!, left[i]!].map(Number),
  );
  return { reader, calls, damage: [...damage, ...next.value.damage], gaps };
}
