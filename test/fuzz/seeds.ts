import { counterFile } from "../unit/trace/support/counter-file.ts";
import { block, pack } from "../unit/trace/support/golden.ts";
import { type HandMadeProbe, probeFile, probesBlock } from "../unit/trace/support/probe-file.ts";

type Word = [type: "u32" | "u64", value: number];

function words(...numbers: number[]): Word[] {
  return numbers.map((number) => ["u32", number]);
}

function wide(...numbers: number[]): Word[] {
  return numbers.map((number) => ["u64", number]);
}

/** Compute, cache and memory. */
function round(tick: number, core?: number): HandMadeProbe[] {
  return [
    [tick, 1335, 13_400, 10 * tick, 70_000, 1, core],
    [tick + 1400, 1656, 16_600, 10 * tick + 14_000, 70_000, 2, core],
    [tick + 3100, 1800, 18_100, 10 * tick + 31_000, undefined, 3, core],
  ];
}

/** Two rounds of probes; the second one of another thread, on a core that is not told. */
function probes(): Buffer[] {
  return [probesBlock(round(3000, 5)), probesBlock(round(9000), { thread: 1 })];
}

/** THREAD: number 1, made by 0, comes or ends. */
function thread(ended: number, tick: number, name: string): Buffer {
  const numbers = words(1, 4711, 0, 2, 0, ended);
  return block(12, pack(...numbers, ...wide(0x40, tick), ["text", name]));
}

/** FILE, COUNTS of thread 0, PATH and PROBLEM. */
function others(): Buffer[] {
  return [
    block(11, pack(...words(0, 1), ...wide(2049, 77, 0xef53), ["text", "/a"])),
    block(
      13,
      pack(
        ...words(2, 0),
        ...wide(7600),
        ...words(0, 1),
        ...wide(5, 5, 90),
        ...words(0, 0),
        ...wide(0, 0, 0),
      ),
    ),
    block(10, pack(...words(0, 2), ...wide(0x10), ...words(0, 0), ...wide(0x90), ...words(0, 0))),
    block(8, pack(["text", "the disk is full"])),
  ];
}

/** Small traces made byte by byte from trace_format.h, for the blocks that no synthetic trace has. By name. */
export function handMadeSeeds(): Record<string, Buffer> {
  return {
    counters: counterFile(),
    probes: probeFile(probes()),
    others: probeFile([thread(0, 3000, ""), thread(1, 9000, "worker"), ...others(), ...probes()]),
  };
}
