import { block, file, pack, record, stateBlock } from "./golden.ts";

const NONE = 0xffffffff;
const NOT_TOLD = 0xffff_ffff_ffff_ffffn;

/** The fields of a struct vst_probe in their order. */
export type HandMadeProbe = [
  tick: number,
  ticks: number,
  cpuNs: number,
  totalCpuNs: number,
  delayNs: number | undefined,
  kind: number,
  core: number | undefined,
];

/** A PROBES block of thread `thread`; `count` if it is to lie. */
export function probesBlock(
  probes: readonly HandMadeProbe[],
  { thread = 0, count = probes.length } = {},
): Buffer {
  const structs = probes.map(([tick, ticks, cpuNs, totalCpuNs, delayNs, kind, core]) =>
    pack(
      ["u64", tick],
      ["u64", ticks],
      ["u64", cpuNs],
      ["u64", totalCpuNs],
      ["u64", delayNs ?? NOT_TOLD],
      ["u32", kind],
      ["u32", core ?? NONE],
    ),
  );
  return block(19, Buffer.concat(structs), { thread, count });
}

/** A process with one call and these blocks, made by hand from trace_format.h. A tick is 10 ns, time 0 is tick 2000. */
export function probeFile(blocks: readonly Buffer[]): Buffer {
  const call = { enter: 7500, exit: 7600, bytes: 0, state: 0, communicator: NONE };
  return file([
    block(
      2,
      pack(
        ["u32", 0],
        ["u32", 0],
        ["bytes", Array.from({ length: 32 }, () => 0)],
        ["text", "/app"],
      ),
    ),
    stateBlock(0, 0, 0x10, 11, "MPI_Barrier"),
    block(5, pack(["u64", 1000], ["u64", 5_000_000_000], ["u64", 1_700_000_000_000_000_000n])),
    block(
      7,
      Buffer.concat([
        pack(["u64", 1], ["u64", 1], ["u64", 0], ["u64", 0], ["u32", 1], ["u32", 99]),
        record({ ...call, peer: -1, tag: -1, requests: 0, completed: 0 }),
      ]),
    ),
    ...blocks,
  ]);
}
