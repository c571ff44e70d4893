import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { exactBytes, restoringScript } from "../../../src/launch/exact-bytes.ts";

const folder = mkdtempSync(join(tmpdir(), "varscope-bytes-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Files as the system has them for a process with these words and variables, in Latin-1. */
function processWith(words: string[], variables: string[]) {
  const files = { words: join(folder, "words"), variables: join(folder, "variables") };
  writeFileSync(files.words, Buffer.from(words.map((word) => `${word}\0`).join(""), "latin1"));
  writeFileSync(
    files.variables,
    Buffer.from(variables.map((one) => `${one}\0`).join(""), "latin1"),
  );
  return files;
}

function asNodeHasIt(text: string): string {
  return Buffer.from(text, "latin1").toString();
}

test("only what is no UTF-8 is put back", () => {
  const given = ["prog", "\xff \xe4\n", "\xc3\xa4", "", "%s\\'\"$x`\x01\xfe"];
  const files = processWith(
    ["node", "varscope", "run", ...given],
    ["A=1", "B=\xfc\n", "C=\xfc", "1=\xfc"],
  );
  const environment = { A: "1", B: asNodeHasIt("\xfc\n"), C: "set anew" };
  const exact = exactBytes(given.map(asNodeHasIt), environment, files);
  expect([...exact.words.keys()]).toEqual([1, 4]);
  expect([...exact.variables.keys()]).toEqual(["B"]);

  const show = ["sh", "-c", String.raw`for a; do printf '%s\0' "$a"; done; printf '%s' "$B"`, "sh"];
  const command = [...show, ...given.map(asNodeHasIt)];
  const shifted = {
    ...exact,
    words: new Map([...exact.words].map(([i, word]) => [i + show.length, word])),
  };
  const words = ["-c", restoringScript(command, shifted), "sh", ...command];
  const { stdout } = spawnSync("/bin/sh", words, { env: environment });
  expect(stdout.toString("latin1")).toBe([...given, "\xfc\n"].join("\0"));
});

test("words of another command are left alone", () => {
  const files = processWith(["node", "varscope", "\xff"], []);
  expect(exactBytes(["other"], {}, files).words.size).toBe(0);
  expect(exactBytes(["a", "b", "c", "d", "e"], {}, files).words.size).toBe(0);
});
