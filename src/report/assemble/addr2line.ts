import { spawn } from "node:child_process";
import { basename } from "node:path";

const LIMIT_MS = 2000;

/** Build-id of an ELF file in hexadecimal by readelf; undefined if it has none or readelf is missing. */
export async function buildIdOf(path: string): Promise<string | undefined> {
  const text = await output("readelf", ["-n", "--", path], "");
  return /Build ID: ([0-9a-f]+)/.exec(text)?.[1];
}

/**
 * Innermost function and its file and line of each address (offset from the load base) by addr2line;
 * undefined where there are no symbols or no such tool.
 */
export async function lookUpSources(
  path: string,
  addresses: number[],
): Promise<(string | undefined)[]> {
  const input = addresses.map((address) => `0x${address.toString(16)}\n`).join("");
  return parseSources(
    await output("addr2line", ["-a", "-f", "-C", "-i", "-e", path], input),
    addresses,
  );
}

/** Reads addr2line's answer: per address one line `0x...`, then pairs of function and file:line. */
export function parseSources(text: string, addresses: number[]): (string | undefined)[] {
  const sources = new Map<number, string | undefined>();
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    if (!/^0x[0-9a-f]+$/.test(line)) continue;
    const called = lines[at + 1] ?? "??";
    const place = (lines[at + 2] ?? "??:0").replace(/ \(discriminator \d+\)$/, "");
    sources.set(Number(line), describe(called, place));
  }
  return addresses.map((address) => sources.get(address));
}

function describe(called: string, place: string): string | undefined {
  if (called === "??") return undefined;
  const [, file, line] = /^(.*):(\d+)$/.exec(place) ?? [];
  return file === undefined || file === "??" || line === "0"
    ? called
    : `${called} ${basename(file)}:${line}`;
}

/** Standard output of a program; empty if it cannot be started, fails or takes too long. */
function output(command: string, words: string[], input: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(command, words, {
      stdio: ["pipe", "pipe", "ignore"],
      timeout: LIMIT_MS,
      env: { ...process.env, LC_ALL: "C" },
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
    child.on("error", () => resolve(""));
    child.on("close", (code) => resolve(code === 0 ? text : ""));
    child.stdin.on("error", () => undefined).end(input);
  });
}
