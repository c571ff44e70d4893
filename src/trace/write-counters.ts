import { ColumnAppender } from "./append-columns.ts";
import type { CounterColumns, CounterDescription, TraceReader } from "./reader.ts";
import type { Store } from "./store.ts";

const BATCH_ROWS = 16_384;

/** enum vst_counter_scope of trace_format.h. */
const SCOPES: Readonly<Record<number, string>> = { 1: "thread", 2: "group", 3: "host" };

/** A row of the table `counters`. */
interface CounterRow {
  name: string;
  unit: string;
  group: string;
  scope: string;
  status: string;
}

/**
 * Fills the tables `counters` and `counter_samples`. Counters are numbered by name over all files of a job:
 * what one rank could read, another may have been refused.
 */
export class CounterWriter {
  private readonly rows: CounterRow[];
  private readonly numbers: Map<string, number>;
  private readonly samples: ColumnAppender;
  private readonly columns: CounterColumns = {
    rank: new Int32Array(BATCH_ROWS),
    thread: new Int16Array(BATCH_ROWS),
    at_ns: new BigInt64Array(BATCH_ROWS),
    counter: new Int16Array(BATCH_ROWS),
    value: new BigInt64Array(BATCH_ROWS),
  };

  private constructor(rows: CounterRow[], samples: ColumnAppender) {
    this.rows = rows;
    this.numbers = new Map(rows.map(({ name }, number) => [name, number]));
    this.samples = samples;
  }

  /** Writes the table `counters`. */
  static async open(store: Store, readers: readonly TraceReader[]): Promise<CounterWriter> {
    const writer = new CounterWriter(
      unify(readers.map(({ description }) => description.counters)),
      await ColumnAppender.open(store, "counter_samples"),
    );
    const appender = await store.connection.createAppender("counters");
    for (const [number, { name, unit, group, scope, status }] of writer.rows.entries()) {
      appender.appendSmallInt(number);
      for (const text of [name, unit, group, scope, status]) appender.appendVarchar(text);
      appender.endRow();
    }
    appender.closeSync();
    return writer;
  }

  /** Writes the readings of one file; returns lines on what was damaged. */
  file(reader: TraceReader, zeroNs: bigint): string[] {
    const { counters } = reader.description;
    const numbers = Int32Array.from(counters, ({ name }) => this.numbers.get(name)!);
    const batches = reader.decodeCounters(numbers, zeroNs, this.columns);
    for (;;) {
      const batch = batches.next();
      if (batch.done) return batch.value;
      const { rank, thread, at_ns, counter, value } = this.columns;
      this.samples.append([rank, thread, at_ns, counter, value], batch.value);
    }
  }

  close(): void {
    this.samples.close();
  }
}

/** One row per name, in order of appearance. */
function unify(files: readonly CounterDescription[][]): CounterRow[] {
  const byName = new Map<string, CounterDescription[]>();
  for (const counter of files.flat()) {
    const same = byName.get(counter.name);
    if (same) same.push(counter);
    else byName.set(counter.name, [counter]);
  }
  return [...byName.values()].map((same) => {
    const { name, unit, group, scope } = same[0]!;
    return { name, unit, group, scope: SCOPES[scope] ?? "unknown", status: statusOf(same) };
  });
}

/** 'read', or why not; where ranks differ, how many could read it and what the first other one said. */
function statusOf(same: readonly CounterDescription[]): string {
  const refused = same.filter(({ reason }) => reason !== "");
  const [first] = refused;
  if (!first) return "read";
  if (refused.length === same.length) return first.reason;
  return `read on ${same.length - refused.length} of ${same.length} ranks: ${first.reason}`;
}
