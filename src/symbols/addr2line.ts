import { spawn } from "node:child_process";
import { demangleFortran } from "./demangle.ts";

/** A function at a place; of several, the first is inlined into the second, and so on. */
export interface SymbolFrame {
  /** Demangled. */
  function: string;
  /** Path as the compiler was given it; null without debug information. */
  file: string | null;
  line: number | null;
}

/** Long: programs with gigabytes of debug information take that. */
const LIMIT_MS = 30_000;
const BATCH = 1000;

/** Programs that look up addresses, with the words that make them answer alike. The best first. */
const TOOLS: readonly { command: string; words: string[] }[] = [
  { command: "addr2line", words: [] },
  { command: "llvm-symbolizer", words: ["--output-style=GNU"] },
];

/** Names of the programs that lookUpFrames can use. */
export const SYMBOL_TOOLS = TOOLS.map(({ command }) => command);

/**
 * Functions, files and lines at addresses (relative to the load base) of an object or its debug file, inlined
 * ones first. Empty lists where there are no symbols.
 * @returns undefined if there is no program to ask, or it failed
 */
export async function lookUpFrames(
  path: string,
  addresses: readonly number[],
): Promise<SymbolFrame[][] | undefined> {
  const found: SymbolFrame[][] = [];
  for (let first = 0; first < addresses.length; first += BATCH) {
    const batch = addresses.slice(first, first + BATCH);
    const text = await ask(path, batch);
    if (text === undefined) return undefined;
    found.push(...parseFrames(text, batch));
  }
  return found;
}

async function ask(path: string, addresses: readonly number[]): Promise<string | undefined> {
  const input = addresses.map((address) => `0x${address.toString(16)}\n`).join("");
  for (const { command, words } of TOOLS) {
    const text = await output(command, [...words, "-a", "-f", "-C", "-i", "-e", path], input);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Reads the answer: per address one line `0x...`, then pairs of function and file:line. */
export function parseFrames(text: string, addresses: readonly number[]): SymbolFrame[][] {
  const found = new Map<number, SymbolFrame[]>();
  let frames: SymbolFrame[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (/^0x[0-9a-f]+$/.test(line)) {
      frames = [];
      found.set(Number(line), frames);
    } else if (line !== "") {
      const frame = parseFrame(line, lines[++at] ?? "");
      if (frame) frames.push(frame);
    }
  }
  return addresses.map((address) => found.get(address) ?? []);
}

function parseFrame(name: string, place: string): SymbolFrame | undefined {
  const [, path, digits] = /^(.*):(\d+|\?)(?: \(discriminator \d+\))?$/.exec(place) ?? [];
  const known = path !== undefined && path !== "??" && Number(digits) > 0;
  const file = known ? path : null;
  if (name === "??" && file === null) return undefined;
  const line = known ? Number(digits) : null;
  return { function: name === "??" ? "?" : demangleFortran(name, file), file, line };
}

/** Standard output of a program; undefined if it cannot be started, fails or takes too long. */
function output(command: string, words: string[], input: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, words, {
      stdio: ["pipe", "pipe", "ignore"],
      timeout: LIMIT_MS,
      env: { ...process.env, LC_ALL: "C", DEBUGINFOD_URLS: "" },
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
    child.on("error", () => resolve(undefined));
    child.on("close", (code) => resolve(code === 0 ? text : undefined));
    child.stdin.on("error", () => undefined).end(input);
  });
}
