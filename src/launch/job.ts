import { rmdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import type { RunDirectory, RunRecord } from "../trace/run-directory.ts";
import { type Ending, isStartFailure, runChild, type StartFailure } from "./child.ts";
import { findExecutable, guessProgram, type Lookup } from "./command.ts";
import { type Environment, preloadPath, tracingEnvironment } from "./environment.ts";
import { explainSilence } from "./explain.ts";
import { findInterceptor, type Interceptor } from "./installation.ts";
import { defaultRunName, prepareRunDirectory } from "./prepare.ts";
import { writeRunRecord } from "./run-file.ts";
import { describeTraces } from "./summary.ts";

export interface JobRequest {
  command: string[];
  /** The user's -o. */
  output: string | undefined;
  environment: Environment;
  workingDirectory: string;
  /** What the interceptor is asked for, see recordingEnvironment. */
  options: Readonly<Record<string, string>>;
  varscopeVersion: string;
  /** Takes one line for the user, without newline. */
  tell: (line: string) => void;
}

/** Everything that has to be in place before the job starts. */
interface Tracing {
  directory: RunDirectory;
  interceptor: Interceptor;
  variables: Record<string, string>;
  release: () => void;
}

/**
 * Runs a job under the interceptor and says what was recorded. When tracing cannot start, the job runs
 * without it.
 * @throws UserError only for wrong use, before the job starts
 */
export async function runJob(request: JobRequest): Promise<Ending | StartFailure> {
  const { command, environment, workingDirectory, tell } = request;
  const lookup: Lookup = { path: environment["PATH"] ?? "/usr/bin:/bin", workingDirectory };
  // The attempt tells, as a shell would, why the command cannot be run.
  if (!findExecutable(command[0] ?? "", lookup)) return await runChild(command, environment);

  const program = guessProgram(command, lookup);
  const startedAt = new Date();
  const tracing = prepareTracing(request, defaultRunName(program.name, startedAt));
  if ("problem" in tracing) {
    tell(`recording nothing: ${tracing.problem}`);
    return await runChild(command, environment);
  }
  const { directory, interceptor } = tracing;
  const record: RunRecord = {
    schema: "varscope.run/1",
    command,
    startedAt: startedAt.toISOString(),
    host: hostname(),
    directory: workingDirectory,
    options: request.options,
    varscopeVersion: request.varscopeVersion,
  };
  if (!keepRecord(directory, record, tell)) return await runChild(command, environment);

  const ending = await runChild(command, { ...environment, ...tracing.variables });
  tracing.release();
  if (isStartFailure(ending)) return ending;
  keepRecord(directory, { ...record, endedAt: new Date().toISOString(), ...ending }, tell);
  const recorded = describeTraces(directory, workingDirectory);
  if (recorded === undefined) {
    const user = process.geteuid?.() ?? 1;
    const silence = { command, program, lookup, environment, ending, interceptor, user };
    tell(`recorded nothing: ${explainSilence(silence)}`);
    if (request.output === undefined) removeEmptyRun(directory);
  } else {
    tell(recorded);
  }
  return ending;
}

function prepareTracing(request: JobRequest, runName: string): Tracing | { problem: string } {
  const { output, workingDirectory, environment, options } = request;
  const interceptor = findInterceptor();
  if (!interceptor.library || interceptor.abis.length === 0) {
    return { problem: `no interceptor in ${interceptor.directory}; see: varscope doctor` };
  }
  const preparation = prepareRunDirectory(output, workingDirectory, runName);
  if ("problem" in preparation) return preparation;
  const { directory } = preparation;
  const preload = preloadPath(interceptor.library, directory.path);
  if (!preload) {
    return { problem: `LD_PRELOAD cannot hold ${interceptor.library}; use -o with a plain path` };
  }
  return {
    directory,
    interceptor,
    variables: tracingEnvironment(preload.library, directory.traceDirectory, environment, options),
    release: preload.release,
  };
}

/** False, with a word to the user, if run.json cannot be written. */
function keepRecord(
  directory: RunDirectory,
  record: RunRecord,
  tell: (line: string) => void,
): boolean {
  try {
    writeRunRecord(directory, record);
    return true;
  } catch (error) {
    tell(`cannot write ${directory.runFile}: ${(error as Error).message}`);
    return false;
  }
}

/** So that `varscope report` does not take it for the newest run. Whatever has something in it stays. */
function removeEmptyRun({ path, runFile, traceDirectory }: RunDirectory): void {
  try {
    rmdirSync(traceDirectory);
    rmSync(runFile);
    rmdirSync(path);
  } catch {
    // Not empty after all.
  }
}
