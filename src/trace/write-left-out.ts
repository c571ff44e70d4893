import { ColumnAppender } from "./append-columns.ts";
import type { DecodeResult, TraceDescription, TraceMapping } from "./reader.ts";
import type { Store } from "./store.ts";

/** What rank, and how its numbers become those of the store. */
export interface LeftOutSource {
  description: TraceDescription;
  mapping: TraceMapping;
  result: DecodeResult;
}

/** Fills `gaps` and `sampled_out`, file by file. */
export class LeftOutWriter {
  private readonly gaps: ColumnAppender;
  private readonly counts: ColumnAppender;

  private constructor(gaps: ColumnAppender, counts: ColumnAppender) {
    this.gaps = gaps;
    this.counts = counts;
  }

  static async open(store: Store): Promise<LeftOutWriter> {
    return new LeftOutWriter(
      await ColumnAppender.open(store, "gaps"),
      await ColumnAppender.open(store, "sampled_out"),
    );
  }

  write({ description, mapping, result }: LeftOutSource): void {
    const { thread, start_ns, end_ns, calls } = result.gaps;
    const rank = new Int32Array(thread.length).fill(description.rank);
    this.gaps.append([rank, thread, start_ns, end_ns, calls], thread.length);
    const rows = description.threads.flatMap((item) =>
      item.leftOut.map((count) => ({ ...count, thread: item.thread })),
    );
    this.counts.append(
      [
        Int32Array.from(rows, () => description.rank),
        Int16Array.from(rows, (row) => row.thread),
        Int32Array.from(rows, (row) => mapping.states[row.state] ?? -1),
        BigInt64Array.from(rows, (row) => BigInt(row.calls)),
        BigInt64Array.from(rows, (row) => BigInt(row.timed)),
        BigInt64Array.from(rows, (row) => BigInt(Math.round(row.timedNs))),
      ],
      rows.length,
    );
  }

  close(): void {
    this.gaps.close();
    this.counts.close();
  }
}
