import { mkdtempSync, readdirSync, rmSync, unlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Effects } from "../../../src/cli/effects.ts";
import { runCli } from "../../../src/cli/program.ts";
import type { Report } from "../../../src/report/model.ts";
import { fakeEffects } from "./fake-effects.ts";
import { writeSyntheticRun } from "./synthetic-run.ts";

let parent: string;
let run: string;
beforeAll(() => {
  parent = mkdtempSync(`${tmpdir()}/varscope-cli-`);
  writeSyntheticRun(parent, "older");
  utimesSync(join(parent, "older", "run.json"), 1000, 1000);
  run = writeSyntheticRun(parent, "newer");
});
afterAll(() => rmSync(parent, { recursive: true }));

async function cli(words: string[], changed: Partial<Effects> = {}) {
  const effects = fakeEffects({ workingDirectory: parent, ...changed });
  const code = await runCli(words, effects);
  return { code, ...effects.written };
}

describe("varscope report", () => {
  it("takes the newest run here and ingests it by itself", async () => {
    const { code, out, err } = await cli(["report", "--json"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const report = JSON.parse(out) as Report;
    expect(report.schema).toBe("varscope.report/1");
    expect(report.run).toMatchObject({ directory: run, ranks: 2, complete: true });
    expect(report.run.command).toEqual(["mpirun", "-n", "2", "./program"]);
    expect(report.quality.events).toEqual({
      intercepted: 4002,
      recorded: 4002,
      sampledOut: 0,
      lost: 0,
    });
    expect(report.regions).toEqual([]);
  });

  it("prints text for the terminal it has", async () => {
    const { out } = await cli(["report", run]);
    expect(out).toMatch(/^No variance found/);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(out).not.toContain("\x1b");
    const terminal = { outputIsTerminal: true, terminalColumns: 100 };
    expect((await cli(["report", run], terminal)).out).toContain("\x1b[");
    const noColor = { ...terminal, environment: { NO_COLOR: "1", FORCE_COLOR: "1" } };
    expect((await cli(["report", run], noColor)).out).not.toContain("\x1b");
    const forced = { environment: { FORCE_COLOR: "1" } };
    expect((await cli(["report", run], forced)).out).toContain("\x1b[");
  });

  it("accepts the trace folder inside a run directory", async () => {
    expect((await cli(["report", join(run, "trace")])).code).toBe(0);
  });

  it("rebuilds a store that was deleted", async () => {
    unlinkSync(join(run, "run.duckdb"));
    expect((await cli(["report", run])).code).toBe(0);
    expect(readdirSync(run).toSorted()).toEqual(["run.duckdb", "run.json", "trace"]);
  });

  it("says that a killed run is not complete", async () => {
    const killed = writeSyntheticRun(parent, "killed", false);
    const { code, out } = await cli(["report", killed]);
    expect(code).toBe(0);
    expect(out).toContain("NOT COMPLETE: rank 1 ended without MPI_Finalize");
    rmSync(killed, { recursive: true });
  });

  it("prints the schema without any run", async () => {
    const { code, out } = await cli(["report", "--schema"], { workingDirectory: "/nowhere" });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ title: "varscope.report/1" });
  });
});

describe("varscope analyze", () => {
  it("says in one line what came of it, again when forced", async () => {
    const { code, out } = await cli(["analyze", "--force"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^\/.*newer: 2 ranks, 4,002 calls, [1-9]\d* v-sensors?, 0 variance regions\n$/,
    );
  });

  it("shows progress on a terminal only, and removes it", async () => {
    const { err } = await cli(["analyze", "--force"], { errorIsTerminal: true });
    expect(err).toContain("reading traces");
    expect(err.endsWith("\r\x1b[K")).toBe(true);
  });

  it("refuses a job that is not there", async () => {
    const { code, err } = await cli(["analyze", run, "--job", "beef"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^varscope: .*beef.*\n$/);
  });
});

const readInput = () => Promise.resolve("SELECT 1 AS a; SELECT 2 AS b;");

describe("varscope sql", () => {
  const query =
    "SELECT rank, recorded, NULL AS nothing, 'a\tb,\"c' AS text FROM ranks ORDER BY rank";

  it("prints tab-separated lines into a pipe", async () => {
    expect((await cli(["sql", query])).out).toBe(
      'rank\trecorded\tnothing\ttext\n0\t2001\t\\N\ta\\tb,"c\n1\t2001\t\\N\ta\\tb,"c\n',
    );
  });

  it("prints CSV and JSON when asked to", async () => {
    expect((await cli(["sql", run, query, "--csv"])).out).toBe(
      'rank,recorded,nothing,text\n0,2001,,"a\tb,""c"\n1,2001,,"a\tb,""c"\n',
    );
    const { out } = await cli(["sql", run, query, "--json"]);
    expect(JSON.parse(out)).toEqual([
      { rank: 0, recorded: 2001, nothing: null, text: 'a\tb,"c' },
      { rank: 1, recorded: 2001, nothing: null, text: 'a\tb,"c' },
    ]);
    expect((await cli(["sql", "FROM ranks WHERE rank > 9", "--json"])).out).toBe("[]\n");
  });

  it("keeps big numbers, lists and structs", async () => {
    const values =
      "SELECT 9007199254740993 AS big, [1, 2] AS list, {a: 1} AS pair, 0.5::DOUBLE AS half";
    expect(JSON.parse((await cli(["sql", values, "--json"])).out)).toEqual([
      { big: "9007199254740993", list: [1, 2], pair: { a: 1 }, half: 0.5 },
    ]);
  });

  it("aligns a table on a terminal", async () => {
    const table = await cli(["sql", "SELECT rank, host FROM ranks ORDER BY rank"], {
      outputIsTerminal: true,
    });
    expect(table.out).toBe("rank  host\n----  -----\n   0  node0\n   1  node0\n(2 rows)\n");
  });

  it("runs statements from stdin", async () => {
    expect((await cli(["sql", run], { readInput })).out).toBe("a\n1\nb\n2\n");
    expect((await cli(["sql", run, "SET threads = 1; SELECT 3 AS c"])).out).toBe("c\n3\n");
  });

  it("lists every table and view when there is nothing to run", async () => {
    const { out } = await cli(["sql"], { inputIsTerminal: true });
    const listed = [...out.matchAll(/^(\w+) \((table|view)\)/gm)].map(([, name]) => name);
    const there = await cli([
      "sql",
      run,
      "SELECT table_name FROM information_schema.tables ORDER BY 1",
      "--csv",
    ]);
    const names = there.out.trim().split("\n").slice(1);
    expect(new Set(listed)).toEqual(new Set(names));
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("lists every column of every table with its comment", async () => {
    const { out } = await cli(["sql", "--tables"]);
    const columns = await cli([
      "sql",
      `SELECT c.column_name, c.data_type FROM duckdb_columns() c JOIN duckdb_tables() t USING (table_name)
        WHERE NOT c.internal`,
      "--json",
    ]);
    for (const column of JSON.parse(columns.out) as { column_name: string; data_type: string }[]) {
      expect(out).toMatch(new RegExp(`^  ${column.column_name} .*`, "m"));
    }
    expect(out).toMatch(/^ {2}before_ns +BIGINT +its duration/m);
  });

  it.each<[string, RegExp]>([
    ["SELECT * FROM nothing_here", /^varscope: Catalog Error: .*nothing_here.*\n$/],
    ["SELEC 1", /^varscope: Parser Error: .*\n$/],
    ["DELETE FROM ranks", /^varscope: .*read-only.*\n$/],
    ["SELECT 'a'::INTEGER AS n", /^varscope: Conversion Error: .*\n$/],
  ])("gives one line for %s", async (statement, message) => {
    const { code, out, err } = await cli(["sql", run, statement]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(message);
  });
});
