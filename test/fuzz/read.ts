import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { countTraces } from "../../src/launch/trace-count.ts";
import { TraceFileError } from "../../src/trace/reader.ts";
import { packageRoot } from "../../src/launch/installation.ts";
import { checkTrace } from "./check-trace.ts";
import { FINDINGS } from "./kill.ts";

const ROOT = packageRoot();
const FUZZER = join(ROOT, "build/native/fuzz-reader");

/** Memory that a sane reader never needs for inputs of this size, in MB. */
const MOST_MEMORY = 2048;

export function buildFuzzer(): void {
  const words = ["--silent", "-C", join(ROOT, "src/trace/native"), "fuzz"];
  execFileSync("make", words, { stdio: ["ignore", "ignore", "inherit"] });
}

/**
 * Lets the native reader, under sanitizers, read changed files for `seconds`; see fuzz_guided.h.
 * @param tell takes lines on progress
 * @returns findings: what happened, and where the input is kept
 */
export async function fuzzReader(
  seed: number,
  seconds: number,
  corpus: string,
  tell: (line: string) => void,
): Promise<string[]> {
  const current = join(corpus, "..", `current-${seed}.vst`);
  const words = ["guided", String(seed), String(seconds), corpus, current];
  const sanitizers = `hard_rss_limit_mb=${MOST_MEMORY}:detect_leaks=1`;
  const child = spawn(FUZZER, words, {
    env: { ...process.env, ASAN_OPTIONS: sanitizers, UBSAN_OPTIONS: "print_stacktrace=1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors: Buffer[] = [];
  child.stdout.on("data", (data: Buffer) => {
    for (const line of data.toString().trimEnd().split("\n")) tell(line);
  });
  child.stderr.on("data", (data: Buffer) => errors.push(data));
  const ending = await new Promise<string>((settle) => {
    child.once("close", (status, signal) => {
      settle(status === 0 ? "" : (signal ?? `status ${status}`));
    });
  });
  if (ending === "") return [];
  mkdirSync(FINDINGS, { recursive: true });
  const kept = join(FINDINGS, `input-${seed}.vst`);
  copyFileSync(current, kept);
  const hang = ending === "SIGALRM" ? " (an input that takes too long)" : "";
  const details = Buffer.concat(errors).toString().trimEnd();
  return [`the reader ended with ${ending}${hang}; again: ${FUZZER} read ${kept}\n${details}`];
}

/** What the sanitizers do not see: the addon, and the count after a run. Files may be refused, with a reason. */
export function readAll(corpus: string): { files: number; refused: number; findings: string[] } {
  const result = { files: 0, refused: 0, findings: [] as string[] };
  for (const name of readdirSync(corpus).toSorted()) {
    result.files += 1;
    try {
      checkTrace(join(corpus, name));
    } catch (error) {
      if (error instanceof TraceFileError && !error.message.includes("\n")) result.refused += 1;
      else result.findings.push(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  try {
    countTraces(corpus);
  } catch (error) {
    result.findings.push(`the count of a run's calls: ${String(error)}`);
  }
  return result;
}
