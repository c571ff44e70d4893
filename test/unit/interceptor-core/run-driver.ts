import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../../..");
const core = join(root, "interceptor/core");
const header = join(root, "interceptor/include");

/** How the driver is compiled; the sanitizers stop it with a status of their own. */
export const variants = {
  plain: ["-O2"],
  addresses: ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
  threads: ["-O1", "-fsanitize=thread"],
} as const;

export type Variant = keyof typeof variants;

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(folder)
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name));
}

function isCurrent(output: string, inputs: string[]): boolean {
  if (!existsSync(output)) return false;
  const built = statSync(output).mtimeMs;
  return inputs.every((input) => statSync(input).mtimeMs < built);
}

function compile(sources: string[], name: string, flags: readonly string[]): string {
  const output = join(root, "build/test/interceptor-core", name);
  const inputs = [here, core, header].flatMap((folder) => filesIn(folder, /\.[ch]$/));
  if (isCurrent(output, inputs)) return output;
  mkdirSync(dirname(output), { recursive: true });
  const unfinished = `${output}.${process.pid}`;
  const base = ["-std=c11", "-g", "-Wall", "-Wextra", "-Werror", `-I${core}`, `-I${header}`];
  execFileSync("gcc", [
    ...base,
    ...flags,
    ...sources,
    "-lpthread",
    "-ldl",
    "-lm",
    "-o",
    unfinished,
  ]);
  renameSync(unfinished, output);
  return output;
}

/** Compiles recorder and driver, unless that was done since the last change. */
export function buildDriver(variant: Variant): string {
  const sources = [here, core].flatMap((folder) => filesIn(folder, /\.c$/));
  const own = sources.filter((path) => !/^(crc|works)-driver\.c$/.test(basename(path)));
  return compile(own, `driver-${variant}`, variants[variant]);
}

export function buildCrcDriver(): string {
  return compile([join(here, "crc-driver.c")], "crc-driver", variants.addresses);
}

/** The works of the probes, with what is private to their file. */
export function buildWorksDriver(): string {
  return compile([join(here, "works-driver.c")], "works-driver", variants.addresses);
}

/** A folder that is gone after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "varscope-core-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface DriverRun {
  status: number | null;
  stdout: string;
  stderr: string;
  /** The trace folder. */
  directory: string;
  /** Path of the first trace file. */
  trace: string;
  /** The driver's output file. */
  out: string;
}

/** Runs a scenario in a new folder inside `folder`. Sanitizer reports fail the run with status 66. */
export function runDriver(
  driver: string,
  folder: string,
  scenario: string,
  argument: number,
  environment: Record<string, string> = {},
): DriverRun {
  const own = mkdtempSync(join(folder, `${scenario}-`));
  mkdirSync(join(own, "trace"));
  return runDriverIn(
    driver,
    join(own, "trace"),
    join(own, "out"),
    [scenario, argument],
    environment,
  );
}

/** Runs a scenario with the given trace folder and output file. All is recorded, unless `environment` says otherwise. */
export function runDriverIn(
  driver: string,
  directory: string,
  out: string,
  [scenario, argument]: [string, number],
  environment: Record<string, string> = {},
): DriverRun {
  const { status, stdout, stderr } = spawnSync(driver, [scenario, out, String(argument)], {
    encoding: "utf8",
    env: {
      ...process.env,
      VARSCOPE_TRACE_DIR: directory,
      VARSCOPE_BUDGET: process.env["VARSCOPE_BUDGET"] ?? "full",
      ASAN_OPTIONS: "exitcode=66:detect_leaks=0",
      UBSAN_OPTIONS: "exitcode=66:halt_on_error=1",
      TSAN_OPTIONS: "exitcode=66:halt_on_error=1:die_after_fork=0",
      ...environment,
    },
  });
  return { status, stdout, stderr, directory, trace: join(directory, "3.vst"), out };
}
