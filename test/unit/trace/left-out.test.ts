import { join } from "node:path";
import { expect, test } from "vitest";
import { ingest } from "../../../src/trace/ingest.ts";
import { runDirectory } from "../../../src/trace/run-directory.ts";
import { Store } from "../../../src/trace/store.ts";
import { writeTrace } from "../../../src/trace/write-synthetic.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { decode } from "./support/decode.ts";
import { block, columns, file, pack, record, stateBlock } from "./support/golden.ts";
import { scratchFolder } from "./support/scratch.ts";

const module = block(2, pack(["u32", 0], ["u32", 0], ["bytes", Array(32).fill(0)], ["text", "a"]));
const clock = (tick: number): Buffer =>
  block(5, pack(["u64", tick], ["u64", 10 * tick], ["u64", 10 * tick]));
const values = { bytes: 0, state: 0, communicator: 0, peer: 0, tag: 0, requests: 0, completed: 0 };

/** Header of COUNTS, then entries state, calls, timed, ticks. */
const counts = (lastExit: number, ...entries: number[][]): Buffer =>
  block(
    13,
    Buffer.concat([
      pack(["u32", entries.length], ["u32", 0], ["u64", lastExit]),
      ...entries.map(([state, calls, timed, ticks]) =>
        pack(
          ["u32", state],
          ["u32", calls! > 0 ? 1 : 0],
          ["u64", calls],
          ["u64", timed],
          ["u64", ticks],
        ),
      ),
    ]),
  );

test("column 8, slots and counts as made by hand", () => {
  const path = join(scratchFolder(), "2.vst");
  const staging = pack(["u64", 5], ["u64", 320], ["u64", 0], ["u64", 315], ["u32", 1], ["u32", 0]);
  const blocks = [
    module,
    stateBlock(0, 0, 16, 2, "MPI_Send"),
    clock(0),
    block(7, Buffer.concat([staging, record({ ...values, enter: 2500, exit: 2510, skipped: 4 })])),
    block(
      6,
      // Records 1 and 3 come after 300 and 1 calls that were left out; 2 is its model's like in all else.
      columns([0, 40, 5, 50], [10, 10, 10, 10], [], [0, 1], [], [], [], [], [1, 0xac, 0x02, 1, 1]),
      { count: 4, firstTick: 2000, previousExit: 2000 },
    ),
    counts(2600, [0, 315, 20, 700], [0, 0, 0, 0]),
    clock(1e6),
  ];
  writeFileSync(path, file(blocks));
  const { calls, damage, reader, gaps } = decode(path, 0n);
  expect(damage).toEqual([]);
  expect(calls.map(({ start, before, edge }) => [Number(start), Number(before), edge])).toEqual([
    [20_000, 0, undefined],
    [20_500, 0, undefined],
    [20_650, 50, [0, 0]],
    [21_250, 0, undefined],
    [25_000, 0, undefined],
  ]);
  // 315 - 300 - 1 - 4 calls came after the last record.
  expect(gaps).toEqual([
    [0, 20_100, 20_500, 300],
    [0, 20_750, 21_250, 1],
    [0, 21_350, 25_000, 4],
    [0, 25_100, 26_000, 10],
  ]);
  expect(reader.description.threads[0]?.leftOut).toEqual([
    { state: 0, calls: 315, timed: 20, timedNs: 7000 },
  ]);
});

test.each([
  ["a state that is not defined", [[7, 1, 1, 1]], "make no sense"],
  [
    "a state counted twice",
    [
      [0, 1, 1, 1],
      [0, 1, 1, 1],
    ],
    "two counts",
  ],
])("counts with %s are named", (_, entries, message) => {
  const path = join(scratchFolder(), "2.vst");
  const staging = pack(["u64", 0], ["u64", 2], ["u64", 0], ["u64", 2], ["u32", 0], ["u32", 0]);
  const states = stateBlock(0, 0, 16, 2, "MPI_Send");
  writeFileSync(
    path,
    file([module, states, clock(0), block(7, staging), counts(0, ...entries), clock(1e6)]),
  );
  expect(decode(path, 0n).damage.join("\n")).toContain(message);
});

test("what was left out is in the store", async () => {
  const folder = scratchFolder();
  const { traceDirectory, store } = runDirectory(folder);
  mkdirSync(traceDirectory, { recursive: true });
  writeTrace(join(traceDirectory, "0.vst"), {
    rank: 0,
    worldSize: 1,
    calls: [
      { call: "MPI_Send", category: "send" },
      { call: "MPI_Recv", category: "receive" },
    ],
    columns: {
      state: [0, 0, 0],
      startNs: [0, 100, 900],
      endNs: [10, 110, 950],
      skipped: [0, 0, 7],
    },
    sampledOut: 3,
    leftOut: [
      { state: 0, calls: 4, timed: 1, timedNs: 25 },
      { state: 1, calls: 6, timed: 6, timedNs: 60, lastNs: 1000 },
    ],
  });
  await ingest(folder);
  const db = await Store.open(store, { readOnly: true });
  const rows = async (query: string): Promise<unknown[]> =>
    (await db.connection.runAndReadAll(query)).getRowsJson();
  expect(
    await rows("SELECT rank, thread, start_ns, end_ns, calls FROM gaps ORDER BY start_ns"),
  ).toEqual([
    [0, 0, "110", "900", "7"],
    [0, 0, "950", "1000", "3"],
  ]);
  expect(
    await rows(
      `SELECT call, calls, timed, timed_ns FROM sampled_out JOIN states USING (state) ORDER BY call DESC`,
    ),
  ).toEqual([
    ["MPI_Send", "4", "1", "25"],
    ["MPI_Recv", "6", "6", "60"],
  ]);
  expect(await rows("SELECT intercepted, recorded, sampled_out, lost FROM ranks")).toEqual([
    ["13", "3", "10", "0"],
  ]);
  expect(await rows("SELECT count(*) FILTER (edge >= 0) FROM calls")).toEqual([["1"]]);
  db.close();
});
