import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  isRunDirectory,
  newestRunDirectory,
  runDirectory,
  type RunDirectory,
} from "../trace/run-directory.ts";
import { UserError } from "../user-error.ts";

/**
 * The run directory a command works on: the one given, or the newest in the working directory, or the
 * working directory itself.
 * @throws UserError if there is none
 */
export function findRun(given: string | undefined, workingDirectory: string): RunDirectory {
  return runDirectory(
    given === undefined ? newestHere(workingDirectory) : namedRun(given, workingDirectory),
  );
}

function namedRun(given: string, workingDirectory: string): string {
  const path = resolve(workingDirectory, given);
  if (!existsSync(path)) throw new UserError(`there is no ${given}; name a run directory`);
  if (!statSync(path).isDirectory()) {
    throw new UserError(`${given} is a file; name the run directory it belongs to`);
  }
  if (isRunDirectory(path)) return path;
  // Easily typed with completion: the trace folder inside a run directory.
  const parent = dirname(path);
  if (runDirectory(parent).traceDirectory === path) return parent;
  throw new UserError(
    `${given} is not a run directory (no trace folder and no run.json in it); make one with: varscope run -- COMMAND`,
  );
}

function newestHere(workingDirectory: string): string {
  if (isRunDirectory(workingDirectory)) return workingDirectory;
  const newest = newestRunDirectory(workingDirectory);
  if (newest === undefined) {
    throw new UserError(
      `no run directory in ${workingDirectory}; name one, or make one with: varscope run -- COMMAND`,
    );
  }
  return newest;
}
