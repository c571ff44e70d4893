import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildInterceptor, GENERATED, temporary } from "../mpi/support/jobs.ts";
import { readTraceFile } from "../mpi/support/trace-file.ts";
import { source } from "./support/threads.ts";

const folder = temporary("threads-sanitized-");
const interceptor = fileURLToPath(new URL("../../../interceptor/", import.meta.url));
const alone = fileURLToPath(new URL("alone/", import.meta.url));
beforeAll(buildInterceptor, 600_000);
afterAll(() => rmSync(folder, { recursive: true }));

/*
 * Recorder and wrappers are linked into each program. Preloaded, ThreadSanitizer does not get along with them: what
 * stands before its runtime is called while that starts, and what stands behind it starts threads that it does not
 * know yet.
 */

const sources = (part: string): string[] =>
  readdirSync(join(interceptor, part))
    .filter((name) => name.endsWith(".c"))
    .map((name) => join(interceptor, part, name));

/** `contend` calls after MPI_Finalize, which only our MPI allows; the others are programs of the tests with real ones. */
function pathOf(name: string): string {
  return name === "contend" ? join(alone, "contend.c") : source(`${name}.c`);
}

/** Object files of all but the program. */
function compileCore(sanitizer: string, objects: string): string[] {
  mkdirSync(objects);
  const include = ["include", "core", "threads", "io"].map(
    (part) => `-I${join(interceptor, part)}`,
  );
  const files = [join(alone, "entry.c"), join(GENERATED, "calls.c")].concat(
    sources("core"),
    sources("threads"),
    join(interceptor, "io/origin.c"),
  );
  const flags = ["-std=gnu11", "-O1", "-g", "-w", "-c", '-DVARSCOPE_VERSION="0"'].concat(
    [`-fsanitize=${sanitizer}`, "-fno-sanitize-recover=all", "-foptimize-sibling-calls"],
    [...include, `-I${GENERATED}`, `-I${alone}`],
  );
  execFileSync("cc", [...flags, ...files], { cwd: objects, stdio: "pipe" });
  return readdirSync(objects).map((name) => join(objects, name));
}

/** C11 threads, and locks with a clock of their own, are not known to GCC's ThreadSanitizer (up to 12): no `waits`. */
describe.each([
  ["address,undefined", ["contend", "many", "results", "ends", "waits"]],
  ["thread", ["contend", "many"]],
])("wrappers of threads built with -fsanitize=%s", (sanitizer, programs) => {
  let objects: string[];
  beforeAll(() => {
    objects = compileCore(sanitizer, join(folder, sanitizer));
  }, 600_000);

  test.each(programs)("%s", { timeout: 300_000 }, (name) => {
    const executable = join(folder, `${sanitizer}-${name}`);
    const words = [
      "-O1",
      "-g",
      "-w",
      "-pthread",
      `-fsanitize=${sanitizer}`,
      `-I${alone}`,
      `-I${source(".")}`,
    ];
    execFileSync(
      "cc",
      [...words, pathOf(name), ...objects, "-ldl", "-rdynamic", "-o", executable],
      { stdio: "pipe" },
    );
    const traces = `${executable}-traces`;
    mkdirSync(traces);
    const result = spawnSync(executable, [], {
      encoding: "utf8",
      timeout: 240_000,
      env: {
        ...process.env,
        ASAN_OPTIONS: "detect_leaks=0",
        VARSCOPE_TRACE_DIR: traces,
        VARSCOPE_BUDGET: "full",
        VARSCOPE_LOCK_WAIT: "0",
      },
    });
    expect(result).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringContaining(`${name}: done\n`),
    });
    const made = name === "waits" ? "thrd_create" : "pthread_create";
    const file = readTraceFile(join(traces, "0.vst"));
    expect(file.problems).toEqual([]);
    // The wrappers were there: what makes threads is in the trace.
    expect(file.records.map(({ call }) => call)).toContain(made);
  });
});
