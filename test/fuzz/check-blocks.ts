import type {
  CounterColumns,
  TraceDescription,
  TraceMapping,
  TraceReader,
} from "../../src/trace/reader.ts";
import { makeTransferColumns } from "../../src/trace/transfers.ts";

const BATCH_ROWS = 4096;
/** enum vst_probe_kind, in the order in which a round makes them. */
const ROUND = [1, 2, 3];

/**
 * What is wrong with the probes of a process that was not disturbed otherwise: rounds are whole and in order of
 * time, all of one thread, whose CPU time never goes back and covers what the probes took of it.
 */
export function checkProbes({ probes }: TraceDescription): string[] {
  const wrong: string[] = [];
  if (probes.rows % ROUND.length !== 0) wrong.push(`${probes.rows} probes are no whole rounds`);
  for (let i = 0; i < probes.rows; i++) {
    const place = `probe ${i}`;
    const kind = probes.kind[i];
    if (kind !== ROUND[i % ROUND.length]) wrong.push(`${place} is of kind ${kind}`);
    if (probes.thread[i] !== 0) wrong.push(`${place} is of thread ${probes.thread[i]}`);
    if (!(probes.duration_ns[i]! > 0)) wrong.push(`${place} took ${probes.duration_ns[i]} ns`);
    if (probes.core[i]! < -1) wrong.push(`${place} ran on core ${probes.core[i]}`);
    if (i === 0) continue;
    if (probes.start_ns[i]! <= probes.start_ns[i - 1]!) wrong.push(`${place} is before the last`);
    const used = probes.total_cpu_ns[i - 1]! + probes.cpu_ns[i - 1]!;
    if (probes.total_cpu_ns[i]! < used) wrong.push(`${place}: its CPU time goes back`);
    if (probes.delay_ns[i]! < probes.delay_ns[i - 1]!) wrong.push(`${place}: its delay goes back`);
  }
  return wrong;
}

/** What is wrong with the transfers: all that are there have rows, unless the last calls were not recorded any more. */
export function checkTransfers(reader: TraceReader, mapping: TraceMapping): string[] {
  const wrong: string[] = [];
  const { transfers, states, finalized } = reader.description;
  const columns = makeTransferColumns(BATCH_ROWS);
  const batches = reader.decodeTransfers(mapping, columns);
  let rows = 0;
  let batch = batches.next();
  for (; !batch.done; batch = batches.next()) {
    for (let i = 0; i < batch.value; i++) {
      const place = `transfer ${rows++}`;
      const categories = [columns.start_state[i]!, columns.wait_state[i]!];
      if (categories.some((state) => states[state] === undefined)) wrong.push(`${place}: no state`);
      if (columns.completed_ns[i]! < columns.posted_ns[i]!)
        wrong.push(`${place} was completed before it was posted`);
      const most = columns.completed_ns[i]! - columns.posted_ns[i]!;
      if (columns.waited_ns[i]! > most) wrong.push(`${place} was waited for too long`);
    }
  }
  wrong.push(...batch.value.damage);
  if (rows > transfers.there || (finalized && rows < transfers.there))
    wrong.push(`${rows} of ${transfers.there} transfers have rows`);
  return wrong;
}

function makeCounterColumns(): CounterColumns {
  return {
    rank: new Int32Array(BATCH_ROWS),
    thread: new Int16Array(BATCH_ROWS),
    at_ns: new BigInt64Array(BATCH_ROWS),
    counter: new Int16Array(BATCH_ROWS),
    value: new BigInt64Array(BATCH_ROWS),
  };
}

/** What is wrong with readings of counters: none is damaged, and none goes back. */
export function checkCounters(reader: TraceReader, zeroNs: bigint): string[] {
  const wrong: string[] = [];
  const { counters } = reader.description;
  const columns = makeCounterColumns();
  const numbers = Int32Array.from(counters, (_, i) => i);
  const last = new Map<string, [at: bigint, value: bigint]>();
  const batches = reader.decodeCounters(numbers, zeroNs, columns);
  let batch = batches.next();
  for (; !batch.done; batch = batches.next()) {
    for (let i = 0; i < batch.value; i++) {
      const counter = counters[columns.counter[i]!];
      const key = `${counter?.name} of thread ${columns.thread[i]}`;
      const [at, value] = last.get(key) ?? [columns.at_ns[i]!, 0n];
      if (!counter || counter.reason !== "") wrong.push(`${key} was not read`);
      if (columns.at_ns[i]! < at || columns.value[i]! < value) wrong.push(`${key} goes back`);
      last.set(key, [columns.at_ns[i]!, columns.value[i]!]);
    }
  }
  return [...wrong, ...batch.value];
}
