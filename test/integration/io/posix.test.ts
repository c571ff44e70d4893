import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildInterceptor, MPIS, temporary } from "../mpi/support/jobs.ts";
import { compileInto, type IoRow, ioRows, runBoth } from "./support.ts";

const folder = temporary("io-programs-");
beforeAll(buildInterceptor, 600_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** Patterns of access; -1 where there is none. */
const [NONE, ON, FORWARD, BACKWARD] = [-1, 0, 1, 2];

/** Worked out by hand from programs/io.c: offsets are in its comments. */
const POSIX: [string, number, number][] = [
  ["open", 0, NONE],
  ["write", 100, ON],
  ["write", 50, ON],
  ["lseek", 0, BACKWARD],
  ["read", 30, BACKWARD],
  ["read", 20, ON],
  ["pread", 10, FORWARD],
  ["pread", 10, BACKWARD],
  ["readv", 15, FORWARD],
  ["writev", 15, ON],
  ["preadv", 15, BACKWARD],
  ["pwritev", 15, ON],
  ["lseek", 0, FORWARD],
  ["read", 5, FORWARD],
  ["read", 0, ON],
  ["dup", 0, NONE],
  ["lseek", 0, BACKWARD],
  ["read", 4, BACKWARD],
  ["read", 4, ON],
  ["ftruncate", 0, NONE],
  ["fsync", 0, NONE],
  ["fdatasync", 0, NONE],
  ["fstat", 0, NONE],
  ["close", 0, NONE],
  ["close", 0, NONE],
];
const OTHER: [string, number, number][] = [
  ["open", 0, NONE],
  ["write", 3, ON],
  ["write", 3, ON],
  ["pwrite", 1, ON],
  ["close", 0, NONE],
  ["creat", 0, NONE],
  ["pwrite", 2, FORWARD],
  ["close", 0, NONE],
];
const NO_FILE: IoRow[] = ["stat", "open", "read", "access", "unlink", "unlink"].map((call) => [
  call,
  0,
  NONE,
  "",
  "",
]);

const EXPECTED: Record<string, IoRow[]> = {
  posix: [
    ...POSIX.map(([call, bytes, tag]): IoRow => [call, bytes, tag, "regular", "posix"]),
    ...OTHER.map(([call, bytes, tag]): IoRow => [call, bytes, tag, "regular", "other"]),
    ...NO_FILE,
  ],
  names: [
    ["open", 0, NONE, "regular", "first"],
    ["ftruncate", 0, NONE, "regular", "first"],
    ["mmap", 8192, NONE, "regular", "first"],
    ["msync", 0, NONE, "", ""],
    ["mmap", 0, NONE, "regular", "first"],
    ["close", 0, NONE, "regular", "first"],
    ["rename", 0, NONE, "", ""],
    ["lstat", 0, NONE, "", ""],
    ["mkdir", 0, NONE, "", ""],
    ["opendir", 0, NONE, "directory", "folder"],
    ["readdir", 0, NONE, "directory", "folder"],
    ["readdir", 0, NONE, "directory", "folder"],
    ["readdir", 0, NONE, "directory", "folder"],
    ["closedir", 0, NONE, "directory", "folder"],
    ["rmdir", 0, NONE, "", ""],
    ["truncate", 0, NONE, "", ""],
    ["remove", 0, NONE, "", ""],
  ],
  stdio: [
    ["fopen", 0, NONE, "regular", "stdio"],
    ["fwrite", 10, ON, "regular", "stdio"],
    ["fputs", 6, ON, "regular", "stdio"],
    ["fprintf", 5, ON, "regular", "stdio"],
    ["fflush", 0, NONE, "regular", "stdio"],
    ["rewind", 0, BACKWARD, "regular", "stdio"],
    ["fread", 4, BACKWARD, "regular", "stdio"],
    ["fseek", 0, FORWARD, "regular", "stdio"],
    ["fgets", 10, FORWARD, "regular", "stdio"],
    ["getdelim", 5, ON, "regular", "stdio"], // what the header makes of getline
    ["fseeko", 0, BACKWARD, "regular", "stdio"],
    ["fread", 21, BACKWARD, "regular", "stdio"],
    ["fclose", 0, NONE, "regular", "stdio"],
    ["fopen", 0, NONE, "regular", "stdio"],
    ["fread", 6, ON, "regular", "stdio"],
    ["fclose", 0, NONE, "regular", "stdio"],
    ["fputs", 9, NONE, "", ""], // in memory
    ["fclose", 0, NONE, "", ""],
    ["unlink", 0, NONE, "", ""],
  ],
  copies: [
    ["open", 0, NONE, "regular", "from"],
    ["open", 0, NONE, "regular", "to"],
    ["write", 300, ON, "regular", "from"],
    ["lseek", 0, BACKWARD, "regular", "from"],
    ["sendfile", 100, ON, "regular", "to"],
    ["copy_file_range", 100, BACKWARD, "regular", "to"],
    ["read", 100, BACKWARD, "regular", "from"],
    ["read", 50, BACKWARD, "regular", "to"],
    ["close", 0, NONE, "regular", "from"],
    ["close", 0, NONE, "regular", "to"],
    ["unlink", 0, NONE, "", ""],
    ["unlink", 0, NONE, "", ""],
  ],
  kinds: [
    ["write", 3, NONE, "pipe", "pipe:"],
    ["read", 3, NONE, "pipe", "pipe:"],
    ["write", 4, NONE, "socket", "socket:"],
    ["read", 4, NONE, "socket", "socket:"],
    ["open", 0, NONE, "terminal", expect.stringMatching(/^\d+$/)],
    ["write", 5, NONE, "terminal", expect.stringMatching(/^\d+$/)],
    ["open", 0, NONE, "device", "null"],
    ["write", 6, NONE, "device", "null"],
    ["open", 0, NONE, "directory", expect.stringMatching(/^io-/)],
    ["fstat", 0, NONE, "directory", expect.stringMatching(/^io-/)],
  ],
  children: [
    ["fgets", 13, NONE, "pipe", "pipe:"],
    ["fgets", 10, NONE, "pipe", "pipe:"],
    ["fgets", 4, NONE, "pipe", "pipe:"],
    ["fgets", 0, NONE, "pipe", "pipe:"],
    ["fputs", 2, NONE, "pipe", "pipe:"],
    ["open", 0, NONE, "device", "null"],
    ["write", 2, NONE, "device", "null"],
    ["close", 0, NONE, "device", "null"],
  ],
};

/** Different pipes that are read or written. */
const PIPES: Record<string, number> = { kinds: 1, children: 2 };

describe.each(MPIS)("I/O in C, %s", (mpi) => {
  let program: string;
  beforeAll(() => {
    program = compileInto(folder, mpi, "io.c");
  });

  test.each(Object.keys(EXPECTED))("%s: each call with its bytes, pattern and file", (part) => {
    const { plain, traced, files } = runBoth(mpi, [program, part]);
    expect(plain).toMatchObject({ status: 0, stdout: expect.stringContaining(" ") });
    expect(traced).toEqual(plain);
    expect(files).toHaveLength(2);
    for (const file of files) {
      expect(ioRows(file)).toEqual(EXPECTED[part]);
      expect(file).toMatchObject({ finalized: true, lost: 0, sampledOut: 0, problems: [] });
      const pipes = file.files.filter(({ kind }) => kind === 3);
      expect(new Set(pipes.map(({ inode }) => inode)).size).toBe(PIPES[part] ?? 0);
    }
  });

  test("the same through the forms that _FORTIFY_SOURCE and large files bring", () => {
    const fortified = compileInto(`${folder}/fortified`, mpi, "io.c", [
      "-D_FORTIFY_SOURCE=2",
      "-D_FILE_OFFSET_BITS=64",
    ]);
    for (const part of ["posix", "stdio", "names"]) {
      const { plain, traced, files } = runBoth(mpi, [fortified, part], 1);
      expect(traced).toEqual(plain);
      expect(ioRows(files[0]!)).toEqual(EXPECTED[part]);
    }
  });

  test("a million reads of one byte are a million reads", () => {
    const { plain, traced, files } = runBoth(mpi, [program, "bytewise"], 1);
    expect(plain.stdout).toBe("1000000 1000000\n");
    expect(traced).toEqual(plain);
    const rows = ioRows(files[0]!);
    const reads = rows.filter(([call]) => call === "read");
    expect(reads).toHaveLength(1_000_001);
    expect(reads.reduce((sum, [, bytes]) => sum + bytes, 0)).toBe(1_000_000);
    expect(reads.filter(([, , tag]) => tag !== ON)).toHaveLength(1); // the first, after lseek
    expect(rows).toHaveLength(1_000_001 + 5);
  });

  test("signal handlers that write do no harm", () => {
    const { plain, traced, files } = runBoth(mpi, [program, "signals"], 1);
    expect(plain.stdout).toBe("1\n");
    expect(traced).toEqual(plain);
    const writes = ioRows(files[0]!).filter(([call]) => call === "pwrite");
    expect(writes.length % 1000).toBe(0);
    expect(writes.length).toBeGreaterThan(0);
    expect(new Set(writes.map(String)).size).toBeLessThanOrEqual(2); // goes on, or back to 0
    expect(files[0]).toMatchObject({ finalized: true, lost: 0, problems: [] });
  });

  test("threads have their own files", () => {
    const { plain, traced, files } = runBoth(mpi, [program, "threads"]);
    expect(plain.stdout).toBe("joined\n");
    expect(traced).toEqual(plain);
    for (const file of files) {
      const rows = ioRows(file);
      expect(rows).toHaveLength(4 * 503);
      const writes = file.records.filter(({ call }) => call === "write");
      expect(
        writes.every(({ bytes, tag, thread }) => bytes === 16 && tag === ON && thread > 0),
      ).toBe(true);
      const paths = file.files.map(({ number, path }) => [
        path.replace(/.*\//, ""),
        writes.filter(({ communicator }) => communicator === number).length,
      ]);
      expect(Object.fromEntries(paths)).toMatchObject(
        Object.fromEntries([0, 1, 2, 3].map((i) => [`thread.${file.rank}.${i}`, 500])),
      );
    }
  });

  test("VARSCOPE_IO=off leaves I/O alone", () => {
    const { plain, traced, files } = runBoth(mpi, [program, "posix"], 1, { VARSCOPE_IO: "off" });
    expect(traced).toEqual(plain);
    expect(ioRows(files[0]!)).toEqual([]);
    expect(files[0]!.files).toEqual([]);
  });
});
