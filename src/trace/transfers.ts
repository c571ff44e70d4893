import { setImmediate as nextTurn } from "node:timers/promises";
import { ColumnAppender } from "./append-columns.ts";
import type { TraceMapping, TraceReader, TransferColumns, TransferResult } from "./reader.ts";
import type { Store } from "./store.ts";

/** Rows per batch. */
const BATCH_ROWS = 16_384;

/** Column `outcome` of the table `transfers`; TransferOutcome in native/transfers.h. */
export const OUTCOMES = { completed: 0, cancelled: 1, freed: 2, failed: 3 } as const;

/** Buffers for batches of `rows` transfers. */
export function makeTransferColumns(rows: number): TransferColumns {
  return {
    rank: new Int32Array(rows),
    thread: new Int16Array(rows),
    start_state: new Int32Array(rows),
    posted_ns: new BigInt64Array(rows),
    completed_ns: new BigInt64Array(rows),
    waited_ns: new BigInt64Array(rows),
    bytes: new BigInt64Array(rows),
    peer: new Int32Array(rows),
    communicator: new Int32Array(rows),
    tag: new Int32Array(rows),
    wait_thread: new Int16Array(rows),
    wait_state: new Int32Array(rows),
    outcome: new Int16Array(rows),
    receive: new Int16Array(rows),
  };
}

/** Fills the table `transfers` from trace files, one after the other. */
export class TransferWriter {
  private readonly table: ColumnAppender;
  private readonly counts: ColumnAppender;
  private readonly columns = makeTransferColumns(BATCH_ROWS);

  private constructor(table: ColumnAppender, counts: ColumnAppender) {
    this.table = table;
    this.counts = counts;
  }

  static async open(store: Store): Promise<TransferWriter> {
    const table = await ColumnAppender.open(store, "transfers");
    return new TransferWriter(table, await ColumnAppender.open(store, "transfer_counts"));
  }

  /**
   * Files without transfers cost nothing here.
   * @throws TraceFileError if the file is gone
   */
  async file(reader: TraceReader, mapping: TraceMapping): Promise<TransferResult> {
    const { rank, transfers } = reader.description;
    const result = await this.decode(reader, mapping);
    const numbers = [result.rows, transfers.unmatched].map((one) => BigInt64Array.of(BigInt(one)));
    this.counts.append([Int32Array.of(rank), ...numbers], 1);
    return result;
  }

  private async decode(reader: TraceReader, mapping: TraceMapping): Promise<TransferResult> {
    if (reader.description.transfers.there === 0) return { damage: [], rows: 0 };
    const batches = reader.decodeTransfers(mapping, this.columns);
    for (;;) {
      const batch = batches.next();
      if (batch.done) return batch.value;
      this.table.append(Object.values(this.columns), batch.value);
      await nextTurn();
    }
  }

  close(): void {
    this.table.close();
    this.counts.close();
  }
}
