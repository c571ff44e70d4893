import { closeSync, openSync, readSync } from "node:fs";

/** What the start of a file tells about how it is run. */
export type Executable =
  | {
      kind: "elf";
      bits: 32 | 64;
      /** False for statically linked programs: no loader, so no LD_PRELOAD. */
      dynamic: boolean;
      /** Names of the shared libraries it asks for itself (DT_NEEDED). */
      needed: string[];
    }
  | { kind: "script"; interpreter: string }
  | { kind: "other" };

interface Segment {
  type: number;
  offset: number;
  address: number;
  fileBytes: number;
}

/** ELF constants, from the System V ABI, "Program Header" and "Dynamic Section". */
const PROGRAM_HEADER_BYTES = 56;
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const DT_NEEDED = 1n;
const DT_STRTAB = 5n;
const MAX_DYNAMIC_BYTES = 1 << 20;

/**
 * Looks at the head of a file: 64-bit little-endian ELF in detail, other ELF by class only.
 * @throws the file system's error if the file cannot be read
 */
export function readExecutable(path: string): Executable {
  const file = openSync(path, "r");
  try {
    const head = read(file, 0, 256);
    if (head.toString("latin1", 0, 2) === "#!") {
      const line = head.toString("utf8", 2).split("\n", 1)[0] ?? "";
      return { kind: "script", interpreter: line.trim() };
    }
    if (head.length < 64 || head.toString("latin1", 0, 4) !== "\x7fELF") return { kind: "other" };
    if (head[4] !== 2 || head[5] !== 1) {
      return { kind: "elf", bits: head[4] === 2 ? 64 : 32, dynamic: true, needed: [] };
    }
    const segments = readSegments(file, head);
    return {
      kind: "elf",
      bits: 64,
      dynamic: segments.some(({ type }) => type === PT_INTERP),
      needed: readNeeded(file, segments),
    };
  } finally {
    closeSync(file);
  }
}

function readSegments(file: number, head: Buffer): Segment[] {
  const start = Number(head.readBigUInt64LE(32));
  const entryBytes = head.readUInt16LE(54);
  const table = read(file, start, entryBytes * head.readUInt16LE(56));
  const segments: Segment[] = [];
  if (entryBytes < PROGRAM_HEADER_BYTES) return [];
  for (let at = 0; at + entryBytes <= table.length; at += entryBytes) {
    segments.push({
      type: table.readUInt32LE(at),
      offset: Number(table.readBigUInt64LE(at + 8)),
      address: Number(table.readBigUInt64LE(at + 16)),
      fileBytes: Number(table.readBigUInt64LE(at + 32)),
    });
  }
  return segments;
}

function readNeeded(file: number, segments: Segment[]): string[] {
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  if (!dynamic) return [];
  const table = read(file, dynamic.offset, Math.min(dynamic.fileBytes, MAX_DYNAMIC_BYTES));
  const names: number[] = [];
  let strings: number | undefined;
  for (let at = 0; at + 16 <= table.length; at += 16) {
    const tag = table.readBigInt64LE(at);
    const value = Number(table.readBigUInt64LE(at + 8));
    if (tag === DT_NEEDED) names.push(value);
    if (tag === DT_STRTAB) strings = fileOffset(segments, value);
  }
  const start = strings;
  return start === undefined ? [] : names.map((name) => readText(file, start + name));
}

function fileOffset(segments: Segment[], address: number): number | undefined {
  const segment = segments.find(
    (candidate) =>
      candidate.type === PT_LOAD &&
      address >= candidate.address &&
      address < candidate.address + candidate.fileBytes,
  );
  return segment && segment.offset + address - segment.address;
}

/** Bytes of the file from `position`; fewer at its end. */
function read(file: number, position: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  return buffer.subarray(0, readSync(file, buffer, 0, bytes, position));
}

function readText(file: number, position: number): string {
  const text = read(file, position, 256);
  const end = text.indexOf(0);
  return text.toString("utf8", 0, end < 0 ? text.length : end);
}
