import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildInterceptor, GENERATED, temporary } from "../mpi/support/jobs.ts";
import { program } from "./support.ts";

const folder = temporary("io-sanitized-");
const interceptor = fileURLToPath(new URL("../../../interceptor/", import.meta.url));
const alone = fileURLToPath(new URL("alone/", import.meta.url));
beforeAll(buildInterceptor, 600_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** The linker warns of functions in the sanitizers' own libraries. */
const QUIET = { stdio: "pipe" } as const;

const sources = (part: string): string[] =>
  readdirSync(join(interceptor, part))
    .filter((name) => name.endsWith(".c"))
    .map((name) => join(interceptor, part, name));

/** Names that the library's own objects get bound to system calls, as interceptor/Makefile does. */
function wrapped(): string[] {
  const header = readFileSync(join(interceptor, "core/system.h"), "utf8");
  const names = [...header.matchAll(/__wrap_([a-z]+)\(/g)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(10);
  return names.map((name) => `-Wl,--wrap=${name}`);
}

/** Builds recorder and wrappers with a sanitizer; the program itself is built as usual. */
function build(sanitizer: string): { library: string; executable: string } {
  const library = join(folder, `lib${sanitizer.replace(",", "-")}.so`);
  const executable = `${library}.program`;
  const include = ["include", "core", "io"].map((part) => `-I${join(interceptor, part)}`);
  execFileSync(
    "cc",
    ["-std=gnu11", "-O1", "-g", "-fPIC", "-shared", "-pthread", "-fvisibility=hidden"].concat(
      ["-fno-builtin", "-w", '-DVARSCOPE_VERSION="0"', `-fsanitize=${sanitizer}`],
      ["-fno-sanitize-recover=all", ...include, `-I${GENERATED}`, join(alone, "entry.c")],
      sources("io"),
      sources("core"),
      join(GENERATED, "calls.c"),
      wrapped(),
      ["-o", library, "-ldl"],
    ),
    QUIET,
  );
  const words = ["-O1", "-g", "-w", "-pthread", `-I${alone}`, "-o", executable];
  execFileSync("cc", [...words, program("io.c"), library], QUIET);
  return { library, executable };
}

const runtime = (name: string): string =>
  execFileSync("cc", [`-print-file-name=lib${name}.so`], { encoding: "utf8" }).trim();

describe.each([
  ["address,undefined", ["asan", "ubsan"]],
  ["thread", ["tsan"]],
])("wrappers of I/O built with -fsanitize=%s", (sanitizer, runtimes) => {
  let built: ReturnType<typeof build>;
  beforeAll(() => {
    built = build(sanitizer);
  }, 600_000);

  test.each(["posix", "names", "kinds", "stdio", "copies", "signals", "threads"])("%s", (part) => {
    const traces = join(folder, `${sanitizer}-${part}`);
    mkdirSync(traces);
    const result = spawnSync(built.executable, [part], {
      cwd: traces,
      encoding: "utf8",
      timeout: 120_000,
      env: {
        ...process.env,
        LD_PRELOAD: [...runtimes.map(runtime), built.library].join(" "),
        ASAN_OPTIONS: "detect_leaks=0",
        VARSCOPE_TRACE_DIR: traces,
        VARSCOPE_BUDGET: "full",
      },
    });
    expect(result).toMatchObject({ status: 0, stderr: "" });
    expect(result.stdout).toMatch(/\n$/);
    expect(readdirSync(traces)).toEqual(["0.vst"]);
  });
});
