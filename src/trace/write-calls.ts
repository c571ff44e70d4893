import { ColumnAppender } from "./append-columns.ts";
import { type CallColumns, makeWorkColumns, WorkNumbers } from "./reader.ts";
import type { Store } from "./store.ts";

/**
 * Writes batches of calls to where they cost least: DuckDB's work grows with the columns of a row. Calls whose
 * works repeat become `executions` of `works`; where they seldom do, numbers for works would only cost
 * more, and the calls go to `irregular_calls` as they are.
 */
export class CallWriter {
  private readonly calls: CallColumns;
  private readonly works = new WorkNumbers();
  private readonly work: Int32Array<ArrayBuffer>;
  private readonly fresh: ReturnType<typeof makeWorkColumns>;
  private readonly tables: Record<"works" | "executions" | "irregular_calls", ColumnAppender>;

  private constructor(calls: CallColumns, tables: CallWriter["tables"]) {
    this.calls = calls;
    this.tables = tables;
    this.work = new Int32Array(calls.rank.length);
    this.fresh = makeWorkColumns(calls.rank.length);
  }

  /** @param calls the buffers in which batches will stand */
  static async open(store: Store, calls: CallColumns): Promise<CallWriter> {
    return new CallWriter(calls, {
      works: await ColumnAppender.open(store, "works"),
      executions: await ColumnAppender.open(store, "executions"),
      irregular_calls: await ColumnAppender.open(store, "irregular_calls"),
    });
  }

  /** Writes the first `rows` calls that stand in the buffers. */
  write(rows: number): void {
    const { calls, work, fresh, tables } = this;
    const added = this.works.number(calls, rows, work, fresh);
    if (added === undefined) {
      tables.irregular_calls.append(Object.values(calls), rows);
      return;
    }
    tables.works.append(Object.values(fresh), added);
    tables.executions.append([work, calls.before_ns, calls.start_ns, calls.end_ns], rows);
  }

  close(): void {
    for (const table of Object.values(this.tables)) table.close();
  }
}
