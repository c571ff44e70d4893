import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TraceReader } from "../../../src/trace/reader.ts";
import { unifyDefinitions } from "../../../src/trace/unify.ts";
import { type SyntheticTrace, writeTrace } from "../../../src/trace/write-synthetic.ts";
import { scratchFolder } from "./support/scratch.ts";

const EMPTY = { state: [], startNs: [], endNs: [] };

function readers(...traces: Partial<SyntheticTrace>[]): TraceReader[] {
  const folder = scratchFolder();
  return traces.map((trace, rank) => {
    const path = join(folder, `${rank}.vst`);
    writeTrace(path, { rank, worldSize: traces.length, calls: [], columns: EMPTY, ...trace });
    return new TraceReader(path);
  });
}

const unify = (all: TraceReader[]) => {
  const warnings: string[] = [];
  return { ...unifyDefinitions(all, (line) => warnings.push(line)), warnings };
};

test("states differ by call, module, build and offset, and by nothing else", () => {
  const call = { call: "MPI_Send", category: "send", module: "/bin/a", offset: 1 } as const;
  const { states, modules, mappings } = unify(
    readers(
      { calls: [call, { ...call, offset: 2 }, { ...call, module: "/bin/b" }] },
      { calls: [{ ...call, call: "MPI_Bsend" }, call] },
      { calls: [call], buildIds: { "/bin/a": "11" } },
    ),
  );
  expect(modules.map(({ path, buildId }) => `${path} ${buildId}`)).toEqual([
    "/opt/synthetic/program ",
    "/bin/a ",
    "/bin/b ",
    "/bin/a 11",
  ]);
  expect(states.map((state) => `${state.call} ${state.module} ${state.offset}`)).toEqual([
    "MPI_Send 1 1",
    "MPI_Send 1 2",
    "MPI_Send 2 1",
    "MPI_Bsend 1 1",
    "MPI_Send 3 1",
  ]);
  expect(mappings.map((mapping) => Array.from(mapping.states))).toEqual([[0, 1, 2], [3, 0], [4]]);
});

const self = (rank: number) => ({ members: [rank] });

test("communicators are the same with the same members in the same order, made equally often", () => {
  const world = { members: [0, 1, 2] };
  const { communicators, mappings } = unify(
    readers(
      { communicators: [world, self(0), { members: [2, 0] }, { members: [0, 2] }] },
      { communicators: [world, self(1)] },
      { communicators: [world, self(2), { members: [0, 2], ordinal: 1 }, { members: [2, 0] }] },
    ),
  );
  expect(communicators.map(({ members, ordinal }) => [members, ordinal])).toEqual([
    [[0, 1, 2], 0],
    [[0], 0],
    [[2, 0], 0],
    [[0, 2], 0],
    [[1], 0],
    [[2], 0],
    [[0, 2], 1],
  ]);
  expect(mappings.map((mapping) => Array.from(mapping.communicators))).toEqual([
    [0, 1, 2, 3],
    [0, 4],
    [0, 5, 6, 2],
  ]);
});

test("a definition whose block is damaged leaves an unknown state, not a wrong one", () => {
  const path = join(scratchFolder(), "0.vst");
  const calls = ["MPI_Aaaa", "MPI_Bbbb", "MPI_Cccc"].map(
    (call) => ({ call, category: "send" }) as const,
  );
  writeTrace(path, { rank: 0, worldSize: 1, calls, columns: EMPTY });
  const bytes = readFileSync(path);
  bytes[bytes.indexOf("MPI_Bbbb")]! ^= 1;
  writeFileSync(path, bytes);
  const { states, modules, mappings, warnings } = unify([new TraceReader(path)]);
  const words = [...mappings[0]!.states].map((number) => {
    const { call, category, module } = states[number]!;
    return `${call} ${category} ${modules[module]!.path}`;
  });
  expect(words).toEqual([
    "MPI_Aaaa send /opt/synthetic/program",
    "unknown unknown unknown module of 0.vst",
    "MPI_Cccc send /opt/synthetic/program",
  ]);
  expect(warnings).toEqual(["0.vst: 1 definitions of calls are missing, they show as unknown"]);
});
