import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** A function of an object's symbol table: addresses relative to the load base, name as linked. */
export interface ElfFunction {
  start: number;
  end: number;
  name: string;
}

/** What is needed of an object's file to name its places. */
export interface ElfFile {
  /** Hexadecimal; "" if it has none. */
  buildId: string;
  /** Sorted by start. From .symtab, or .dynsym where that was stripped. */
  functions: ElfFunction[];
}

interface Section {
  type: number;
  offset: number;
  bytes: number;
  link: number;
  entryBytes: number;
}

/** From the System V ABI, "Sections", "Symbol Table" and "Note Section". */
const SHT_SYMTAB = 2;
const SHT_NOTE = 7;
const SHT_DYNSYM = 11;
const SECTION_BYTES = 64;
const SYMBOL_BYTES = 24;
const STT_FUNC = 2;
const NT_GNU_BUILD_ID = 3;
/** Beyond this a table is not read: no program has as many symbols. */
const MOST_TABLE_BYTES = 1 << 30;

/**
 * Reads build id and symbols of a 64-bit little-endian ELF file. Damaged tables count as absent.
 * @returns undefined if it is no such file or cannot be read
 */
export function readElfFile(path: string): ElfFile | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return undefined;
  }
  try {
    const read = reader(file);
    const sections = readSections(read);
    return (
      sections && { buildId: readBuildId(read, sections), functions: readFunctions(read, sections) }
    );
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

type Read = (position: number, bytes: number) => Buffer;

/** Bytes of the file; fewer at its end. */
function reader(file: number): Read {
  const size = fstatSync(file).size;
  return (position, bytes) => {
    const length = Math.max(0, Math.min(bytes, size - position, MOST_TABLE_BYTES));
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, position));
  };
}

function readSections(read: Read): Section[] | undefined {
  const head = read(0, 64);
  if (head.length < 64 || head.toString("latin1", 0, 4) !== "\x7fELF") return undefined;
  if (head[4] !== 2 || head[5] !== 1) return undefined;
  const start = Number(head.readBigUInt64LE(40));
  const table = read(start, head.readUInt16LE(58) * head.readUInt16LE(60));
  const sections: Section[] = [];
  for (let at = 0; at + SECTION_BYTES <= table.length; at += SECTION_BYTES) {
    sections.push({
      type: table.readUInt32LE(at + 4),
      offset: Number(table.readBigUInt64LE(at + 24)),
      bytes: Number(table.readBigUInt64LE(at + 32)),
      link: table.readUInt32LE(at + 40),
      entryBytes: Number(table.readBigUInt64LE(at + 56)),
    });
  }
  return sections;
}

function readBuildId(read: Read, sections: readonly Section[]): string {
  for (const { type, offset, bytes } of sections) {
    if (type !== SHT_NOTE) continue;
    const notes = read(offset, Math.min(bytes, 65_536));
    for (let at = 0; at + 12 <= notes.length; ) {
      const [nameBytes, length] = [notes.readUInt32LE(at), notes.readUInt32LE(at + 4)];
      const contents = at + 12 + aligned(nameBytes);
      const name = notes.toString("latin1", at + 12, at + 12 + nameBytes);
      if (notes.readUInt32LE(at + 8) === NT_GNU_BUILD_ID && name === "GNU\0") {
        return notes.toString("hex", contents, contents + length);
      }
      at = contents + aligned(length);
    }
  }
  return "";
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}

function readFunctions(read: Read, sections: readonly Section[]): ElfFunction[] {
  for (const wanted of [SHT_SYMTAB, SHT_DYNSYM]) {
    const section = sections.find(({ type }) => type === wanted);
    const strings = section && sections[section.link];
    if (!section || !strings || section.entryBytes !== SYMBOL_BYTES) continue;
    const functions = parseSymbols(
      read(section.offset, section.bytes),
      read(strings.offset, strings.bytes),
    );
    if (functions.length > 0)
      return functions.toSorted((a, b) => a.start - b.start || a.end - b.end);
  }
  return [];
}

function parseSymbols(table: Buffer, strings: Buffer): ElfFunction[] {
  const functions: ElfFunction[] = [];
  for (let at = 0; at + SYMBOL_BYTES <= table.length; at += SYMBOL_BYTES) {
    const start = Number(table.readBigUInt64LE(at + 8));
    const bytes = Number(table.readBigUInt64LE(at + 16));
    if ((table.readUInt8(at + 4) & 15) !== STT_FUNC || bytes === 0) continue;
    const from = table.readUInt32LE(at);
    const end = strings.indexOf(0, from);
    const name = strings.toString("utf8", from, end < 0 ? strings.length : end);
    functions.push({ start, end: start + bytes, name });
  }
  return functions;
}

/** The function an address lies in. */
export function functionAt(
  functions: readonly ElfFunction[],
  address: number,
): ElfFunction | undefined {
  let low = 0;
  let high = functions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (functions[middle]!.start <= address) low = middle + 1;
    else high = middle;
  }
  const found = functions[low - 1];
  return found && address < found.end ? found : undefined;
}
