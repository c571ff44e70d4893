import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { runCli } from "../../../src/cli/program.ts";
import { fakeEffects } from "./fake-effects.ts";

let empty: string;
beforeAll(() => (empty = mkdtempSync(`${tmpdir()}/varscope-empty-`)));
afterAll(() => rmSync(empty, { recursive: true }));

async function cli(...words: string[]) {
  const effects = fakeEffects({ workingDirectory: empty });
  const code = await runCli(words, effects);
  return { code, ...effects.written };
}

const MANIFEST = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
) as { version: string };

describe("varscope", () => {
  it("prints its version", async () => {
    expect(await cli("--version")).toEqual({ code: 0, out: `${MANIFEST.version}\n`, err: "" });
  });

  it("lists every command and no other", async () => {
    const { code, out } = await cli("--help");
    expect(code).toBe(0);
    const listed = [...out.matchAll(/^ {2}([a-z]+) .*$/gm)]
      .map(([, name]) => name)
      .filter((name) => name !== "varscope");
    expect(listed).toEqual([...COMMANDS.map(({ name }) => name), "help"]);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("prints help on stderr when no command is named", async () => {
    const { code, out, err } = await cli();
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("Usage: varscope");
  });

  it.each(COMMANDS.map(({ name }) => name))("has help for %s, twice", async (name) => {
    const [one, two] = [await cli(name, "--help"), await cli("help", name)];
    expect(one.code).toBe(0);
    expect(one.out).toContain(`Usage: varscope ${name}`);
    expect(two).toEqual(one);
  });

  it.each<[string[], RegExp]>([
    [
      ["reprot"],
      /^varscope: unknown command 'reprot' \(Did you mean report\?\); see varscope --help\n$/,
    ],
    [["report", "--jsn"], /^varscope: unknown option '--jsn' \(Did you mean --json\?\); see/],
    [["report", "a", "b"], /^varscope: .*arguments.*\n$/],
    [["sql", "--csv", "--json"], /^varscope: .*--csv.*--json.*\n$/],
    [["sql", "nothing"], /^varscope: nothing is neither a directory here nor a query\n$/],
  ])("calls %j wrong use, in one line", async (words, message) => {
    const { code, out, err } = await cli(...words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(message);
    expect(err.split("\n")).toHaveLength(2);
  });

  it.each<[string[], string]>([
    [["report"], "no run directory in"],
    [["report", "/no/such"], "there is no /no/such"],
    [["analyze", "/etc/hostname"], "/etc/hostname is a file"],
    [["sql", "/etc", "FROM ranks"], "/etc is not a run directory"],
  ])("says in one line why %j fails", async (words, message) => {
    const { code, out, err } = await cli(...words);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(message);
    expect(err.split("\n")).toHaveLength(2);
  });

  it("shows a stack of the unexpected only when asked to", async () => {
    const broken = {
      workingDirectory: empty,
      out: () => {
        throw new TypeError("the tape is full");
      },
    };
    const quiet = fakeEffects(broken);
    expect(await runCli(["report", "--schema"], quiet)).toBe(1);
    expect(quiet.written.err).toBe(
      "varscope: the tape is full (set VARSCOPE_DEBUG=1 for details)\n",
    );
    const loud = fakeEffects({ ...broken, environment: { VARSCOPE_DEBUG: "1" } });
    await runCli(["report", "--schema"], loud);
    expect(loud.written.err).toContain("    at ");
  });
});
