import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/launch/installation.ts";

/* Numbers as in trace_format.h. */
const HEADER_BYTES = 4096;
const HEAD_BYTES = 40;
const AT_COMMITTED = 64;

/** All types of blocks that the format has, by number: enum vst_block_type as it stands in the header. */
export function formatTypes(): Map<number, string> {
  const header = join(packageRoot(), "interceptor/include/trace_format.h");
  const text = readFileSync(header, "utf8");
  const matches = text.matchAll(/^ {2}VST_BLOCK_([A-Z_]+) = (\d+),/gm);
  return new Map([...matches].map(([, name, number]) => [Number(number), name!]));
}

/** Types of the blocks of a trace, as far as they can be followed from the header on. */
function typesIn(bytes: Buffer): number[] {
  const types: number[] = [];
  const end = Math.min(bytes.length, Number(bytes.readBigUInt64LE(AT_COMMITTED)));
  for (let at = HEADER_BYTES; at + HEAD_BYTES <= end; ) {
    types.push(bytes.readUInt16LE(at + 4));
    at += Math.ceil((HEAD_BYTES + bytes.readUInt32LE(at + 8)) / 8) * 8;
  }
  return types;
}

/** Names of the types of blocks that are in none of the folder's traces: those would not be fuzzed. */
export function missingTypes(folder: string): string[] {
  const missing = formatTypes();
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    if (bytes.length < HEADER_BYTES) continue;
    for (const type of typesIn(bytes)) missing.delete(type);
  }
  return [...missing.values()];
}
