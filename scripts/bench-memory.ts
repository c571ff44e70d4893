/**
 * What recording takes of a rank's memory, and that it does not grow with the number of calls: one rank makes
 * cheap calls as fast as it can while its memory is read from outside, once traced and once not.
 *
 * Usage: bench-memory.ts [--calls N]     N calls in millions, default 100
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { findInterceptor, packageRoot } from "../src/launch/installation.ts";
import { countTraces } from "../src/launch/trace-count.ts";
import { UserError } from "../src/user-error.ts";

const MILLION = 1_000_000;
const SAMPLE_MS = 50;

/** Resident memory, kB. */
interface Memory {
  /** Pages of the trace file. */
  trace: number;
  /** Pages of no file. */
  anonymous: number;
  all: number;
}

interface Sample extends Memory {
  calls: number;
  /** Bytes of the trace file in use. */
  traceBytes: number;
}

function memoryOf(pid: number): Memory | undefined {
  const memory: Memory = { trace: 0, anonymous: 0, all: 0 };
  let inTrace = false;
  let maps: string;
  try {
    maps = readFileSync(`/proc/${pid}/smaps`, "utf8");
  } catch {
    return undefined;
  }
  for (const line of maps.split("\n")) {
    const [, key, kilobytes] = /^(\w+): +(\d+) kB$/.exec(line) ?? [];
    if (key === undefined) {
      if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) inTrace = line.endsWith(".vst");
    } else if (key === "Rss") {
      memory.all += Number(kilobytes);
      if (inTrace) memory.trace += Number(kilobytes);
    } else if (key === "Anonymous") {
      memory.anonymous += Number(kilobytes);
    }
  }
  return memory.all > 0 ? memory : undefined;
}

/** Runs call-rate and looks at it again and again; the program makes each kind of call `half` times. */
async function watch(half: number, traces: string | undefined): Promise<Sample[]> {
  const samples: Sample[] = [];
  const program = join(packageRoot(), "build/workloads/call-rate-mpich");
  const { library } = findInterceptor();
  if (!library) throw new UserError("the interceptor is not built: npm run build");
  const tracing = { LD_PRELOAD: library, VARSCOPE_TRACE_DIR: traces, VARSCOPE_BUDGET: "full" };
  const child = spawn(program, [String(half)], {
    env: { ...process.env, ...(traces === undefined ? {} : tracing) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  let ending: number | null | undefined;
  child.once("error", () => (ending = 127));
  child.once("exit", (status) => (ending = status));
  for (;;) {
    if (ending !== undefined) break;
    const memory = memoryOf(child.pid ?? 0);
    const count = traces === undefined ? { calls: 0, bytes: 0 } : countTraces(traces);
    if (memory) samples.push({ ...memory, calls: count.calls, traceBytes: count.bytes });
    await sleep(SAMPLE_MS);
  }
  if (ending !== 0) throw new UserError(`${program} failed; build it with: npm run build`);
  return samples;
}

function row(...cells: (string | number)[]): string {
  return cells.map((cell) => String(cell).padStart(14)).join("");
}

function megabytes(kilobytes: number): string {
  return (kilobytes / 1024).toFixed(2);
}

function describe(name: string, { all, anonymous, trace, traceBytes }: Sample): string {
  const memory = [all, anonymous, trace].map(megabytes);
  return row(name, ...memory, megabytes(traceBytes / 1024));
}

function largest(samples: readonly Sample[]): Sample {
  const empty: Sample = { all: 0, anonymous: 0, trace: 0, calls: 0, traceBytes: 0 };
  return samples.reduce((most, sample) => (sample.all > most.all ? sample : most), empty);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { calls: { type: "string", default: "100" } } });
  const millions = Number(values.calls);
  if (!(millions >= 1)) throw new UserError("--calls takes a number of millions, 1 or more", 2);
  const traces = mkdtempSync(join(tmpdir(), "varscope-memory-"));
  try {
    // A few calls more, so that there is a sample after the last of them that counts.
    const samples = await watch(Math.ceil((millions * MILLION * 1.02) / 2), traces);
    const without = await watch(2 * MILLION, undefined);
    console.log("memory of one rank, MiB");
    console.log(row("calls", "resident", "anonymous", "of the trace", "trace file"));
    for (let at = 1; at <= millions; at *= 10) {
      const sample = samples.find(({ calls }) => calls >= at * MILLION);
      if (sample) console.log(describe(`${at} million`, sample));
    }
    console.log(describe("most ever", largest(samples)));
    console.log(describe("untraced", largest(without)));
  } finally {
    rmSync(traces, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(`bench: ${error.message}`);
  process.exitCode = error.exitCode;
}
