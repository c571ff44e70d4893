import { counterFile } from "../unit/trace/support/counter-file.ts";
import { block, pack } from "../unit/trace/support/golden.ts";
import { type HandMadeProbe, probeFile, probesBlock } from "../unit/trace/support/probe-file.ts";

/** Two rounds of probes; the second one of another thread, on a core that is not told. */
function probes(): Buffer[] {
  const round = (tick: number, core?: number): HandMadeProbe[] => [
    [tick, 1335, 13_400, 10 * tick, 70_000, 1, core],
    [tick + 1400, 1656, 16_600, 10 * tick + 14_000, 70_000, 2, core],
    [tick + 3100, 1800, 18_100, 10 * tick + 31_000, undefined, 3, core],
  ];
  return [probesBlock(round(3000, 5)), probesBlock(round(9000), { thread: 1 })];
}

/** THREAD: number 1 comes, made by 0, and ends. */
function threads(): Buffer[] {
  const life = (ended: number, tick: number, name: string): Buffer =>
    block(
      12,
      pack(
        ...[1, 4711, 0, 2, 0, ended].map((number): ["u32", number] => ["u32", number]),
        ["u64", 0x40],
        ["u64", tick],
        ["text", name],
      ),
    );
  return [life(0, 3000, ""), life(1, 9000, "worker")];
}

/** FILE, COUNTS of thread 0, PATH and PROBLEM. */
function others(): Buffer[] {
  const words = (...numbers: number[]) => numbers.map((number): ["u32", number] => ["u32", number]);
  return [
    block(11, pack(...words(0, 1), ["u64", 2049], ["u64", 77], ["u64", 0xef53], ["text", "/a"])),
    block(
      13,
      pack(
        ...words(2, 0),
        ["u64", 7600],
        ...words(0, 1),
        ...([5, 5, 90] as const).map((number): ["u64", number] => ["u64", number]),
        ...words(0, 0),
        ...([0, 0, 0] as const).map((number): ["u64", number] => ["u64", number]),
      ),
    ),
    block(10, pack(...words(0, 2), ["u64", 0x10], ...words(0, 0), ["u64", 0x90], ...words(0, 0))),
    block(8, pack(["text", "the disk is full"])),
  ];
}

/** Small traces made byte by byte from trace_format.h, for the blocks that no synthetic trace has. By name. */
export function handMadeSeeds(): Record<string, Buffer> {
  return {
    counters: counterFile(),
    probes: probeFile(probes()),
    others: probeFile([...threads(), ...others(), ...probes()]),
  };
}
