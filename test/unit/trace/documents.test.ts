import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CATEGORY_NAMES, categoryName, categoryNumber } from "../../../src/trace/categories.ts";
import { BASE_TABLES, BASE_VIEWS } from "../../../src/trace/schema.ts";
import { FILE_KINDS } from "../../../src/trace/unify-files.ts";
import { Store } from "../../../src/trace/store.ts";

const read = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

test("kinds of files follow the header", () => {
  const header = read("interceptor/include/trace_format.h");
  const found = [...header.matchAll(/VST_FILE_(\w+) = (\d+)/g)];
  expect(found.map(([, name]) => name!.toLowerCase())).toEqual([...FILE_KINDS]);
  expect(found.map(([, , number]) => Number(number))).toEqual(FILE_KINDS.map((_, i) => i + 1));
});

test("category names follow the header", () => {
  const header = read("interceptor/include/trace_format.h");
  const found = [...header.matchAll(/VST_CATEGORY_(\w+) = (\d+)/g)].map(([, name, number]) => [
    number,
    name!.toLowerCase(),
  ]);
  expect(found).toHaveLength(31);
  expect(Object.entries(CATEGORY_NAMES)).toEqual(found);
  expect(categoryName(99)).toBe("category-99");
  expect(categoryNumber("collective")).toBe(11);
});

describe("docs/trace-format.md", () => {
  const text = read("docs/trace-format.md");

  test("describes every table, view and column of the store", async () => {
    const store = await Store.open(":memory:");
    await store.execute(BASE_TABLES);
    await store.execute(BASE_VIEWS);
    const columns = await store.rows<{ table: string; column: string }>(
      `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
       WHERE table_schema = 'main' ORDER BY ALL`,
    );
    store.close();
    expect(columns.length).toBeGreaterThan(60);
    const missing = columns.filter(({ table, column }) => {
      const section = sectionOf(table);
      return !section.includes(`\`${column}\``);
    });
    expect(missing).toEqual([]);
  });

  /** From the heading of a table to the next heading. */
  function sectionOf(table: string): string {
    const start = text.indexOf(`### \`${table}\``);
    if (start < 0) return "";
    const end = text.indexOf("\n#", start + 4);
    return text.slice(start, end < 0 ? undefined : end);
  }

  test("names every block type of the header", () => {
    const header = read("interceptor/include/trace_format.h");
    const types = [...header.matchAll(/VST_BLOCK_([A-Z_]+) = \d+/g)].map(([, name]) => name!);
    expect(types).toHaveLength(19);
    expect(types.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
