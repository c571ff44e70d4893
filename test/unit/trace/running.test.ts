import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { TraceFileError } from "../../../src/trace/reader.ts";
import { type Call, type Decoded, decode } from "./support/decode.ts";
import { scratchFolder } from "./support/scratch.ts";

const writer = fileURLToPath(new URL("support/running-writer.ts", import.meta.url));

function startWriter(path: string) {
  const child = spawn(process.execPath, ["--import", "tsx", writer, path, "10000000"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** The n-th call has n bytes and starts at tick 1000 + 10 n, 10 ns each; zero is at tick 1000. */
function expectFirstCalls(calls: readonly Call[]): void {
  const wrong = calls.findIndex(
    (call, n) =>
      call.bytes !== BigInt(n) || call.start !== BigInt(100 * n) || call.communicator !== 0,
  );
  expect(wrong).toBe(-1);
}

function tryDecode(path: string): Decoded | undefined {
  try {
    return decode(path, 1_000_010_000n, 100_000);
  } catch (error) {
    if (error instanceof TraceFileError) return undefined;
    throw error;
  }
}

test("a file is read while its process writes, and after it was killed", async () => {
  const path = join(scratchFolder(), "2.vst");
  const child = startWriter(path);
  while (!existsSync(path) || (tryDecode(path)?.calls.length ?? 0) === 0) await sleep(5);
  let most = 0;
  for (let reading = 0; reading < 25; reading++) {
    const { calls, damage } = tryDecode(path)!;
    expect(damage).toEqual([]);
    expectFirstCalls(calls);
    expect(calls.length).toBeGreaterThanOrEqual(most);
    most = calls.length;
    await sleep(5);
  }
  child.kill("SIGKILL");
  await once(child, "exit");
  const { calls, damage, reader } = tryDecode(path)!;
  expect(damage).toEqual([]);
  expectFirstCalls(calls);
  expect(calls.length).toBe(reader.description.threads[0]!.written);
  expect(calls.length).toBeGreaterThan(most);
  expect(reader.description.finalized).toBe(false);
});
