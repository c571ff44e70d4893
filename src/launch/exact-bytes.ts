import { readFileSync } from "node:fs";
import type { Environment } from "./environment.ts";

/**
 * Words and environment variables that are not UTF-8, such as file names in Latin-1. Node.js replaces what it
 * cannot decode, in our own words and in those of a child, so the job would get others than it was given.
 */
export interface ExactBytes {
  /** By index into the command. */
  words: Map<number, Buffer>;
  /** By name. */
  variables: Map<string, Buffer>;
}

/**
 * Bytes of our own words and variables that differ from what Node.js makes of them, as far as the job gets them.
 * @param files for tests
 */
export function exactBytes(
  command: readonly string[],
  environment: Environment,
  files = { words: "/proc/self/cmdline", variables: "/proc/self/environ" },
): ExactBytes {
  const words = new Map<number, Buffer>();
  // The command stands at the end of our own words; if it does not, it came from elsewhere.
  const own = entries(files.words).slice(-command.length);
  if (own.length === command.length && own.every((word, i) => word.toString() === command[i])) {
    for (const [i, word] of own.entries()) if (!isText(word)) words.set(i, word);
  }
  const variables = new Map<string, Buffer>();
  for (const entry of entries(files.variables)) {
    const name = /^([A-Za-z_]\w*)=/.exec(entry.toString("latin1"))?.[1];
    if (name === undefined || isText(entry)) continue;
    const value = entry.subarray(name.length + 1);
    if (environment[name] === value.toString()) variables.set(name, value);
  }
  return { words, variables };
}

/**
 * Lines of a shell script that restore the exact bytes and start the command, which is given to the script as
 * its arguments.
 */
export function restoringScript(
  command: readonly string[],
  { words, variables }: ExactBytes,
): string {
  const lines: string[] = [];
  for (const [name, value] of variables) lines.push(assignment(name, value), `export ${name}`);
  for (const [i, word] of words) lines.push(assignment(`varscope_word_${i}`, word));
  const all = command.map((_, i) => (words.has(i) ? `"$varscope_word_${i}"` : `"\${${i + 1}}"`));
  return [...lines, `exec ${all.join(" ")}`].join("\n");
}

/** A command substitution drops newlines at the end, so another character stands behind them. */
function assignment(name: string, value: Buffer): string {
  const octal = [...value].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  return `${name}=$(printf '${octal}.')\n${name}=\${${name}%.}`;
}

function isText(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString()).equals(bytes);
}

/** Entries of a file in which each ends with a NUL. */
function entries(path: string): Buffer[] {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch {
    return [];
  }
  const found: Buffer[] = [];
  for (let at = 0; at < content.length; ) {
    const end = content.indexOf(0, at);
    const stop = end < 0 ? content.length : end;
    found.push(content.subarray(at, stop));
    at = stop + 1;
  }
  return found;
}
