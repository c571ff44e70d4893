import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

/** What a run left behind, for one line after it. */
export interface TraceCount {
  /** Trace files with a header. */
  ranks: number;
  /** Processes of MPI_COMM_WORLD, by the largest of the jobs. */
  worldSize: number;
  /** Calls that stand in the traces, and all that were made. */
  calls: number;
  intercepted: number;
  bytes: number;
  /** Ranks that did not get to the end of MPI_Finalize. */
  unfinished: number;
}

/* Places in struct vst_header, vst_block and vst_staging of interceptor/include/trace_format.h. */
const HEADER_BYTES = 4096;
const AT_WORLD_SIZE = 52;
const AT_COMMITTED = 64;
const AT_STATE = 72;
const FINALIZED = 2;
const BLOCK_BYTES = 40;
const BLOCK_MAGIC = 0x4b4c4256;
const STAGING = 7;

/** Counts what stands in the trace folder. Files that are not ours or damaged count as far as they go. */
export function countTraces(traceDirectory: string): TraceCount {
  const total: TraceCount = {
    ranks: 0,
    worldSize: 0,
    calls: 0,
    intercepted: 0,
    bytes: 0,
    unfinished: 0,
  };
  for (const name of traceFiles(traceDirectory)) {
    const file = openSync(join(traceDirectory, name), "r");
    try {
      countFile(file, total);
    } finally {
      closeSync(file);
    }
  }
  return total;
}

function traceFiles(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(".vst"));
  } catch {
    return [];
  }
}

function countFile(file: number, total: TraceCount): void {
  const header = read(file, 0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.toString("latin1", 0, 8) !== "VARSCOPE") return;
  const committed = Number(header.readBigUInt64LE(AT_COMMITTED));
  total.ranks += 1;
  total.bytes += committed;
  total.worldSize = Math.max(total.worldSize, header.readInt32LE(AT_WORLD_SIZE));
  if (header.readUInt32LE(AT_STATE) !== FINALIZED) total.unfinished += 1;
  for (let at = HEADER_BYTES; at + BLOCK_BYTES <= committed; ) {
    // Every thread has one STAGING block, whose first fields count all its records and all its calls.
    const block = read(file, at, BLOCK_BYTES + 16);
    if (block.length < BLOCK_BYTES || block.readUInt32LE(0) !== BLOCK_MAGIC) return;
    if (block.readUInt16LE(4) === STAGING && block.length >= BLOCK_BYTES + 16) {
      total.calls += Number(block.readBigUInt64LE(BLOCK_BYTES));
      total.intercepted += Number(block.readBigUInt64LE(BLOCK_BYTES + 8));
    }
    at += Math.ceil((BLOCK_BYTES + block.readUInt32LE(8)) / 8) * 8;
  }
}

function read(file: number, position: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  return buffer.subarray(0, readSync(file, buffer, 0, bytes, position));
}
