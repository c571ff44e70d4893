import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import type { Environment } from "./environment.ts";
import { exactBytes, restoringScript } from "./exact-bytes.ts";
import { inheritedDescriptors, openFilesLimit, passThrough } from "./inheritance.ts";

/** How a job ended, as a shell would see it. */
export interface Ending {
  /** 0 to 255; 128 + number of the signal if one ended it. */
  exitCode: number;
  signal?: NodeJS.Signals;
}

/** A command that could not be started; exit codes as shells have them. */
export interface StartFailure extends Ending {
  problem: string;
}

export function isStartFailure(ending: Ending | StartFailure): ending is StartFailure {
  return "problem" in ending;
}

const FORWARDED: readonly NodeJS.Signals[] = [
  "SIGINT",
  "SIGQUIT",
  "SIGHUP",
  "SIGTERM",
  "SIGUSR1",
  "SIGUSR2",
];
/** Signals that a terminal sends to the whole foreground group, the job included. */
const FROM_TERMINAL: ReadonlySet<string> = new Set(["SIGINT", "SIGQUIT", "SIGHUP"]);

/**
 * Runs a command with our own stdin, stdout, stderr and waits for it. Signals to us are forwarded;
 * those that its terminal sent to the job as well are not sent twice, as mpirun takes a second Ctrl-C
 * for an order to give up at once.
 */
export async function runChild(
  command: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<Ending | StartFailure> {
  const [file = "", ...words] = asGiven(command, environment);
  const child = spawn(file, words, {
    stdio: passThrough(inheritedDescriptors()),
    env: environment,
  });
  const stopForwarding = forwardSignals(child);
  return await new Promise((settle) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      stopForwarding();
      settle(startFailure(command[0] ?? "", error));
    });
    child.once("exit", (code, signal) => {
      stopForwarding();
      settle(
        signal ? { exitCode: 128 + constants.signals[signal], signal } : { exitCode: code ?? 1 },
      );
    });
  });
}

/** Ends this process as the job ended: by the same signal, or with its exit status. */
export function endLike({ exitCode, signal }: Ending): void {
  // A signal that dumps core would dump ours, which helps nobody.
  if (signal && !["SIGQUIT", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV"].includes(signal)) {
    process.kill(process.pid, signal);
  }
  process.exitCode = exitCode;
}

/** The command with what Node.js would change put back: the limit on open files, and bytes that are no UTF-8. */
function asGiven(command: readonly string[], environment: Environment): readonly string[] {
  const limit = openFilesLimit();
  const exact = exactBytes(command, environment);
  const changed = exact.words.size + exact.variables.size > 0;
  if (limit === undefined && !changed) return command;
  const limits = limit === undefined ? [] : [`ulimit -S -n ${limit}`];
  const start = changed ? restoringScript(command, exact) : 'exec "$@"';
  return ["/bin/sh", "-c", [...limits, start].join("\n"), "sh", ...command];
}

function forwardSignals(child: ChildProcess): () => void {
  const forward = (signal: NodeJS.Signals): void => {
    if (!(FROM_TERMINAL.has(signal) && inForeground())) child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  return () => {
    for (const signal of FORWARDED) process.off(signal, forward);
  };
}

/** True if our process group is the one its terminal sends signals to; see proc(5), /proc/PID/stat. */
function inForeground(): boolean {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const [, , group, , terminal, foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return terminal !== "0" && group === foreground;
  } catch {
    return false;
  }
}

function startFailure(name: string, error: NodeJS.ErrnoException): StartFailure {
  if (error.code === "ENOENT") {
    return { exitCode: 127, problem: `${name}: command not found` };
  }
  const reason = error.code === "EACCES" ? "not executable" : error.message;
  return { exitCode: 126, problem: `${name}: ${reason}` };
}
