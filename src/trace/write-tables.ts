import { type DuckDBAppender, INTEGER, LIST, listValue } from "@duckdb/node-api";
import type { EdgeNumbers } from "./reader.ts";
import type { RankRow } from "./rank-row.ts";
import type { Store } from "./store.ts";
import type { ThreadRow } from "./thread-rows.ts";
import type { JobDefinitions } from "./unify.ts";

/** Runs `append` for each item, a row each. */
async function fill<Item>(
  store: Store,
  table: string,
  items: Iterable<Item>,
  append: (row: DuckDBAppender, item: Item) => void,
): Promise<void> {
  const appender = await store.connection.createAppender(table);
  for (const item of items) {
    append(appender, item);
    appender.endRow();
  }
  appender.closeSync();
}

/** Tables modules, states, paths, frames, communicators and files. */
export async function writeDefinitions(store: Store, all: JobDefinitions): Promise<void> {
  await fill(store, "modules", all.modules.entries(), (row, [module, { path, buildId }]) => {
    row.appendInteger(module);
    row.appendVarchar(path);
    row.appendVarchar(buildId);
  });
  await fill(store, "states", all.states.entries(), (row, [state, item]) => {
    row.appendInteger(state);
    row.appendVarchar(item.call);
    row.appendVarchar(item.category);
    row.appendInteger(item.module);
    row.appendBigInt(item.offset);
    row.appendInteger(item.path);
  });
  await fill(store, "paths", all.paths.entries(), (row, [path, { hash }]) => {
    row.appendInteger(path);
    row.appendVarchar(hash);
  });
  const frames = all.paths.flatMap((item, path) =>
    item.frames.map((frame, depth) => ({ path, depth, ...frame })),
  );
  await fill(store, "frames", frames, (row, frame) => {
    row.appendInteger(frame.path);
    row.appendInteger(frame.depth);
    row.appendInteger(frame.module);
    row.appendBigInt(frame.offset);
  });
  await fill(store, "communicators", all.communicators.entries(), (row, [communicator, item]) => {
    row.appendInteger(communicator);
    row.appendInteger(item.size);
    row.appendInteger(item.ordinal);
    row.appendList(listValue(item.members), LIST(INTEGER));
    row.appendInteger(item.remoteSize);
  });
  await fill(store, "files", all.files.entries(), (row, [file, item]) => {
    row.appendInteger(file);
    row.appendVarchar(item.path);
    row.appendVarchar(item.kind);
    row.appendVarchar(item.host);
    row.appendUBigInt(item.device);
    row.appendUBigInt(item.inode);
    row.appendVarchar(item.fileSystem);
  });
}

export async function writeEdges(store: Store, edges: EdgeNumbers): Promise<void> {
  const pairs = edges.pairs();
  const numbers = Array.from({ length: pairs.length / 2 }, (_, edge) => edge);
  await fill(store, "edges", numbers, (row, edge) => {
    row.appendInteger(edge);
    row.appendInteger(pairs[2 * edge]!);
    row.appendInteger(pairs[2 * edge + 1]!);
  });
}

export async function writeRanks(store: Store, ranks: readonly RankRow[]): Promise<void> {
  await fill(store, "ranks", ranks, (row, rank) => {
    row.appendInteger(rank.rank);
    row.appendVarchar(rank.host);
    row.appendInteger(rank.pid);
    row.appendVarchar(rank.program);
    row.appendInteger(rank.threads);
    row.appendBigInt(rank.initNs);
    row.appendBigInt(rank.endNs);
    row.appendBoolean(rank.complete);
    row.appendBigInt(BigInt(rank.intercepted));
    row.appendBigInt(BigInt(rank.recorded));
    row.appendBigInt(BigInt(rank.sampledOut));
    row.appendBigInt(BigInt(rank.lost));
    row.appendBigInt(rank.toolNs);
    row.appendBigInt(BigInt(rank.traceBytes));
  });
}

export async function writeThreads(store: Store, threads: readonly ThreadRow[]): Promise<void> {
  await fill(store, "threads", threads, (row, thread) => {
    row.appendInteger(thread.rank);
    row.appendSmallInt(thread.thread);
    row.appendInteger(thread.systemThread);
    row.appendSmallInt(thread.parent);
    row.appendVarchar(thread.name);
    row.appendVarchar(thread.kind);
    row.appendInteger(thread.module);
    row.appendBigInt(thread.offset);
    row.appendBigInt(thread.firstNs);
    row.appendBigInt(thread.lastNs);
  });
}

export async function writeWarnings(store: Store, lines: readonly string[]): Promise<void> {
  await fill(store, "warnings", lines, (row, line) => row.appendVarchar(line));
}

export async function writeMeta(store: Store, facts: Record<string, string>): Promise<void> {
  await fill(store, "meta", Object.entries(facts), (row, [key, value]) => {
    row.appendVarchar(key);
    row.appendVarchar(value);
  });
}
