import { describe, expect, test } from "vitest";
import { ColumnAppender } from "../../../src/trace/append-columns.ts";
import { Store } from "../../../src/trace/store.ts";

const TABLE = "CREATE TABLE t(a BIGINT, b INTEGER, c SMALLINT, d DOUBLE)";
const a = BigInt64Array.of(1n, -(2n ** 63n), 2n ** 63n - 1n);
const b = Int32Array.of(1, -(2 ** 31), 2 ** 31 - 1);
const c = Int16Array.of(1, -32768, 32767);
const d = Float64Array.of(0.5, -0, 1e300);

async function withTable<Result>(use: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await Store.open(":memory:");
  try {
    await store.execute(TABLE);
    return await use(store);
  } finally {
    store.close();
  }
}

test("values arrive as they are, at the edges of their types, from the middle of a buffer", async () => {
  await withTable(async (store) => {
    const appender = await ColumnAppender.open(store, "t");
    appender.append([a, b, c, d], 3);
    appender.append([a.subarray(1), b.subarray(1), c.subarray(1), d.subarray(1)], 2);
    appender.append([a, b, c, d], 0);
    appender.close();
    const result = await store.connection.runAndReadAll("FROM t");
    const rows = [0, 1, 2].map((i) => [a[i], b[i], c[i], d[i]]);
    expect(result.getRows()).toEqual([...rows, rows[1], rows[2]]);
  });
});

test.each([1, 2047, 2048, 2049, 10_000])("%i rows", async (rows) => {
  await withTable(async (store) => {
    const appender = await ColumnAppender.open(store, "t");
    const big = BigInt64Array.from({ length: rows }, (_, i) => BigInt(i));
    const small = Int32Array.from({ length: rows }, (_, i) => -i);
    appender.append([big, small, new Int16Array(rows).fill(7), new Float64Array(rows)], rows);
    appender.close();
    const sums =
      "SELECT count(*)::INT AS n, sum(a)::BIGINT AS a, sum(b)::BIGINT AS b, sum(c)::BIGINT AS c FROM t";
    const sum = (rows * (rows - 1)) / 2;
    expect(await store.row(sums)).toEqual({
      n: rows,
      a: sum,
      b: sum === 0 ? 0 : -sum,
      c: 7 * rows,
    });
  });
});

describe("what would corrupt memory is refused", () => {
  test.each<[string, Parameters<ColumnAppender["append"]>[0], number, string]>([
    ["too few columns", [a, b, c], 3, "3 buffers for 4 columns"],
    ["a narrow buffer", [b, b, c, d] as never, 3, "column 0 is BIGINT, not Int32Array"],
    ["a wide buffer", [a, b, b, d], 3, "column 2 is SMALLINT, not Int32Array"],
    ["floats for integers", [d, b, c, d], 3, "column 0 is BIGINT, not Float64Array"],
    ["a short buffer", [a, b.subarray(1), c, d], 3, "column 1 has 2 values, 3 are needed"],
    ["a negative count", [a, b, c, d], -1, "-1 rows"],
    ["half a row", [a, b, c, d], 1.5, "1.5 rows"],
    [
      "shared memory",
      [a, b, c, new Float64Array(new SharedArrayBuffer(24)) as never],
      3,
      "plain ArrayBuffer",
    ],
  ])("%s", async (_, buffers, rows, message) => {
    await withTable(async (store) => {
      const appender = await ColumnAppender.open(store, "t");
      expect(() => appender.append(buffers, rows)).toThrow(message);
      appender.close();
      expect(await store.row("SELECT count(*)::INT AS n FROM t")).toEqual({ n: 0 });
    });
  });

  test("a table with other column types", async () => {
    await withTable(async (store) => {
      await store.execute("CREATE TABLE u(a BIGINT, b VARCHAR)");
      await expect(ColumnAppender.open(store, "u")).rejects.toThrow(
        "column 1 of u has type VARCHAR",
      );
    });
  });
});
