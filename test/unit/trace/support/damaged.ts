import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TraceFileError } from "../../../../src/trace/reader.ts";
import { writeTrace } from "../../../../src/trace/write-synthetic.ts";
import { type Call, type Decoded, decode } from "./decode.ts";
import { randomTrace } from "./random.ts";

/** A sound file, what it holds, and where. */
export interface Sample {
  bytes: Buffer;
  whole: Decoded;
  /** Index of each call in `whole`, by what identifies it. */
  position: Map<string, number>;
  /** Followed by hand, not by the reader. */
  blocks: { at: number; length: number; type: number; thread: number; records: number }[];
  committed: number;
}

/** 600 calls of two threads, in blocks of 64; the last 20 of each thread unsealed if killed. */
export function makeSample(folder: string, finalized: boolean): Sample {
  const path = join(folder, finalized ? "finished.vst" : "killed.vst");
  const trace = randomTrace(7, 600, 2);
  writeTrace(path, { ...trace, blockRecords: 64, finalized, unsealed: finalized ? 0 : 20 });
  const bytes = readFileSync(path);
  const committed = Number(bytes.readBigUInt64LE(64));
  const blocks: Sample["blocks"] = [];
  for (let at = 4096; at < committed; at += blocks.at(-1)!.length) {
    blocks.push({
      at,
      length: Math.ceil((40 + bytes.readUInt32LE(at + 8)) / 8) * 8,
      type: bytes.readUInt16LE(at + 4),
      thread: bytes.readUInt32LE(at + 16),
      records: bytes.readUInt32LE(at + 20),
    });
  }
  const whole = decode(path);
  const position = new Map(whole.calls.map((call, i) => [identity(call), i]));
  return { bytes, whole, position, blocks, committed };
}

function identity(call: Call): string {
  const { thread, state, start, end, bytes, peer, communicator, tag, requests, completed } = call;
  return [thread, state, start, end, bytes, peer, communicator, tag, requests, completed].join(" ");
}

export interface Verdict {
  /** What the reader must not do; empty if all is well. */
  faults: string[];
  /** What it said about the damage. */
  lines: string[];
  calls: Call[];
  decoded?: Decoded;
}

/**
 * Reads a damaged copy of a sample: whatever comes out must be calls of the original, in order, with
 * the computation before them either right or unknown; and nothing may be missing without a line.
 */
export function judge(folder: string, bytes: Buffer, { whole, position }: Sample): Verdict {
  const path = join(folder, "0.vst");
  writeFileSync(path, bytes);
  let decoded: Decoded;
  try {
    decoded = decode(path);
  } catch (error) {
    if (!(error instanceof TraceFileError)) throw error;
    const faults = /^0\.vst [^\n]+$/.test(error.message) ? [] : [`not one line: ${error.message}`];
    return { faults, lines: [error.message], calls: [] };
  }
  const { calls, damage } = decoded;
  const faults = damage.filter((line) => !/^[^\n]+$/.test(line)).map((l) => `not one line: ${l}`);
  let last = -1;
  for (const call of calls) {
    const at = position.get(identity(call)) ?? -1;
    const original = whole.calls[at];
    if (!original) faults.push(`no such call: ${identity(call)}`);
    else if (at <= last) faults.push(`call ${at} after call ${last}`);
    else if (call.edge && (at !== last + 1 || !sameBefore(call, original))) {
      faults.push(`wrong computation before call ${at}`);
    }
    last = at;
  }
  if (calls.length < whole.calls.length && damage.length === 0) faults.push("a silent loss");
  return { faults, lines: damage, calls, decoded };
}

function sameBefore(call: Call, original: Call): boolean {
  return (
    String(call.edge) === String(original.edge) &&
    call.before === original.before &&
    call.beforeBytes === original.beforeBytes
  );
}
