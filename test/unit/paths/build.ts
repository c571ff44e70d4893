import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { decodeTrace, type Trace } from "../interceptor-core/decode.ts";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../../..");
const core = join(root, "interceptor/core");
const header = join(root, "interceptor/include");

/** How the driver is compiled: frames that are easy to walk, frames that are not, and watched ones. */
export const VARIANTS = {
  plain: ["-O0", "-fno-omit-frame-pointer"],
  optimized: ["-O2", "-fomit-frame-pointer"],
  sanitized: ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
} as const;

export type Variant = keyof typeof VARIANTS;

function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(folder)
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name));
}

/** Compiles sources into build/test/paths unless that was done since their last change. */
function compile(name: string, sources: string[], flags: readonly string[]): string {
  const output = join(root, "build/test/paths", name);
  const inputs = [...sources, ...filesIn(core, /\.h$/), ...filesIn(header, /\.h$/)];
  if (modified(output) > Math.max(...inputs.map(modified))) return output;
  mkdirSync(dirname(output), { recursive: true });
  const unfinished = `${output}.${process.pid}`;
  const base = ["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", `-I${core}`, `-I${header}`];
  execFileSync("gcc", [...base, ...flags, ...sources, "-lpthread", "-ldl", "-o", unfinished]);
  renameSync(unfinished, output);
  return output;
}

export function buildDriver(variant: Variant): string {
  const sources = [join(here, "driver.c"), ...filesIn(core, /\.c$/)];
  return compile(`driver-${variant}`, sources, VARIANTS[variant]);
}

export function buildPlugin(name: string, flags: string[]): string {
  return compile(name, [join(here, "plugin.c")], ["-O2", "-shared", "-fPIC", ...flags]);
}

/** The program that counts through a CFI program, see cfi-check.c. */
export function buildCheck(name: string): string {
  const sources = [join(here, `${name}.c`), join(core, "cfi.c"), join(core, "cfi_program.c")];
  return compile(name, sources, VARIANTS.sanitized);
}

/** A call as both sides saw it: its label, and the frames above that of the call's own function. */
export interface Probe {
  label: string;
  frames: string[];
}

export interface DriverRun {
  trace: Trace;
  stdout: string;
  /** What backtrace() said. */
  told: Probe[];
}

/** Runs a scenario with paths of `frames` frames in a new folder inside `folder`; throws if it fails. */
export function runDriver(
  driver: string,
  folder: string,
  frames: number,
  words: string[],
): DriverRun {
  const directory = mkdtempSync(join(folder, "trace-"));
  const { status, stdout, stderr, signal } = spawnSync(driver, words, {
    encoding: "utf8",
    timeout: 120_000,
    env: {
      ...process.env,
      VARSCOPE_BUDGET: "full",
      VARSCOPE_TRACE_DIR: directory,
      VARSCOPE_CALL_PATHS: String(frames),
      ASAN_OPTIONS: "exitcode=66:detect_leaks=0:detect_stack_use_after_return=0",
      UBSAN_OPTIONS: "exitcode=66:halt_on_error=1",
    },
  });
  if (status !== 0 || stderr !== "")
    throw new Error(`${words.join(" ")}: ${signal ?? status} ${stderr}`);
  const told = stdout
    .split("\n")
    .filter((line) => line.includes("+"))
    .map((line) => line.split(" "))
    .map(([label = "", ...rest]) => ({ label, frames: rest }));
  return { trace: decodeTrace(join(directory, "0.vst")), stdout, told };
}

/** Frames of a path of the trace as the driver prints them, the call's own first. */
export function pathOf(trace: Trace, number: number): string[] {
  const program = trace.process.find(([key]) => key === "program")?.[1];
  return (trace.paths[number] ?? []).map(({ module, offset }) => {
    const { path = "" } = trace.modules[module] ?? {};
    return `${path === program ? "program" : path}+${offset.toString(16)}`;
  });
}

/** Whether an address lies in a function of a program, by its symbol table. */
export function functionAt(program: string, offset: number): string {
  const lines = execFileSync("nm", ["--defined-only", "-S", program], { encoding: "utf8" });
  for (const line of lines.split("\n")) {
    const [start, size, , name] = line.split(" ");
    const first = Number.parseInt(start ?? "", 16);
    if (name && offset > first && offset <= first + Number.parseInt(size ?? "", 16)) return name;
  }
  return "";
}

export function readText(path: string): string {
  return readFileSync(path, "utf8");
}
