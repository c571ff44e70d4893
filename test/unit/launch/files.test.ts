import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readExecutable } from "../../../src/launch/elf.ts";
import { defaultRunName, prepareRunDirectory } from "../../../src/launch/prepare.ts";
import { bytesInWords, describeTraces } from "../../../src/launch/summary.ts";
import { countTraces } from "../../../src/launch/trace-count.ts";
import { runDirectory } from "../../../src/trace/run-directory.ts";
import { writeTrace } from "../../../src/trace/write-synthetic.ts";

const folder = mkdtempSync(join(tmpdir(), "varscope-files-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

test("shared libraries of a program are those that readelf finds", () => {
  for (const program of ["/bin/sh", process.execPath, "/usr/bin/gcc"]) {
    const listing = execFileSync("readelf", ["-d", program], { encoding: "utf8" });
    const needed = [...listing.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name);
    expect(readExecutable(program)).toEqual({ kind: "elf", bits: 64, dynamic: true, needed });
  }
});

test("scripts, other files and damaged programs are told apart", () => {
  const script = file("script", "#! /bin/sh -e\necho\n");
  expect(readExecutable(script)).toEqual({ kind: "script", interpreter: "/bin/sh -e" });
  expect(readExecutable(file("empty", ""))).toEqual({ kind: "other" });
  expect(readExecutable(file("text", "hello"))).toEqual({ kind: "other" });
  const head = Buffer.alloc(64);
  head.write("\x7fELF\x01\x01", "latin1");
  expect(readExecutable(file("old", head))).toMatchObject({ kind: "elf", bits: 32 });
  head[4] = 2;
  expect(readExecutable(file("cut", head))).toMatchObject({ dynamic: false, needed: [] });
});

test("run names hold the program and the local time", () => {
  const time = new Date(2026, 0, 2, 3, 4, 5);
  expect(defaultRunName("lmp", time)).toBe("varscope-lmp-20260102-030405");
  expect(defaultRunName("my prog/ä", time)).toBe("varscope-my_prog_-20260102-030405");
  expect(defaultRunName("..", time)).toBe("varscope-program-20260102-030405");
});

test("a new run never takes the place of an old one", () => {
  const first = prepareRunDirectory(undefined, folder, "varscope-a");
  const second = prepareRunDirectory(undefined, folder, "varscope-a");
  expect(first).toMatchObject({ directory: { path: join(folder, "varscope-a") } });
  expect(second).toMatchObject({ directory: { path: join(folder, "varscope-a-2") } });
  expect(() => prepareRunDirectory("varscope-a", folder, "")).toThrow(/varscope-a is not empty/);
  expect(() => prepareRunDirectory("script", folder, "")).toThrow(/script is a file/);
  mkdirSync(join(folder, "fresh"));
  expect(prepareRunDirectory("fresh", folder, "")).toMatchObject({ directory: {} });
  expect(readdirSync(join(folder, "fresh"))).toEqual(["trace"]);
});

test("counts are those of the calls written", () => {
  const directory = runDirectory(join(folder, "counted"));
  mkdirSync(directory.traceDirectory, { recursive: true });
  expect(describeTraces(directory, folder)).toBeUndefined();
  for (const [rank, calls] of [1000, 37].entries()) {
    const startNs = Float64Array.from({ length: calls }, (_, i) => i * 1000);
    writeTrace(join(directory.traceDirectory, `${rank}.vst`), {
      rank,
      worldSize: 3,
      calls: [{ call: "MPI_Barrier", category: "collective" }],
      columns: { state: new Int32Array(calls), startNs, endNs: startNs.map((start) => start + 10) },
      finalized: rank === 0,
      unsealed: rank === 0 ? 0 : 5,
    });
  }
  writeFileSync(join(directory.traceDirectory, "2.vst"), "not a trace");
  writeFileSync(join(directory.traceDirectory, "notes.txt"), "");
  const count = countTraces(directory.traceDirectory);
  const all = { calls: 1037, intercepted: 1037 };
  expect(count).toMatchObject({ ranks: 2, worldSize: 3, ...all, unfinished: 1 });
  expect(describeTraces(directory, folder)).toMatch(
    /^recorded 2 of 3 ranks, 1,037 calls \([\d.]+ kB\), 1 rank unfinished in counted; see: varscope report$/,
  );
  expect(describeTraces(directory, "/usr")).toContain(
    ` in ${directory.path}; see: varscope report ${directory.path}`,
  );
});

test("calls that were left out are told", () => {
  const directory = runDirectory(join(folder, "thinned"));
  mkdirSync(directory.traceDirectory, { recursive: true });
  writeTrace(join(directory.traceDirectory, "0.vst"), {
    rank: 0,
    worldSize: 1,
    calls: [{ call: "MPI_Barrier", category: "collective" }],
    columns: {
      state: new Int32Array(3),
      startNs: Float64Array.of(0, 1, 2),
      endNs: Float64Array.of(0, 1, 2),
    },
    sampledOut: 4997,
  });
  expect(describeTraces(directory, folder)).toMatch(/^recorded 1 rank, 3 of 5,000 calls \(/);
});

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1000, "1.0 kB"],
  [1_234_567, "1.2 MB"],
  [250e9, "250 GB"],
])("%d is written as %s", (bytes, words) => {
  expect(bytesInWords(bytes)).toBe(words);
});
