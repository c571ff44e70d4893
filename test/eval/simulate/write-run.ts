import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type SyntheticCall, writeTrace } from "../../../src/trace/write-synthetic.ts";
import { type CallSite, hostOf } from "./program.ts";
import type { Simulation } from "./simulate.ts";

/** Distance between sites of calls, bytes. */
const SITE = 64;

/** Writes a run directory as the interceptor would have left it: `folder`/trace/RANK.vst. */
export function writeRun(folder: string, { program, ranks }: Simulation): void {
  const traces = join(folder, "trace");
  mkdirSync(traces, { recursive: true });
  const frames = [
    { call: "MPI_Init", category: "lifetime" as const },
    { call: "MPI_Finalize", category: "lifetime" as const },
  ];
  const calls = [...program.calls, ...frames].map((site: CallSite, i) => callOf(site, i));
  const alone = new Set(
    program.stages.filter((stage) => stage.waitsFor === "nobody").map((stage) => stage.call),
  );
  for (const [rank, { state, startNs, endNs, bytes, peer }] of ranks.entries()) {
    writeTrace(join(traces, `${rank}.vst`), {
      rank,
      worldSize: program.ranks,
      host: `node${hostOf(program, rank)}`,
      calls,
      columns: {
        state,
        startNs,
        endNs,
        bytes,
        peer,
        communicator: state.map((s) => (s >= program.calls.length || alone.has(s) ? -1 : 0)),
      },
    });
  }
}

function callOf({ call, category, path }: CallSite, i: number): SyntheticCall {
  const one: SyntheticCall = { call, category, offset: path?.[0] ?? 0x1000 + SITE * i };
  if (path) one.path = path.map((offset) => ({ offset }));
  return one;
}
