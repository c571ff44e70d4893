import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { SymbolFrame } from "./addr2line.ts";

const VERSION = 1;
/** Shorter ones are no build ids, and would make odd paths. */
const BUILD_ID = /^[0-9a-f]{8,}$/;

/** What is known about one object: frames by offset. An empty list: looked up, and nothing found. */
export interface CachedSymbols {
  /** What it was read from: file, size, time of change. */
  source: string;
  places: Map<number, SymbolFrame[]>;
}

/** `$XDG_CACHE_HOME/varscope/symbols`; undefined if there is no home. */
export function cacheFolder(
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const given = environment["XDG_CACHE_HOME"];
  if (given?.startsWith("/")) return join(given, "varscope/symbols");
  try {
    return join(environment["HOME"] || homedir(), ".cache/varscope/symbols");
  } catch {
    return undefined;
  }
}

function fileOf(folder: string, buildId: string): string {
  return join(folder, buildId.slice(0, 2), `${buildId.slice(2)}.json`);
}

/** What was kept for a build id; undefined if there is nothing, or it is damaged. */
export function readCache(folder: string, buildId: string): CachedSymbols | undefined {
  if (!BUILD_ID.test(buildId)) return undefined;
  try {
    const kept = JSON.parse(readFileSync(fileOf(folder, buildId), "utf8")) as Record<
      string,
      unknown
    >;
    const { version, source, places } = kept;
    if (version !== VERSION || typeof source !== "string" || !isRecord(places)) return undefined;
    const entries = Object.entries(places).map(([offset, frames]): [number, SymbolFrame[]] => {
      if (!/^\d+$/.test(offset) || !Array.isArray(frames) || !frames.every(isFrame))
        throw new Error();
      return [Number(offset), frames];
    });
    return { source, places: new Map(entries) };
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isFrame(value: unknown): value is SymbolFrame {
  if (!isRecord(value) || typeof value["function"] !== "string") return false;
  const { file, line } = value;
  return (
    (file === null || typeof file === "string") && (line === null || Number.isSafeInteger(line))
  );
}

/** Keeps symbols, in one step so that nobody reads half a file; what cannot be kept is not. */
export function writeCache(folder: string, buildId: string, symbols: CachedSymbols): void {
  if (!BUILD_ID.test(buildId)) return;
  const path = fileOf(folder, buildId);
  const unfinished = `${path}.${process.pid}.tmp`;
  const { source, places } = symbols;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const text = JSON.stringify({ version: VERSION, source, places: Object.fromEntries(places) });
    writeFileSync(unfinished, text);
    renameSync(unfinished, path);
  } catch {
    // A full disk or a read-only home: it will be looked up again.
  }
}
