import { createHash } from "node:crypto";
import type { TraceReader } from "./reader.ts";
import type { ModuleRow, Numbering } from "./unify.ts";

/** A call path; modules are numbers of the store. */
export interface PathRow {
  /** Equal for equal paths of all runs, see `hashOf`. */
  hash: string;
  /** From the call's site outwards. */
  frames: { module: number; offset: bigint }[];
}

/**
 * Gives the call paths of one file their numbers in the store: the same path is the same modules at the same
 * offsets. `moduleOf` has the store's number of each module of the file.
 * @returns the store's number of a path of the file; -1 for -1. A path whose definition is missing
 *   is one of its own, without frames
 */
export function unifyPaths(
  reader: TraceReader,
  paths: Numbering<PathRow>,
  modules: Numbering<ModuleRow>,
  moduleOf: ReadonlyMap<number, number>,
  warn: (line: string) => void,
): (number: number) => number {
  const { description, name } = reader;
  const unknownModule = (): number => {
    const path = `unknown module of ${name}`;
    return modules.number(`\0${path}`, () => ({ path, buildId: "" }));
  };
  const mapping = new Map<number, number>([[-1, -1]]);
  for (const { number, frames } of description.paths) {
    const mapped = frames.map(({ module, offset }) => ({
      module: moduleOf.get(module) ?? unknownModule(),
      offset,
    }));
    const key = mapped.map(({ module, offset }) => `${module}+${offset}`).join(" ");
    const make = (): PathRow => ({ hash: hashOf(mapped, modules.items), frames: mapped });
    mapping.set(number, paths.number(key, make));
  }
  const missing = new Set(
    description.states.map((state) => state.path).filter((path) => !mapping.has(path)),
  );
  for (const path of missing) {
    const key = `${name} ${path}`;
    mapping.set(
      path,
      paths.number(key, () => ({ hash: shorten(key), frames: [] })),
    );
  }
  if (missing.size > 0) warn(`${name}: ${missing.size} call paths are missing, they show as empty`);
  return (number) => mapping.get(number) ?? -1;
}

/**
 * Hash of a path: of build id and offset of its frames, and the module's path where it has no build id. The
 * same on all ranks and in all runs of a program, wherever it was loaded to.
 */
function hashOf(frames: PathRow["frames"], modules: readonly ModuleRow[]): string {
  const words = frames.map(({ module, offset }) => {
    const { buildId = "", path = "" } = modules[module] ?? {};
    return `${buildId || path}+${offset.toString(16)}`;
  });
  return shorten(words.join("\n"));
}

/** 64 bits in hexadecimal. */
function shorten(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
