import { UserError } from "../user-error.ts";

/** What the user asks of the interceptor: options of `varscope run` as they were typed. */
export interface RecordingOptions {
  budget?: string;
  full?: boolean;
  callPaths?: string | boolean;
  counters?: string;
  io?: boolean;
  threads?: boolean;
  probes?: boolean;
  lockWait?: string;
  maxTrace?: string;
}

/** Groups of counters by name, as interceptor/core knows them. */
export const COUNTER_GROUPS = [
  "default",
  "scheduler",
  "memory",
  "io",
  "hardware",
  "all",
  "none",
] as const;

/** Frames that `--call-paths` takes without a number, and the most that it may be given. */
const DEFAULT_FRAMES = 8;
const MOST_FRAMES = 64;

/** Bytes in the units that sizes may have: 1 kB is 1000 bytes. */
const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/** A trace file is begun with room for its definitions and unpacked calls; less than this holds nothing else. */
const LEAST_TRACE_BYTES = 1e6;

/**
 * The environment by which the interceptor learns the options (interceptor/core/options.h). Options that were not
 * given set nothing, so that the user's own environment stands.
 * @throws UserError for a value that cannot be meant
 */
export function recordingEnvironment(options: RecordingOptions): Record<string, string> {
  const variables: Record<string, string | undefined> = {
    VARSCOPE_BUDGET: budget(options),
    VARSCOPE_CALL_PATHS: callPaths(options.callPaths),
    VARSCOPE_COUNTERS: counters(options.counters),
    VARSCOPE_IO: options.io === false ? "off" : undefined,
    VARSCOPE_THREADS: options.threads === false ? "off" : undefined,
    VARSCOPE_PROBES: options.probes === false ? "off" : undefined,
    VARSCOPE_LOCK_WAIT: lockWait(options.lockWait),
    VARSCOPE_MAX_TRACE: maxTrace(options.maxTrace),
  };
  return Object.fromEntries(
    Object.entries(variables).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
}

function budget({ budget: given, full }: RecordingOptions): string | undefined {
  if (full && given !== undefined) {
    throw wrong("--full records everything, --budget limits it; give one of them");
  }
  if (full) return "full";
  if (given === undefined) return undefined;
  const percent = plainNumber(given.replace(/%$/, ""));
  if (percent === undefined || percent > 100) {
    throw wrong(
      `--budget ${given} is no percentage; give a number from 0 to 100, such as 1 or 0.5`,
    );
  }
  return String(percent);
}

function callPaths(given: string | boolean | undefined): string | undefined {
  if (given === undefined || given === false) return undefined;
  if (given === true) return String(DEFAULT_FRAMES);
  if (!/^\d+$/.test(given) || Number(given) > MOST_FRAMES) {
    throw wrong(`--call-paths=${given} is no number of frames; give 0 to ${MOST_FRAMES}`);
  }
  return String(Number(given));
}

function counters(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const names = given.split(",").map((name) => name.trim());
  const known: readonly string[] = COUNTER_GROUPS;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw wrong(`--counters: no group '${unknown}'; there are ${COUNTER_GROUPS.join(", ")}`);
  }
  return names.join(",");
}

function lockWait(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const microseconds = plainNumber(given);
  if (microseconds === undefined || microseconds > 1e9) {
    throw wrong(`--lock-wait ${given} is no time; give microseconds, such as 10`);
  }
  return String(microseconds);
}

function maxTrace(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const [, digits = "", unit = ""] = /^([\d.]+)([kmgt]?)b?$/i.exec(given) ?? [];
  const bytes = (plainNumber(digits) ?? Number.NaN) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
  if (!(bytes >= LEAST_TRACE_BYTES)) {
    throw wrong(
      `--max-trace ${given} is no size; give 1MB or more for each process, such as 200MB`,
    );
  }
  return String(Math.floor(bytes));
}

function plainNumber(text: string): number | undefined {
  return /^\d+(\.\d+)?$|^\.\d+$/.test(text) ? Number(text) : undefined;
}

function wrong(message: string): UserError {
  return new UserError(message, 2);
}
