import { type DuckDBType, DuckDBTypeId, type DuckDBValue, listValue } from "@duckdb/node-api";
import type { Store } from "../trace/store.ts";

/**
 * A large numeric result by column, read chunk by chunk without a JavaScript object per row.
 * Every selected column must be DOUBLE or INTEGER and free of NULL.
 */
export async function readColumns(store: Store, sql: string): Promise<Float64Array[]> {
  const result = await store.connection.stream(sql);
  let capacity = 4096;
  let rows = 0;
  const columns = Array.from({ length: result.columnCount }, () => new Float64Array(capacity));
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
    while (rows + chunk.rowCount > capacity) capacity *= 2;
    for (let c = 0; c < columns.length; c++) {
      let column = columns[c]!;
      if (column.length < capacity) {
        column = new Float64Array(capacity);
        column.set(columns[c]!);
        columns[c] = column;
      }
      column.set(
        numbersOf(chunk.getColumnVector(c), result.columnName(c)).subarray(0, chunk.rowCount),
        rows,
      );
    }
    rows += chunk.rowCount;
  }
  return columns.map((column) => column.subarray(0, rows));
}

function numbersOf(vector: unknown, name: string): Float64Array | Int32Array {
  const { items } = vector as { items?: unknown };
  if (items instanceof Float64Array || items instanceof Int32Array) return items;
  throw new TypeError(`column ${name} is neither DOUBLE nor INTEGER`);
}

/** Appends rows to a table in one go; numbers become BIGINT where the column is one. */
export async function insertRows(
  store: Store,
  table: string,
  rows: readonly (readonly (number | string | null | number[])[])[],
): Promise<void> {
  const appender = await store.connection.createAppender(table);
  try {
    const types = Array.from({ length: appender.columnCount }, (_, i) => appender.columnType(i));
    for (const row of rows) {
      if (row.length !== types.length) {
        throw new RangeError(`${table} has ${types.length} columns, not ${row.length}`);
      }
      for (const [i, type] of types.entries()) appender.appendValue(typed(row[i]!, type), type);
      appender.endRow();
    }
  } finally {
    appender.closeSync();
  }
}

function typed(value: number | string | null | number[], type: DuckDBType): DuckDBValue {
  if (typeof value === "number" && type.typeId === DuckDBTypeId.BIGINT)
    return BigInt(Math.round(value));
  if (Array.isArray(value)) return listValue(value);
  return value;
}
