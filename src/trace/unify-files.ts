import { fileSystemName, isShared } from "./file-systems.ts";
import { processValue } from "./place-ranks.ts";
import type { TraceReader } from "./reader.ts";

export interface FileRow {
  path: string;
  kind: string;
  /** Empty where hosts share the file system. */
  host: string;
  device: bigint;
  inode: bigint;
  fileSystem: string;
}

/** Names of `enum vst_file_kind` (interceptor/include/trace_format.h), by number from 1. */
export const FILE_KINDS = [
  "regular",
  "directory",
  "pipe",
  "socket",
  "terminal",
  "device",
  "other",
] as const;

/**
 * Numbers files across the processes of a job. Device and inode name a file on its host, unless it was removed and
 * another one took its place: so the path counts, too. On a file system that hosts share, devices are numbered by each
 * host for itself, but path and inode are the same on all.
 */
export class FileNumbering {
  readonly items: FileRow[] = [];
  private readonly numbers = new Map<string, number>();

  /** Store numbers by the numbers in one trace file; -1: not defined. */
  map(reader: TraceReader): Int32Array {
    const { files } = reader.description;
    const host = processValue(reader, "host") ?? reader.name;
    const mapping = new Int32Array((files.at(-1)?.number ?? -1) + 1).fill(-1);
    for (const { number, kind, device, inode, fileSystem: magic, path } of files) {
      const fileSystem = fileSystemName(magic);
      const shared = isShared(fileSystem);
      mapping[number] = this.number({
        path,
        kind: FILE_KINDS[kind - 1] ?? "other",
        host: shared ? "" : host,
        device,
        inode,
        fileSystem,
      });
    }
    return mapping;
  }

  private number(row: FileRow): number {
    const place = row.host === "" ? row.fileSystem : `${row.host}\0${row.device}`;
    const key = `${place}\0${row.inode}\0${row.path}`;
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.items.push(row) - 1;
    this.numbers.set(key, number);
    return number;
  }
}
