import { accessSync, constants, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runDirectory, type RunDirectory } from "../trace/run-directory.ts";
import type { Store } from "../trace/store.ts";
import type { Effects } from "./effects.ts";
import { findRun } from "./find-run.ts";
import { Progress } from "./progress.ts";

export interface PrepareOptions {
  /** Ingest and analyse again even if the store is up to date. */
  force?: boolean;
  /** Analyse again, and report mild slow-downs, too. */
  sensitive?: boolean;
  /** Number of the MPI job in hexadecimal, when a run directory holds several. */
  job?: string;
}

export interface PreparedRun {
  /** Where the run was found, whatever folder the store lies in. */
  directory: RunDirectory;
  /** Read-only, ingested and analysed. */
  store: Store;
  /** Closes the store and removes what was temporary. */
  close: () => void;
}

/**
 * Finds a run and makes its store ready: ingests and analyses if it is missing or outdated, with
 * progress on stderr if that is a terminal.
 * @throws UserError if there is no run, no trace, or the store is in use
 */
export async function prepareRun(
  given: string | undefined,
  options: PrepareOptions,
  effects: Effects,
): Promise<PreparedRun> {
  const directory = findRun(given, effects.workingDirectory);
  const { Store } = await import("../trace/store.ts");
  const place = await workPlace(directory, options, effects);
  try {
    await bringUpToDate(place.directory, options, effects);
    const store = await Store.open(place.directory.store, { readOnly: true });
    const close = () => {
      store.close();
      place.remove();
    };
    return { directory, store, close };
  } catch (error) {
    place.remove();
    throw error;
  }
}

async function bringUpToDate(
  directory: RunDirectory,
  options: PrepareOptions,
  effects: Effects,
): Promise<void> {
  const { needsIngest, ingest } = await import("../trace/ingest.ts");
  const { needsAnalysis, analyze } = await import("../analyze/analyze.ts");
  const { SENSITIVE_SETTINGS } = await import("../analyze/settings.ts");
  const { fillSymbols } = await import("../symbols/fill.ts");
  const { Store } = await import("../trace/store.ts");
  const progress = new Progress(effects);
  try {
    if (
      options.force ||
      (await needsIngest(directory.path)) ||
      (await holdsOtherJob(directory, options))
    ) {
      const job = options.job === undefined ? {} : { job: options.job };
      await ingest(directory.path, { ...job, onProgress: (now) => progress.show(now) });
    } else if (!options.sensitive && (await isAnalysed(directory, needsAnalysis))) {
      return;
    }
    const store = await Store.open(directory.store);
    try {
      await analyze(store, {
        progress: (pass) => progress.say(`analysing: ${pass}`),
        ...(options.sensitive ? { settings: SENSITIVE_SETTINGS } : {}),
      });
      progress.say("looking up functions");
      await fillSymbols(store);
    } finally {
      store.close();
    }
  } finally {
    progress.end();
  }
}

/** Looks through a read-only store, so that an analysed one is never locked. */
async function isAnalysed(
  directory: RunDirectory,
  needsAnalysis: (store: Store) => Promise<boolean>,
): Promise<boolean> {
  const { Store } = await import("../trace/store.ts");
  const store = await Store.open(directory.store, { readOnly: true });
  try {
    return !(await needsAnalysis(store));
  } finally {
    store.close();
  }
}

/** True if a job is asked for that is not the one in the store. */
async function holdsOtherJob(directory: RunDirectory, options: PrepareOptions): Promise<boolean> {
  if (options.job === undefined) return false;
  const { Store } = await import("../trace/store.ts");
  const store = await Store.open(directory.store, { readOnly: true });
  try {
    const row = await store.row<{ value: string }>("SELECT value FROM meta WHERE key = 'job_id'");
    return row?.value !== options.job;
  } finally {
    store.close();
  }
}

interface WorkPlace {
  directory: RunDirectory;
  remove: () => void;
}

/**
 * The run directory itself; or, if it cannot be written and its store is not usable as it is, a
 * temporary stand-in that links to its traces.
 */
async function workPlace(
  directory: RunDirectory,
  options: PrepareOptions,
  effects: Effects,
): Promise<WorkPlace> {
  const here = { directory, remove: () => undefined };
  if (isWritable(directory.path) || !existsSync(directory.traceDirectory)) return here;
  if (!options.force && (await isUsable(directory, options))) return here;
  const path = mkdtempSync(join(tmpdir(), "varscope-"));
  const standIn = runDirectory(path);
  symlinkSync(directory.traceDirectory, standIn.traceDirectory);
  if (existsSync(directory.runFile)) symlinkSync(directory.runFile, standIn.runFile);
  effects.err(`varscope: cannot write to ${directory.path}; working on a store in ${path}\n`);
  return { directory: standIn, remove: () => rmSync(path, { recursive: true, force: true }) };
}

async function isUsable(directory: RunDirectory, options: PrepareOptions): Promise<boolean> {
  const { needsIngest } = await import("../trace/ingest.ts");
  const { needsAnalysis } = await import("../analyze/analyze.ts");
  return (
    !(await needsIngest(directory.path)) &&
    !(await holdsOtherJob(directory, options)) &&
    (await isAnalysed(directory, needsAnalysis))
  );
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
