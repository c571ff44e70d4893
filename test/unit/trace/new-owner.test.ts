import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decode } from "./support/decode.ts";
import { block, columns, file, pack, record, stateBlock } from "./support/golden.ts";
import { scratchFolder } from "./support/scratch.ts";

/*
 * A thread number is used again when its thread has ended. What lies between the last call of the one and the first
 * call of the next is nobody's computation, whether the latter's calls are sealed or not.
 */

const module = block(2, pack(["u32", 0], ["u32", 0], ["bytes", Array(32).fill(0)], ["text", "a"]));
const clock = (tick: number): Buffer =>
  block(5, pack(["u64", tick], ["u64", 10 * tick], ["u64", 10 * tick]));
const life = (tick: number, ended: number): Buffer =>
  block(
    12,
    pack(
      ["u32", 1],
      ["u32", 100],
      ["u32", 0xffffffff],
      ["u32", 2],
      ["u32", 0xffffffff],
      ["u32", ended],
      ["u64", 0],
      ["u64", tick],
      ["text", ""],
    ),
  );

const values = { bytes: 0, state: 0, communicator: 0, peer: 0, tag: 0, requests: 0, completed: 0 };
const slot = (enter: number, skipped = 0): Buffer =>
  record({ ...values, enter, exit: enter + 10, skipped });

/** Two sealed calls of thread 1 at 2000 and 2050, and slots behind them. */
function read(lives: Buffer[], slots: Buffer[], leftOut = 0): ReturnType<typeof decode> {
  const path = join(scratchFolder(), "2.vst");
  const written = 2 + slots.length;
  const staging = pack(
    ["u64", written],
    ["u64", written + leftOut],
    ["u64", 0],
    ["u64", leftOut],
    ["u32", slots.length],
    ["u32", 0],
  );
  const sealed = columns([0, 40], [10, 10], [], [], [], [], [], [], []);
  const blocks = [
    module,
    stateBlock(0, 0, 16, 2, "MPI_Send"),
    clock(0),
    block(7, Buffer.concat([staging, ...slots]), { thread: 1 }),
    block(6, sealed, { thread: 1, count: 2, firstTick: 2000, previousExit: 2000 }),
    ...lives,
    clock(1e6),
  ];
  writeFileSync(path, file(blocks));
  return decode(path, 0n);
}

const befores = ({ calls }: ReturnType<typeof decode>): (number | undefined)[] =>
  calls.map(({ edge, before }) => (edge ? Number(before) : undefined));

test("slots of a new thread do not follow the records of the old one", () => {
  const seen = read([life(1000, 0), life(2100, 1), life(3000, 0)], [slot(3100), slot(3150)]);
  expect(seen.damage).toEqual([]);
  expect(befores(seen)).toEqual([undefined, 400, undefined, 400]);
});

test("without a new thread they do", () => {
  const seen = read([life(1000, 0)], [slot(3100), slot(3150)]);
  expect(befores(seen)).toEqual([undefined, 400, 10_400, 400]);
});

test("threads of which each made one call", () => {
  const lives = [life(1000, 0), life(4000, 0), life(3000, 0)];
  const seen = read(lives, [slot(3000), slot(4000), slot(4050)]);
  expect(befores(seen)).toEqual([undefined, 400, undefined, undefined, 400]);
});

test("what the old thread left out at its end is no span of the new one", () => {
  const seen = read([life(1000, 0), life(3000, 0)], [slot(3100, 7)], 7);
  expect(seen.gaps).toEqual([[1, 31_000, 31_000, 7]]);
});
