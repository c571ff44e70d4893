import {
  BIGINT,
  DOUBLE,
  type DuckDBAppender,
  DuckDBDataChunk,
  type DuckDBType,
  DuckDBTypeId,
  INTEGER,
  SMALLINT,
} from "@duckdb/node-api";
import bindings from "@duckdb/node-bindings";
import type { Store } from "./store.ts";

/** Buffers that a column can be filled from; each goes with one column type. */
export type ColumnBuffer =
  | BigInt64Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/**
 * Fills a table from typed arrays. The one place that copies memory into DuckDB's vectors unchecked by
 * DuckDB: a wrong width or count would corrupt the heap, so everything is checked here first.
 */
export class ColumnAppender {
  private readonly appender: DuckDBAppender;
  private readonly chunk: DuckDBDataChunk;
  private readonly vectors: bindings.Vector[];
  private readonly types: DuckDBType[];
  private readonly chunkRows = bindings.vector_size();

  private constructor(appender: DuckDBAppender) {
    this.appender = appender;
    this.types = Array.from({ length: appender.columnCount }, (_, i) => appender.columnType(i));
    this.chunk = DuckDBDataChunk.create(this.types);
    this.vectors = this.types.map((_, i) => bindings.data_chunk_get_vector(this.chunk.chunk, i));
  }

  /** @throws TypeError if the table has a column that no buffer goes with */
  static async open(store: Store, table: string): Promise<ColumnAppender> {
    const appender = await store.connection.createAppender(table);
    for (let i = 0; i < appender.columnCount; i++) {
      const type = appender.columnType(i);
      if (![BIGINT, INTEGER, SMALLINT, DOUBLE].some((known) => known.typeId === type.typeId)) {
        appender.closeSync();
        throw new TypeError(`column ${i} of ${table} has type ${type.toString()}`);
      }
    }
    return new ColumnAppender(appender);
  }

  /**
   * Appends the first `rows` values of each buffer; buffers stand in the order of the table's columns.
   * @throws TypeError if a buffer does not go with its column, RangeError if it is too short
   */
  append(buffers: readonly ColumnBuffer[], rows: number): void {
    if (buffers.length !== this.types.length) {
      throw new TypeError(`${buffers.length} buffers for ${this.types.length} columns`);
    }
    if (!Number.isSafeInteger(rows) || rows < 0) throw new RangeError(`${rows} rows`);
    for (const [i, buffer] of buffers.entries()) this.check(buffer, i, rows);
    for (let first = 0; first < rows; first += this.chunkRows) {
      const count = Math.min(this.chunkRows, rows - first);
      for (const [i, buffer] of buffers.entries()) {
        const width = buffer.BYTES_PER_ELEMENT;
        const from = buffer.byteOffset + first * width;
        bindings.copy_data_to_vector(this.vectors[i]!, 0, buffer.buffer, from, count * width);
      }
      bindings.data_chunk_set_size(this.chunk.chunk, count);
      this.appender.appendDataChunk(this.chunk);
    }
  }

  /** Hands over what is still buffered; must be called before the store is closed. */
  close(): void {
    this.appender.closeSync();
  }

  private check(buffer: ColumnBuffer, column: number, rows: number): void {
    const type = this.types[column]!;
    if (!fits(buffer, type)) {
      throw new TypeError(`column ${column} is ${type.toString()}, not ${buffer.constructor.name}`);
    }
    if (!(buffer.buffer instanceof ArrayBuffer)) {
      throw new TypeError(`column ${column} is not backed by a plain ArrayBuffer`);
    }
    if (buffer.length < rows) {
      throw new RangeError(`column ${column} has ${buffer.length} values, ${rows} are needed`);
    }
    // DuckDB's bindings take 32-bit offsets.
    if (buffer.byteOffset + rows * buffer.BYTES_PER_ELEMENT >= 2 ** 32) {
      throw new RangeError(`column ${column} reaches beyond 4 GiB of its buffer`);
    }
  }
}

function fits(buffer: ColumnBuffer, type: DuckDBType): boolean {
  switch (type.typeId) {
    case DuckDBTypeId.BIGINT:
      return buffer instanceof BigInt64Array;
    case DuckDBTypeId.INTEGER:
      return buffer instanceof Int32Array;
    case DuckDBTypeId.SMALLINT:
      return buffer instanceof Int16Array;
    case DuckDBTypeId.DOUBLE:
      return buffer instanceof Float64Array;
    default:
      return false;
  }
}
