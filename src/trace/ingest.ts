import { setImmediate as nextTurn } from "node:timers/promises";
import { UserError } from "../user-error.ts";
import { chooseJob, type Job } from "./choose-job.ts";
import { PartialStore, removeLeftovers } from "./partial-store.ts";
import { type CommonClock, placeRanks, processValue } from "./place-ranks.ts";
import { makeRankRow, type RankRow } from "./rank-row.ts";
import {
  type DecodeResult,
  EdgeNumbers,
  makeCallColumns,
  TraceFileError,
  TraceReader,
} from "./reader.ts";
import { type RunDirectory, runDirectory } from "./run-directory.ts";
import { BASE_TABLES, BASE_VIEWS, STORE_VERSION } from "./schema.ts";
import { fingerprint, isLocked, isOutdated, listTraces, type TraceSource } from "./sources.ts";
import { duckdbVersion, Store } from "./store.ts";
import { TransferWriter } from "./transfers.ts";
import { CallWriter } from "./write-calls.ts";
import { LeftOutWriter } from "./write-left-out.ts";
import { CounterWriter } from "./write-counters.ts";
import { writeProbes } from "./write-probes.ts";
import { type ThreadRow, threadRows } from "./thread-rows.ts";
import { unifyDefinitions } from "./unify.ts";
import { damageLines, incompleteLines, missingRanksLine, problemLines } from "./warnings.ts";
import {
  writeDefinitions,
  writeEdges,
  writeMeta,
  writeRanks,
  writeThreads,
  writeWarnings,
} from "./write-tables.ts";

export interface IngestOptions {
  /** MPI job to take, in hexadecimal, when the trace folder holds several. */
  job?: string;
  /** DuckDB's buffers while ingesting. Default "1GB". */
  memoryLimit?: string;
  onProgress?: (progress: IngestProgress) => void;
}

export interface IngestProgress {
  filesDone: number;
  files: number;
  bytesDone: number;
  bytes: number;
  rows: number;
}

export interface IngestResult {
  ranks: number;
  rows: number;
  warnings: string[];
}

/** Rows per batch: small enough for the processor's caches, large enough to be quick. */
const BATCH_ROWS = 65_536;

/**
 * Whether the store of a run must be built (again): it is missing, unreadable, of another version of
 * varscope or DuckDB, or its traces have changed.
 * @throws UserError if another process holds the store
 */
export function needsIngest(path: string): Promise<boolean> {
  return isOutdated(runDirectory(path));
}

/**
 * Builds the store of a run directory from its traces, whatever of them is intact. The store appears
 * when it is whole; one that was there before stays until then.
 * @throws UserError if there is no usable trace, no such job, or another process holds the store
 */
export async function ingest(path: string, options: IngestOptions = {}): Promise<IngestResult> {
  const directory = runDirectory(path);
  const sources = listTraces(directory);
  if (sources.length === 0) throw noTrace(directory);
  removeLeftovers(directory.store);
  await refuseIfHeld(directory);
  const warnings: string[] = [];
  const warn = (line: string): unknown => warnings.push(line);
  const readers = await openTraces(sources, warn);
  if (readers.length === 0) throw new UserError(noUsableTrace(directory, warnings));
  const job = chooseJob(readers, options.job, warn);
  const partial = new PartialStore(directory.store);
  try {
    const store = await Store.open(partial.path, {
      memoryLimit: options.memoryLimit ?? "1GB",
      threads: 2,
    });
    let rows: number;
    try {
      rows = await fillStore(store, job, sources, warnings, options);
      await store.execute("CHECKPOINT");
    } finally {
      store.close();
    }
    await refuseIfHeld(directory);
    partial.publish();
    return { ranks: job.readers.length, rows, warnings };
  } finally {
    partial.discard();
  }
}

async function openTraces(
  sources: readonly TraceSource[],
  warn: (line: string) => void,
): Promise<TraceReader[]> {
  const readers: TraceReader[] = [];
  for (const source of sources) {
    try {
      readers.push(new TraceReader(source.path));
    } catch (error) {
      if (!(error instanceof TraceFileError)) throw error;
      warn(`${error.message}; it was left out`);
    }
    await nextTurn();
  }
  return readers;
}

async function fillStore(
  store: Store,
  job: Job,
  sources: readonly TraceSource[],
  warnings: string[],
  options: IngestOptions,
): Promise<number> {
  await store.execute(BASE_TABLES);
  // One transaction: DuckDB then writes finished row groups only once, without a log.
  await store.execute("BEGIN TRANSACTION");
  const definitions = unifyDefinitions(job.readers, (line) => warnings.push(line));
  await writeDefinitions(store, definitions);
  const clock = placeRanks(job.readers);
  const edges = new EdgeNumbers();
  const ranks: RankRow[] = [];
  const threads: ThreadRow[] = [];
  const progress = startProgress(job.readers, options.onProgress);
  const counters = await CounterWriter.open(store, job.readers);
  const decodeInto = await callWriter(store, edges, (rows) => progress.batch(rows));
  const leftOut = await LeftOutWriter.open(store);
  const transfers = await TransferWriter.open(store);
  for (const [i, reader] of job.readers.entries()) {
    const zeroNs = clock.zeroNs(reader);
    const mapping = { ...definitions.mappings[i]!, zeroNs };
    const result = await decodeInto.file(reader, mapping);
    leftOut.write({ description: reader.description, mapping, result });
    const transferred = await transfers.file(reader, mapping);
    result.damage.push(...transferred.damage, ...counters.file(reader, zeroNs));
    warnings.push(...damageLines(reader, result.damage));
    const rank = makeRankRow(reader, result, zeroNs);
    ranks.push(rank);
    threads.push(...threadRows(reader, definitions.mappings[i]!.modules, zeroNs, rank.endNs));
    progress.file(reader);
  }
  decodeInto.close();
  leftOut.close();
  counters.close();
  transfers.close();
  await writeEdges(store, edges);
  await writeRanks(store, ranks);
  await writeThreads(store, threads);
  await writeProbes(
    store,
    job.readers.map((reader) => ({ reader, zeroNs: clock.zeroNs(reader) })),
  );
  const worldSize = Math.max(...job.readers.map(({ description }) => description.worldSize));
  const missing = missingRanksLine(worldSize, ranks);
  if (missing) warnings.push(missing);
  warnings.push(...incompleteLines(ranks), ...problemLines(job.readers));
  if (clock.hosts > 1) {
    warnings.push(
      `ranks ran on ${clock.hosts} hosts; their times are only as comparable as these hosts' clocks`,
    );
  }
  await writeWarnings(store, warnings);
  await writeMeta(store, jobFacts(job, ranks, clock, worldSize, sources));
  await store.execute("COMMIT");
  await store.execute(BASE_VIEWS);
  return ranks.reduce((sum, rank) => sum + rank.recorded, 0);
}

/** Decodes files into the tables of calls, batch by batch through one set of buffers. */
async function callWriter(store: Store, edges: EdgeNumbers, onBatch: (rows: number) => void) {
  const calls = makeCallColumns(BATCH_ROWS);
  const writer = await CallWriter.open(store, calls);
  return {
    async file(
      reader: TraceReader,
      mapping: Parameters<TraceReader["decode"]>[0],
    ): Promise<DecodeResult> {
      const batches = reader.decode(mapping, edges, calls);
      for (;;) {
        const batch = batches.next();
        if (batch.done) return batch.value;
        writer.write(batch.value);
        onBatch(batch.value);
        await nextTurn();
      }
    },
    close: () => writer.close(),
  };
}

function startProgress(
  readers: readonly TraceReader[],
  show: ((progress: IngestProgress) => void) | undefined,
) {
  const bytes = readers.reduce((sum, { description }) => sum + description.traceBytes, 0);
  const now = { filesDone: 0, files: readers.length, bytesDone: 0, bytes, rows: 0 };
  return {
    batch(rows: number): void {
      now.rows += rows;
      show?.({ ...now });
    },
    file(reader: TraceReader): void {
      now.filesDone++;
      now.bytesDone += reader.description.traceBytes;
      show?.({ ...now });
    },
  };
}

function jobFacts(
  job: Job,
  ranks: readonly RankRow[],
  clock: CommonClock,
  worldSize: number,
  sources: readonly TraceSource[],
): Record<string, string> {
  const first = job.readers[0]!;
  const end = ranks.reduce((latest, { endNs }) => (endNs > latest ? endNs : latest), 0n);
  const bytes = ranks.reduce((sum, rank) => sum + rank.traceBytes, 0);
  const complete = ranks.length === worldSize && ranks.every((rank) => rank.complete);
  return {
    store_version: String(STORE_VERSION),
    duckdb_version: duckdbVersion(),
    job_id: job.id,
    started_at: new Date(Number(clock.startedAtNs / 1_000_000n)).toISOString(),
    wall_ns: String(end),
    world_size: String(worldSize),
    complete: String(complete),
    mpi: processValue(first, "mpi") ?? "unknown",
    mpi_version: processValue(first, "mpi_version") ?? "unknown",
    trace_bytes: String(bytes),
    sources: fingerprint([...sources]),
  };
}

/** A process that has the store open for writing would not see that it was replaced. */
async function refuseIfHeld(directory: RunDirectory): Promise<void> {
  try {
    (await Store.open(directory.store, { readOnly: true })).close();
  } catch (error) {
    // Missing, damaged or of another version: it will be replaced.
    if (isLocked(error)) throw error;
  }
}

function noTrace(directory: RunDirectory): UserError {
  return new UserError(
    `no trace in ${directory.traceDirectory}: was the command started by 'varscope run', is it a ` +
      `dynamically linked MPI program, and did it reach MPI_Init? ('varscope doctor' looks at this machine)`,
  );
}

function noUsableTrace(directory: RunDirectory, warnings: readonly string[]): string {
  const [first, ...others] = warnings;
  const more = others.length > 0 ? ` (and ${others.length} more like this)` : "";
  return `no usable trace in ${directory.traceDirectory}: ${first}${more}; run the program again`;
}
