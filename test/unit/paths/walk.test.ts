import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callsOf, type Trace } from "../interceptor-core/decode.ts";
import { buildDriver, buildPlugin, functionAt, pathOf, runDriver, type Variant } from "./build.ts";

const folder = mkdtempSync(join(tmpdir(), "varscope-paths-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Paths of the calls of a thread in order; undefined for calls known by their site alone. */
function pathsOf(trace: Trace, thread = 0): (string[] | undefined)[] {
  return callsOf(trace, thread).map(({ state }) => {
    const { path = -1 } = trace.states[state] ?? {};
    return path < 0 ? undefined : pathOf(trace, path);
  });
}

const variants: Variant[] = ["plain", "optimized", "sanitized"];

describe.each(variants)("%s", (variant) => {
  const driver = buildDriver(variant);

  test.each(["shapes", "threads"])("the path of each call is what backtrace() says: %s", (name) => {
    const { trace, told } = runDriver(driver, folder, 64, [name]);
    const paths = pathsOf(trace);
    expect(told.length).toBeGreaterThan(5);
    expect(paths.map((path) => path?.slice(1))).toEqual(told.map(({ frames }) => frames));
    for (const path of paths) {
      const offset = Number.parseInt(path?.[0]?.split("+")[1] ?? "", 16);
      expect(functionAt(driver, offset)).toBe("probe");
    }
    expect(trace.problems).toEqual([]);
  });

  test.each([1, 2, 5])("it has no more frames than asked for: %d", (frames) => {
    const { trace, told } = runDriver(driver, folder, frames, ["shapes"]);
    const paths = pathsOf(trace).map((path) => path?.slice(1));
    expect(paths).toEqual(told.map((probe) => probe.frames.slice(0, frames - 1)));
    // One state per way that can be told apart by so many frames.
    const ways = new Set(paths.map((path) => path?.join()));
    expect(new Set(callsOf(trace, 0).map(({ state }) => state)).size).toBe(ways.size);
    expect(trace.paths.length).toBe(ways.size);
  });

  test("without the option there is one state per site", () => {
    const { trace } = runDriver(driver, folder, 0, ["shapes"]);
    expect(trace.paths).toEqual([]);
    expect(trace.states).toHaveLength(1);
    expect(trace.states[0]?.path).toBe(-1);
  });

  test("in a signal handler the path ends where the kernel called it", () => {
    const { trace, told } = runDriver(driver, folder, 64, ["signals"]);
    const paths = pathsOf(trace);
    expect(paths).toHaveLength(3);
    for (const [i, path] of paths.entries()) {
      const frames = told[i]?.frames ?? [];
      expect(path?.slice(1)).toEqual(frames.slice(0, (path?.length ?? 0) - 1));
      expect(path?.at(-1)).toMatch(/libc\.so\.6\+/);
      expect(frames.length).toBeGreaterThanOrEqual(path?.length ?? 0);
    }
    expect(new Set(paths.map((path) => path?.join())).size).toBe(1);
  });

  // The address sanitizer does not know them.
  test.skipIf(variant === "sanitized")("coroutines have paths on their own stacks", () => {
    const { trace, told } = runDriver(driver, folder, 64, ["coroutine"]);
    expect(pathsOf(trace).map((path) => path?.slice(1))).toEqual(told.map(({ frames }) => frames));
  });

  test("a library at the place of another one is not taken for it", () => {
    const first = buildPlugin("first.so", []);
    const run = runDriver(driver, folder, 64, ["plugin", first]);
    expect(pathsOf(run.trace).map((path) => path?.slice(1))).toEqual(
      run.told.map(({ frames }) => frames),
    );
    expect(run.trace.states).toHaveLength(1); // loaded three times, and still the same
  });
});

describe("broken stacks", () => {
  const driver = buildDriver("optimized");

  test("overwritten frame pointers and return addresses end a path and nothing else", () => {
    const { trace, told } = runDriver(driver, folder, 64, ["broken"]);
    const calls = callsOf(trace, 0);
    expect(calls).toHaveLength(16 + 256 + 2);
    const paths = pathsOf(trace);
    // Code without unwind tables: its caller is not guessed.
    expect(paths.at(-2)?.slice(1)).toEqual(told[0]?.frames.slice(0, 1));
    expect(paths.at(-1)?.slice(1)).toEqual(told[1]?.frames);
  });

  test("jumping out of whatever goes on leaves nothing behind", () => {
    const { trace, told } = runDriver(driver, folder, 64, ["jumps"]);
    const last = callsOf(trace, 0).at(-1);
    const path = pathOf(trace, trace.states[last?.state ?? -1]?.path ?? -1);
    expect(path.slice(1)).toEqual(told.at(-1)?.frames);
  });

  test("more ways than are told apart: the rest is known by the site, and that is said once", () => {
    const { trace } = runDriver(driver, folder, 32, ["many"]);
    expect(trace.paths).toHaveLength(16_384);
    expect(trace.states).toHaveLength(16_385);
    expect(callsOf(trace, 0)).toHaveLength(32_768);
    expect(trace.problems).toEqual([
      "more than 16384 call paths: calls on later ones are known by their site alone",
    ]);
  });
});
