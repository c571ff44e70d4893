import {
  DuckDBArrayValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  type DuckDBValue,
} from "@duckdb/node-api";

/** A value as JSON has it: whole numbers stay numbers where a double holds them, else text. */
export function jsonValue(value: DuckDBValue): unknown {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") {
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    return value.items.map(jsonValue);
  }
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(
      Object.entries(value.entries).map(([key, item]) => [key, jsonValue(item)]),
    );
  }
  if (value instanceof DuckDBMapValue) {
    return value.entries.map(({ key, value: item }) => ({
      key: jsonValue(key),
      value: jsonValue(item),
    }));
  }
  return String(value);
}

/** A value as text; NULL is left to the format. */
export function textValue(value: DuckDBValue): string | null {
  return value === null ? null : String(value);
}
