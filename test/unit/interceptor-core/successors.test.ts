import { expect, test } from "vitest";
import { decode } from "../trace/support/decode.ts";
import { buildDriver, runDriver, temporaryFolder } from "./run-driver.ts";

const folder = temporaryFolder();

test("a thread with a used number begins by itself, in a process that just stops", () => {
  const run = runDriver(buildDriver("plain"), folder, "successors", 20_000);
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const { calls, damage } = decode(run.trace);
  expect(damage).toEqual([]);
  expect(new Set(calls.map(({ thread }) => thread)).size).toBe(1);
  // `tag` is the program's thread: each has its first call without anything before, and two more.
  expect(calls.map(({ tag, edge }) => [tag, edge !== undefined])).toEqual(
    [0, 1, 2].flatMap((thread) => [
      [thread, false],
      [thread, true],
      [thread, true],
    ]),
  );
});
