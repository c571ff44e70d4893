import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readPlaces } from "../../../src/report/assemble/sources.ts";
import { parseFrames, type SymbolFrame } from "../../../src/symbols/addr2line.ts";
import { cacheFolder, readCache, writeCache } from "../../../src/symbols/cache.ts";
import { demangleFortran } from "../../../src/symbols/demangle.ts";
import { readElfFile } from "../../../src/symbols/elf-file.ts";
import { fillSymbols } from "../../../src/symbols/fill.ts";
import { resolvePlaces } from "../../../src/symbols/resolve.ts";
import { storeWith } from "../report/hand-made.ts";

const C_PLUS_PLUS = `#include <cstdlib>
namespace halo {
struct Grid {
  template <typename T> static __attribute__((noinline)) int twice(T n);
};
template <typename T> int Grid::twice(T n) {
  return abs((int)n) + 1;
}
inline __attribute__((always_inline)) int around(int n) {
  return 3 + Grid::twice(n);
}
} // namespace halo
int main(int argc, char **) {
  return halo::around(argc) + 1;
}
`;
const FORTRAN = `module heat
contains
  subroutine step(n)
    integer, intent(inout) :: n
    call outer(n)
    n = n + 1
  end subroutine
end module
subroutine outer(n)
  integer, intent(inout) :: n
  call random_seed()
  n = n + 1
end subroutine
program flow
  use heat
  integer :: n = 1
  call step(n)
  print *, n
end program
`;

let folder: string;
const path = (name: string): string => join(folder, name);

function build(
  name: string,
  compiler: string,
  source: string,
  text: string,
  flags: string[],
): void {
  writeFileSync(path(source), text);
  execFileSync(compiler, ["-g", "-O1", "-Wl,--build-id", "-o", path(name), path(source), ...flags]);
}

/** Return addresses of the calls to a function, by the disassembly. */
function returnsFrom(program: string, callee: RegExp): number[] {
  const text = execFileSync("objdump", ["-d", "--no-show-raw-insn", path(program)], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const lines = text.split("\n").filter((line) => /^ +[0-9a-f]+:/.test(line));
  return lines.flatMap((line, at) =>
    /call/.test(line) && callee.test(line)
      ? [Number.parseInt(/^ +([0-9a-f]+):/.exec(lines[at + 1] ?? "")?.[1] ?? "", 16)]
      : [],
  );
}

function buildIdOf(program: string): string {
  const notes = execFileSync("readelf", ["-n", path(program)], { encoding: "utf8" });
  return /Build ID: ([0-9a-f]+)/.exec(notes)?.[1] ?? "";
}

function moduleOf(program: string): { path: string; buildId: string } {
  return { path: path(program), buildId: buildIdOf(program) };
}

function words(frames: SymbolFrame[][]): string[][] {
  return frames.map((list) =>
    list.map(({ function: name, file, line }) => `${name} ${file?.split("/").at(-1)}:${line}`),
  );
}

beforeAll(() => {
  folder = mkdtempSync(`${tmpdir()}/varscope-symbols-`);
  build("cxx", "g++", "halo.cpp", C_PLUS_PLUS, []);
  build("fortran", "gfortran", "heat.f90", FORTRAN, ["-O0", "-J", folder]);
  copyFileSync(path("cxx"), path("stripped-lines"));
  execFileSync("strip", ["--strip-debug", path("stripped-lines")]);
  copyFileSync(path("cxx"), path("stripped"));
  execFileSync("strip", [path("stripped")]);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("names of places", () => {
  it("has inlined functions, and C++ names as in the source", async () => {
    const [inside] = returnsFrom("cxx", /<_ZN4halo4Grid5twiceIiEEiT_>/);
    const { frames, changed } = await resolvePlaces(moduleOf("cxx"), [inside!, 1]);
    expect(words(frames)).toEqual([["halo::around(int) halo.cpp:10", "main halo.cpp:14"], []]);
    expect(changed).toBe(false);
  });

  it("has Fortran names as in the source", async () => {
    const places = [/<outer_>/, /<__heat_MOD_step>/].map(
      (name) => returnsFrom("fortran", name)[0]!,
    );
    const { frames } = await resolvePlaces(moduleOf("fortran"), places);
    const [step, program] = words(frames);
    expect(step).toEqual(["heat::step heat.f90:5"]);
    expect(program?.[0]).toMatch(/^(main program|flow) heat\.f90:17$/);
  });

  it("falls back to function and distance without lines, and to nothing without names", async () => {
    const [place] = returnsFrom("cxx", /<_ZN4halo4Grid5twiceIiEEiT_>/);
    const main = /^([0-9a-f]+) T main$/m.exec(
      execFileSync("nm", [path("cxx")], { encoding: "utf8" }),
    );
    const distance = place! - Number.parseInt(main?.[1] ?? "", 16);
    const some = await resolvePlaces(moduleOf("stripped-lines"), [place!]);
    expect(some.frames).toEqual([
      [{ function: `main+0x${distance.toString(16)}`, file: null, line: null }],
    ]);
    expect((await resolvePlaces(moduleOf("stripped"), [place!])).frames).toEqual([[]]);
  });

  it("finds debug information that was taken out, by build id", async () => {
    const [place] = returnsFrom("cxx", /<_ZN4halo4Grid5twiceIiEEiT_>/);
    const id = buildIdOf("stripped");
    mkdirSync(join(folder, "debug/.build-id", id.slice(0, 2)), { recursive: true });
    const debug = join(folder, "debug/.build-id", id.slice(0, 2), `${id.slice(2)}.debug`);
    execFileSync("objcopy", ["--only-keep-debug", path("cxx"), debug]);
    const debugFolders = [join(folder, "debug")];
    const { frames } = await resolvePlaces(moduleOf("stripped"), [place!], { debugFolders });
    expect(words(frames)[0]).toEqual(["halo::around(int) halo.cpp:10", "main halo.cpp:14"]);
  });

  it("does not trust another file under the same path, and says so", async () => {
    const other = { path: path("cxx"), buildId: "00".repeat(20) };
    expect(await resolvePlaces(other, [4096])).toEqual({ frames: [[]], changed: true });
    const none = { path: path("cxx"), buildId: "" };
    expect(await resolvePlaces(none, [4096])).toEqual({ frames: [[]], changed: false });
    const gone = { path: "/gone", buildId: buildIdOf("cxx") };
    expect(await resolvePlaces(gone, [4096])).toEqual({ frames: [[]], changed: false });
  });
});

describe("without programs to ask", () => {
  const before = process.env["PATH"];
  afterEach(() => (process.env["PATH"] = before));

  it("symbol tables still tell, and nothing is kept", async () => {
    const [place] = returnsFrom("cxx", /<_ZN4halo4Grid5twiceIiEEiT_>/);
    const module = moduleOf("cxx");
    const cache = join(folder, "cache-without");
    process.env["PATH"] = "/nowhere";
    const { frames } = await resolvePlaces(module, [place!], { cache });
    expect(frames[0]?.[0]?.function).toMatch(/^main\+0x[0-9a-f]+$/);
    expect(readCache(cache, module.buildId)).toBeUndefined();
  });
});

describe("the cache", () => {
  it("answers for a program that is gone", async () => {
    const cache = join(folder, "cache");
    const [place] = returnsFrom("cxx", /<_ZN4halo4Grid5twiceIiEEiT_>/);
    copyFileSync(path("cxx"), path("passing"));
    const module = moduleOf("passing");
    const { frames } = await resolvePlaces(module, [place!], { cache });
    rmSync(path("passing"));
    expect(frames[0]).toHaveLength(2);
    expect(await resolvePlaces(module, [place!], { cache })).toEqual({ frames, changed: false });
    expect(readdirSync(join(cache, module.buildId.slice(0, 2)))).toEqual([
      `${module.buildId.slice(2)}.json`,
    ]);
  });

  it("is not used for a file that has other symbols now", async () => {
    const cache = join(folder, "cache-changed");
    const [place] = returnsFrom("cxx", /<_ZN4halo4Grid5twiceIiEEiT_>/);
    copyFileSync(path("stripped"), path("later"));
    const module = moduleOf("later");
    expect((await resolvePlaces(module, [place!], { cache })).frames).toEqual([[]]);
    copyFileSync(path("cxx"), path("later"));
    expect((await resolvePlaces(module, [place!], { cache })).frames[0]).toHaveLength(2);
  });

  const symbols = {
    source: "x",
    places: new Map([[16, [{ function: "f", file: null, line: null }]]]),
  };

  it.each([
    ["cut short", (text: string) => text.slice(0, -5)],
    ["of another version", (text: string) => text.replace('"version":1', '"version":0')],
    ["with an odd line", (text: string) => text.replace('"line":null', '"line":"no"')],
    ["with an odd offset", (text: string) => text.replace('"16"', '"up"')],
    ["empty", () => ""],
  ])("ignores a file that is %s", (_, damage) => {
    const cache = mkdtempSync(path("cache-"));
    writeCache(cache, "0123456789", symbols);
    expect(readCache(cache, "0123456789")).toEqual(symbols);
    const text = JSON.stringify({
      version: 1,
      source: "x",
      places: Object.fromEntries(symbols.places),
    });
    writeFileSync(join(cache, "01/23456789.json"), damage(text));
    expect(readCache(cache, "0123456789")).toBeUndefined();
  });

  it("stays inside its folder, and does without one that cannot be written", () => {
    const cache = mkdtempSync(path("cache-"));
    writeCache(cache, "../../../evil", symbols);
    expect(readdirSync(cache)).toEqual([]);
    writeFileSync(path("no-folder"), "");
    writeCache(path("no-folder"), "0123456789", symbols);
    expect(readCache(path("no-folder"), "0123456789")).toBeUndefined();
    expect(cacheFolder({ XDG_CACHE_HOME: "/c" })).toBe("/c/varscope/symbols");
    expect(cacheFolder({ XDG_CACHE_HOME: "relative", HOME: "/h" })).toBe(
      "/h/.cache/varscope/symbols",
    );
  });
});

describe("parts", () => {
  it("reads inlined frames, missing lines and discriminators", () => {
    const text = [
      "0x0000000000001000",
      "exchange",
      "/src/halo.c:88 (discriminator 3)",
      "main",
      "/src/main.c:12",
      "0x0000000000002000",
      "main",
      "??:?",
      "0x0000000000003000",
      "??",
      "??:0",
      "",
    ].join("\n");
    expect(parseFrames(text, [0x1000, 0x2000, 0x3000, 0x4000])).toEqual([
      [
        { function: "exchange", file: "/src/halo.c", line: 88 },
        { function: "main", file: "/src/main.c", line: 12 },
      ],
      [{ function: "main", file: null, line: null }],
      [],
      [],
    ]);
  });

  it.each([
    ["__heat_MOD_step", null, "heat::step"],
    ["heat_mp_step_", null, "heat::step"],
    ["_QMheatPstep", null, "heat::step"],
    ["outer_", "a.f90", "outer"],
    ["outer_", "a.c", "outer_"],
    ["outer_", null, "outer_"],
    ["MAIN__", "a.F90", "main program"],
    ["main", "a.c", "main"],
  ])("Fortran's %s in %s is %s", (name, file, shown) => {
    expect(demangleFortran(name, file)).toBe(shown);
  });

  it("reads build ids and functions of ELF files as readelf and nm do", () => {
    const elf = readElfFile(path("cxx"));
    expect(elf?.buildId).toBe(buildIdOf("cxx"));
    const listed = execFileSync("nm", ["-S", "--defined-only", path("cxx")], { encoding: "utf8" });
    const functions = listed
      .split("\n")
      .map((line) => line.split(" "))
      .filter(
        ([, size, type]) => /^[TtWw]$/.test(type ?? "") && Number.parseInt(size ?? "", 16) > 0,
      )
      .map(
        ([start, size, , name]) =>
          `${Number.parseInt(start!, 16)} ${Number.parseInt(size!, 16)} ${name}`,
      );
    expect(
      elf?.functions.map(({ start, end, name }) => `${start} ${end - start} ${name}`).toSorted(),
    ).toEqual(functions.toSorted());
    writeFileSync(path("no-elf"), "text");
    expect([path("no-elf"), "/gone", folder].map(readElfFile)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("in the store", () => {
  it("places of states and of their paths get names", async () => {
    const [place] = returnsFrom("cxx", /<_ZN4halo4Grid5twiceIiEEiT_>/);
    const [file, id] = [path("cxx"), buildIdOf("cxx")];
    const store = await storeWith(`
      INSERT INTO modules VALUES (0, '${file}', '${id}'), (1, '${file}', 'abcd'), (2, '/gone', 'abcd');
      INSERT INTO paths VALUES (0, 'h');
      INSERT INTO frames VALUES (0, 0, 2, 16), (0, 1, 0, ${place}), (0, 2, 1, ${place});
      INSERT INTO states VALUES (0, 'MPI_Send', 'send', 0, ${place}, -1),
        (1, 'MPI_Send', 'send', 1, ${place}, -1), (2, 'MPI_Send', 'send', 2, 16, 0);`);
    await fillSymbols(store, {});
    await fillSymbols(store, {}); // nothing is there twice
    const around = "halo::around(int)";
    const unknown = `cxx+0x${place!.toString(16)}`;
    expect(await readPlaces(store, [0, 1, 2])).toEqual(
      new Map([
        [
          0,
          {
            source: `${around} halo.cpp:10`,
            function: around,
            path: [`${around} halo.cpp:10`, "main halo.cpp:14"],
          },
        ],
        [1, { source: undefined, function: undefined, path: [unknown] }],
        [
          2,
          {
            source: undefined,
            function: undefined,
            path: ["gone+0x10", `${around} halo.cpp:10`, "main halo.cpp:14", unknown],
          },
        ],
      ]),
    );
    expect(await store.rows("FROM warnings")).toEqual([
      {
        text: `no names of functions for ${file}: the file is not the one that ran (another build id)`,
      },
    ]);
    store.close();
  });
});
