import { FileNumbering, type FileRow } from "./unify-files.ts";
import { categoryName } from "./categories.ts";
import type { TraceReader } from "./reader.ts";
import { type PathRow, unifyPaths } from "./unify-paths.ts";

export interface ModuleRow {
  path: string;
  buildId: string;
}

export interface StateRow {
  call: string;
  category: string;
  module: number;
  offset: bigint;
  /** Number of its call path; -1: known by its site alone. */
  path: number;
}

export interface CommunicatorRow {
  size: number;
  ordinal: number;
  members: number[];
  remoteSize: number;
}

/** Store numbers by the numbers of one file. */
export interface FileMapping {
  states: Int32Array;
  communicators: Int32Array;
  files: Int32Array;
  modules: Map<number, number>;
}

/** Definitions of a job: the position in each list is the number in the store. */
export interface JobDefinitions {
  modules: ModuleRow[];
  states: StateRow[];
  paths: PathRow[];
  communicators: CommunicatorRow[];
  files: FileRow[];
  /** Per reader, in the order given: store numbers by the file's numbers; -1: not defined. */
  mappings: FileMapping[];
}

/** Gives equal keys equal numbers, in order of appearance. */
export class Numbering<Item> {
  readonly items: Item[] = [];
  private readonly numbers = new Map<string, number>();

  number(key: string, make: () => Item): number {
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.items.push(make()) - 1;
    this.numbers.set(key, number);
    return number;
  }
}

/**
 * Makes one numbering out of those of all files. The same thing is: a module with the same path and
 * build id, a state with the same call at the same offset of the same module and, where paths are known, on
 * the same one, a communicator with the same
 * members in the same order and the same ordinal. Definitions that are missing because their block
 * is damaged leave a hole in a file's numbers; such states become "unknown" ones of that file.
 */
export function unifyDefinitions(
  readers: readonly TraceReader[],
  warn: (line: string) => void,
): JobDefinitions {
  const modules = new Numbering<ModuleRow>();
  const states = new Numbering<StateRow>();
  const paths = new Numbering<PathRow>();
  const communicators = new Numbering<CommunicatorRow>();

  const files = new FileNumbering();

  const moduleNumber = (path: string, buildId: string): number =>
    modules.number(`${buildId}\0${path}`, () => ({ path, buildId }));

  const mapModules = ({ description }: TraceReader): Map<number, number> =>
    new Map(
      description.modules.map(({ number, path, buildId }) => [number, moduleNumber(path, buildId)]),
    );

  const mapStates = (reader: TraceReader, moduleOf: Map<number, number>): Int32Array => {
    const { description, name } = reader;
    const pathOf = unifyPaths(reader, paths, modules, moduleOf, warn);
    const mapping = new Int32Array((description.states.at(-1)?.number ?? -1) + 1).fill(-1);
    for (const state of description.states) {
      const module = moduleOf.get(state.module) ?? moduleNumber(`unknown module of ${name}`, "");
      const path = pathOf(state.path);
      const key = `${state.call}\0${module}\0${state.offset}\0${path}`;
      mapping[state.number] = states.number(key, () => ({
        call: state.call,
        category: categoryName(state.category),
        module,
        offset: state.offset,
        path,
      }));
    }
    const holes = mapping.filter((number) => number < 0).length;
    if (holes > 0) warn(`${name}: ${holes} definitions of calls are missing, they show as unknown`);
    for (const [number, mapped] of mapping.entries()) {
      if (mapped >= 0) continue;
      const module = moduleNumber(`unknown module of ${name}`, "");
      mapping[number] = states.number(`unknown\0${module}\0${number}`, () => ({
        call: "unknown",
        category: "unknown",
        module,
        offset: BigInt(number),
        path: -1,
      }));
    }
    return mapping;
  };

  const mapCommunicators = (reader: TraceReader): Int32Array => {
    const { description } = reader;
    // Numbers 0 and 1 mean the same everywhere, defined or not.
    const all = new Map<number, { ordinal: number; remoteSize: number; runs: Int32Array }>([
      [0, { ordinal: 0, remoteSize: 0, runs: Int32Array.of(0, 1, description.worldSize) }],
      [1, { ordinal: 0, remoteSize: 0, runs: Int32Array.of(description.rank, 1, 1) }],
    ]);
    for (const communicator of description.communicators) {
      all.set(communicator.number, communicator);
    }
    const mapping = new Int32Array(Math.max(...all.keys()) + 1).fill(-1);
    for (const [number, { ordinal, remoteSize, runs }] of all) {
      const key = `${canonicalRuns(runs)}\0${ordinal}\0${remoteSize}`;
      mapping[number] = communicators.number(key, () => {
        const members = expandRuns(runs);
        return { size: members.length, ordinal, members, remoteSize };
      });
    }
    const holes = mapping.filter((number) => number < 0).length;
    if (holes > 0) {
      warn(`${reader.name}: ${holes} definitions of communicators are missing, calls show none`);
    }
    return mapping;
  };

  const mappings = readers.map((reader): FileMapping => {
    const moduleOf = mapModules(reader);
    return {
      states: mapStates(reader, moduleOf),
      communicators: mapCommunicators(reader),
      files: files.map(reader),
      modules: moduleOf,
    };
  });
  return {
    modules: modules.items,
    states: states.items,
    paths: paths.items,
    communicators: communicators.items,
    files: files.items,
    mappings,
  };
}

/** Equal for equal members: the stride of a single rank means nothing. */
function canonicalRuns(runs: Int32Array): string {
  const words: string[] = [];
  for (let i = 0; i < runs.length; i += 3) {
    const count = runs[i + 2]!;
    words.push(`${runs[i]}+${count > 1 ? runs[i + 1] : 1}*${count}`);
  }
  return words.join(" ");
}

function expandRuns(runs: Int32Array): number[] {
  const members: number[] = [];
  for (let i = 0; i < runs.length; i += 3) {
    for (let k = 0; k < runs[i + 2]!; k++) members.push(runs[i]! + k * runs[i + 1]!);
  }
  return members;
}
