import { mkdirSync, readdirSync, type Stats, statfsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type RunDirectory, runDirectory } from "../trace/run-directory.ts";
import { UserError } from "../user-error.ts";

/** Less than this and not even the first blocks of a few ranks fit. */
const MIN_FREE_BYTES = 16 * 2 ** 20;

/** `varscope-PROGRAM-YYYYMMDD-HHMMSS`, local time (DESIGN 4.1). */
export function defaultRunName(program: string, now: Date): string {
  const plain = program
    .replace(/[^\w.+-]+/g, "_")
    .replace(/^[-.]+/, "")
    .slice(0, 64);
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join("");
  return `varscope-${plain || "program"}-${day}-${time}`;
}

/** A run directory ready to be written to, or why there is none. */
export type Preparation = { directory: RunDirectory } | { problem: string };

/**
 * Creates the run directory and its trace folder. Results of an earlier run are never written over.
 * @param given the user's -o, or undefined for a new `name` in `parent`
 * @throws UserError if the user's directory is in use
 */
export function prepareRunDirectory(
  given: string | undefined,
  parent: string,
  name: string,
): Preparation {
  let path = given === undefined ? join(parent, name) : resolve(parent, given);
  if (given !== undefined) refuseUsedDirectory(path, given);
  try {
    if (given === undefined) path = createUnused(path);
    const directory = runDirectory(path);
    createFolders(directory.traceDirectory);
    const { bavail, bsize } = statfsSync(path);
    if (bavail * bsize < MIN_FREE_BYTES) {
      return { problem: `the disk of ${path} is full; free some space or choose another with -o` };
    }
    return { directory };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { problem: `cannot create ${path} (${code ?? message}); choose another with -o DIR` };
  }
}

/**
 * Creates `path` and the folders above it. One by one: for all at once, Node.js reports ENOENT where a file system
 * is read-only.
 */
function createFolders(path: string): void {
  const there = whatIsAt(path);
  if (there?.isDirectory()) return;
  if (there) throw Object.assign(new Error(`${path} is not a directory`), { code: "ENOTDIR" });
  if (dirname(path) !== path) createFolders(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have been quicker.
    if (!whatIsAt(path)?.isDirectory()) throw error;
  }
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

/** Creates `path`, or `path-2`, ... if that is there: other runs may start in the same second. */
function createUnused(path: string): string {
  for (let number = 1; ; number += 1) {
    const numbered = number === 1 ? path : `${path}-${number}`;
    try {
      mkdirSync(numbered);
      return numbered;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function refuseUsedDirectory(path: string, given: string): void {
  const found = whatIsAt(path);
  if (!found) return;
  if (!found.isDirectory()) {
    throw new UserError(`${given} is a file; name another directory with -o`, 2);
  }
  if (entries(path).length > 0) {
    throw new UserError(`${given} is not empty; name another directory with -o, or delete it`, 2);
  }
}

/** What cannot be looked at counts as absent: creating the trace folder tells what is wrong. */
function whatIsAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** An unreadable directory counts as empty here: creating the trace folder tells what is wrong. */
function entries(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
