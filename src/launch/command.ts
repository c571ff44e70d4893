import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";

/** Where commands are looked up. */
export interface Lookup {
  /** PATH of the environment. */
  path: string;
  workingDirectory: string;
}

export type Launcher = "openmpi" | "mpich" | "slurm" | "other";

/** Programs that start the program named later in their words. */
const STARTERS =
  /^(mpirun|mpiexec|orterun|prterun|prun|srun|aprun|jsrun|env|time|nice|ionice|nohup|setsid|timeout|stdbuf|taskset|numactl|chrt|sudo|catchsegv|strace|ltrace|valgrind)([.-].*)?$/;
/** Programs that run a file of text: the file is what people call the program. */
const INTERPRETERS = /^(python|perl|ruby|julia|Rscript|sh|bash|dash|zsh|ksh)[0-9.]*$/;
const SCRIPT_ENDING = /\.(py|pl|rb|jl|R|r|sh|bash)$/;

/** True for a regular file that may be executed. */
export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The file that a command word stands for, as execvp(3) finds it; undefined if there is none. */
export function findExecutable(word: string, lookup: Lookup): string | undefined {
  if (word === "") return undefined;
  const candidates = word.includes("/")
    ? [resolve(lookup.workingDirectory, word)]
    : lookup.path.split(":").map((folder) => resolve(lookup.workingDirectory, folder, word));
  return candidates.find(isExecutableFile);
}

/** The MPI whose launcher the first word is, told by what it is a link to. */
export function identifyLauncher(word: string, lookup: Lookup): Launcher {
  const file = findExecutable(word, lookup);
  const names = [basename(word), file ? basename(realpathSync(file)) : ""].join(" ");
  if (/\b(orterun|prterun|prun)\b|openmpi/.test(names)) return "openmpi";
  if (/hydra|mpich/.test(names)) return "mpich";
  return /\bsrun\b/.test(names) ? "slurm" : "other";
}

export interface GuessedProgram {
  /** What people call it: name of the executable or script, without folder. */
  name: string;
  /** The executable, where one was found. */
  file: string | undefined;
}

/**
 * The program that a command line is about: the first word after launchers that is an executable, or
 * the script if that is an interpreter. A guess: no launcher's options are known here, so it is only
 * used for names and hints.
 */
export function guessProgram(command: readonly string[], lookup: Lookup): GuessedProgram {
  let at = 0;
  let guess = command[0] ?? "";
  while (STARTERS.test(basename(guess))) {
    const next = command.findIndex((word, index) => index > at && isProgram(word, lookup));
    if (next < 0) break;
    at = next;
    guess = command[next] ?? "";
  }
  const file = findExecutable(guess, lookup);
  if (!INTERPRETERS.test(basename(guess))) return { name: basename(guess), file };
  const first = command.slice(at + 1).find((word) => !word.startsWith("-"));
  const script = first !== undefined && isFile(join(lookup.workingDirectory, first), first);
  return { name: script ? basename(first).replace(SCRIPT_ENDING, "") : basename(guess), file };
}

function isProgram(word: string, lookup: Lookup): boolean {
  const isOption = word.startsWith("-") || /^\d+$/.test(word) || word.includes("=");
  return !isOption && findExecutable(word, lookup) !== undefined;
}

function isFile(...paths: string[]): boolean {
  return paths.some((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}
