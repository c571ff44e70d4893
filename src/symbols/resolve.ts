import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { lookUpFrames, type SymbolFrame } from "./addr2line.ts";
import { type CachedSymbols, readCache, writeCache } from "./cache.ts";
import { demangleFortran } from "./demangle.ts";
import { type ElfFile, functionAt, readElfFile } from "./elf-file.ts";

export interface ModuleFile {
  path: string;
  /** Hexadecimal; "" if it has none: then nothing tells whether the file is still the one that ran. */
  buildId: string;
}

export interface ResolveOptions {
  /** Where results are kept; undefined: nowhere. */
  cache?: string | undefined;
  /** Folders with debug files under `.build-id`. */
  debugFolders?: readonly string[];
}

export interface Resolved {
  /** Per offset, functions inlined there first; an empty list where nothing is known. */
  frames: SymbolFrame[][];
  /** The file on disk is another one than the one that ran. */
  changed: boolean;
}

const DEBUG_FOLDERS = ["/usr/lib/debug"];

/**
 * Names places in a module: return addresses relative to its load base. Files are trusted only with the build
 * id of the run. Debug information gives functions, files and lines; symbol tables give functions and the
 * distance from their start; without either a place has no name.
 */
export async function resolvePlaces(
  module: ModuleFile,
  offsets: readonly number[],
  options: ResolveOptions = {},
): Promise<Resolved> {
  const nothing = { frames: offsets.map(() => []), changed: false };
  if (module.buildId === "") return nothing;
  const kept = options.cache === undefined ? undefined : readCache(options.cache, module.buildId);
  const here = readElfFile(module.path);
  const elf = here?.buildId === module.buildId ? here : undefined;
  const debugFile = findDebugFile(module.buildId, options.debugFolders ?? DEBUG_FOLDERS);
  const file = debugFile ?? (elf && module.path);
  const changed = here !== undefined && !elf;
  if (!file) return { frames: offsets.map((offset) => kept?.places.get(offset) ?? []), changed };
  const source = describeFile(file);
  const known = kept?.source === source ? kept : { source, places: new Map() };
  const final = await lookUpMissing(known, offsets, file, elf ?? readElfFile(file));
  if (final && options.cache !== undefined) writeCache(options.cache, module.buildId, known);
  return { frames: offsets.map((offset) => known.places.get(offset) ?? []), changed };
}

/** Debug information that was taken out of programs, as distributions keep it. */
function findDebugFile(buildId: string, folders: readonly string[]): string | undefined {
  const name = join(".build-id", buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Changes when debug information comes or goes. */
function describeFile(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${path} ${size} ${mtimeMs}`;
}

/** False if there was nothing to ask for lines: that may be mended, so what was found is not to be kept. */
async function lookUpMissing(
  known: CachedSymbols,
  offsets: readonly number[],
  file: string,
  elf: ElfFile | undefined,
): Promise<boolean> {
  const missing = [...new Set(offsets)].filter((offset) => !known.places.has(offset));
  if (missing.length === 0) return false;
  // A return address belongs to the next instruction, which may be on another line.
  const addresses = missing.map((offset) => offset - 1);
  const found = await lookUpFrames(file, addresses);
  for (const [at, offset] of missing.entries()) {
    const frames = found?.[at] ?? [];
    const lines = frames.some(({ line }) => line !== null);
    known.places.set(offset, lines ? frames : bySymbolTable(frames[0]?.function, offset, elf));
  }
  return found !== undefined;
}

/** Function and distance from its start, under the name that was found for it or the linker's. */
function bySymbolTable(
  name: string | undefined,
  offset: number,
  elf: ElfFile | undefined,
): SymbolFrame[] {
  const symbol = elf && functionAt(elf.functions, offset - 1);
  if (!symbol) return [];
  const shown = demangleFortran(name ?? symbol.name, null);
  const distance = `+0x${(offset - symbol.start).toString(16)}`;
  return [{ function: `${shown}${distance}`, file: null, line: null }];
}
