import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ingest } from "../../../src/trace/ingest.ts";
import { TraceReader } from "../../../src/trace/reader.ts";
import { runDirectory } from "../../../src/trace/run-directory.ts";
import { Store } from "../../../src/trace/store.ts";
import { unifyDefinitions } from "../../../src/trace/unify.ts";
import { type SyntheticTrace, writeTrace } from "../../../src/trace/write-synthetic.ts";
import { block, file, pack } from "./support/golden.ts";
import { scratchFolder } from "./support/scratch.ts";

const EMPTY = { state: [], startNs: [], endNs: [] };

function reader(folder: string, rank: number, trace: Partial<SyntheticTrace>): TraceReader {
  const path = join(folder, `${rank}.vst`);
  writeTrace(path, { rank, worldSize: 2, calls: [], columns: EMPTY, ...trace });
  return new TraceReader(path);
}

function readBytes(...blocks: Buffer[]): TraceReader {
  const path = join(scratchFolder(), "2.vst");
  writeFileSync(path, file([block(5, pack(["u64", 1], ["u64", 1], ["u64", 1])), ...blocks]));
  return new TraceReader(path);
}

/** A PATH block by the bytes of struct vst_path and struct vst_frame. */
function pathBlock(
  number: number,
  frames: [offset: number | bigint, module: number][],
  count?: number,
) {
  const head = pack(["u32", number], ["u32", count ?? frames.length]);
  const rest = frames.map(([offset, module]) => pack(["u64", offset], ["u32", module], ["u32", 0]));
  return block(10, Buffer.concat([head, ...rest]));
}

test("paths are read as they stand in the file", () => {
  const { description } = readBytes(
    pathBlock(0, [
      [0x1234, 0],
      [0x7fff_ffff_ffff, 3],
    ]),
    pathBlock(1, [[16, 2]]),
    block(
      3,
      pack(["u32", 0], ["u32", 0], ["u64", 0x1234], ["u32", 2], ["u32", 2], ["text", "MPI_Send"]),
    ),
  );
  expect(description.paths).toEqual([
    {
      number: 0,
      frames: [
        { module: 0, offset: 0x1234n },
        { module: 3, offset: 0x7fff_ffff_ffffn },
      ],
    },
    { number: 1, frames: [{ module: 2, offset: 16n }] },
  ]);
  expect(description.states[0]).toMatchObject({ offset: 0x1234n, path: 1 });
});

test.each([
  ["too few frames", pathBlock(0, [[1, 0]], 2)],
  ["no frames", pathBlock(0, [])],
  ["an endless number", pathBlock(0xffff_ffff, [[1, 0]])],
  ["more frames than any stack has", pathBlock(0, [[1, 0]], 0xffff_ffff)],
  ["an offset beyond all memory", pathBlock(0, [[1n << 63n, 0]])],
  ["a module beyond reason", pathBlock(0, [[1, 0xffff_ffff]])],
  ["no head", block(10, pack(["u32", 0]))],
])("a path with %s is damage", (_, bad) => {
  const { description } = readBytes(bad, pathBlock(7, [[1, 0]]));
  expect(description.paths.map(({ number }) => number)).toEqual([7]);
  expect(description.damage.filter((line) => line.includes("damaged"))).toHaveLength(1);
});

const send = { call: "MPI_Send", category: "send", offset: 1 } as const;

test("paths are the same on all ranks if modules and offsets are, whatever their numbers", () => {
  const folder = scratchFolder();
  const [a, b] = [
    [{ offset: 1 }, { offset: 50 }],
    [{ offset: 1 }, { offset: 60, module: "/lib/b" }],
  ];
  const warnings: string[] = [];
  const { states, paths, mappings } = unifyDefinitions(
    [
      reader(folder, 0, { calls: [{ ...send, path: a }, { ...send, path: b }, send] }),
      reader(folder, 1, { calls: [{ ...send, path: b }, send, { ...send, path: a }] }),
    ],
    (line) => warnings.push(line),
  );
  expect(states.map(({ path }) => path)).toEqual([0, 1, -1]);
  expect(mappings.map((mapping) => Array.from(mapping.states))).toEqual([
    [0, 1, 2],
    [1, 2, 0],
  ]);
  expect(paths.map(({ frames }) => frames.map(({ offset }) => Number(offset)))).toEqual([
    [1, 50],
    [1, 60],
  ]);
  expect(new Set(paths.map(({ hash }) => hash)).size).toBe(2);
  expect(warnings).toEqual([]);
});

function hashOf(module: string, buildId: string, offset: number): string | undefined {
  const path = [{ offset, module }];
  const trace = {
    calls: [{ ...send, path }],
    ...(buildId ? { buildIds: { [module]: buildId } } : {}),
  };
  return unifyDefinitions([reader(scratchFolder(), 0, trace)], () => undefined).paths[0]?.hash;
}

test("hashes of paths know builds, not places on the disk", () => {
  const hash = hashOf("/bin/a", "1122", 5);
  expect(hash).toMatch(/^[0-9a-f]{16}$/);
  expect(hashOf("/other/a", "1122", 5)).toBe(hash);
  expect(hashOf("/bin/a", "1123", 5)).not.toBe(hash);
  expect(hashOf("/bin/a", "1122", 6)).not.toBe(hash);
  expect(hashOf("/bin/a", "", 5)).not.toBe(hashOf("/bin/b", "", 5));
});

function stateBlock(number: number, path: number): Buffer {
  return block(
    3,
    pack(["u32", number], ["u32", 0], ["u64", 9], ["u32", 2], ["u32", path], ["text", "MPI_Send"]),
  );
}

test("a path whose definition is missing is one of its own and is named", () => {
  const warnings: string[] = [];
  const { states, paths } = unifyDefinitions(
    [readBytes(pathBlock(0, [[9, 0]]), stateBlock(0, 1), stateBlock(1, 2), stateBlock(2, 0))],
    (line) => warnings.push(line),
  );
  expect(states.map(({ path }) => path)).toEqual([0, 1, -1]);
  expect(paths.map(({ frames }) => frames.length)).toEqual([1, 0]);
  expect(warnings).toEqual(["2.vst: 1 call paths are missing, they show as empty"]);
});

test("the store has paths, their frames, and the path of each state", async () => {
  const folder = scratchFolder();
  mkdirSync(join(folder, "trace"));
  const path = [{ offset: 1 }, { offset: 0x50, module: "/lib/b" }];
  const columns = { state: [0, 1], startNs: [0, 10], endNs: [5, 20] };
  for (const rank of [0, 1]) {
    const calls = [{ ...send, path }, send];
    writeTrace(join(folder, "trace", `${rank}.vst`), { rank, worldSize: 2, calls, columns });
  }
  await ingest(folder);
  const store = await Store.open(runDirectory(folder).store, { readOnly: true });
  expect(await store.rows("SELECT state, path FROM states ORDER BY state")).toEqual([
    { state: 0, path: 0 },
    { state: 1, path: -1 },
  ]);
  expect(
    await store.rows(
      `SELECT f.path AS path, depth, m.path AS file, "offset"
         FROM frames f JOIN modules m USING (module) ORDER BY depth`,
    ),
  ).toEqual([
    { path: 0, depth: 0, file: "/opt/synthetic/program", offset: 1 },
    { path: 0, depth: 1, file: "/lib/b", offset: 0x50 },
  ]);
  expect(await store.row("SELECT count(*) AS n FROM paths")).toEqual({ n: 1 });
  store.close();
});
