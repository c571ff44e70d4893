import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { crc32c } from "./crc32c.ts";
import { Cursor } from "./cursor.ts";
import { decodeFragments, readCall } from "./decode-fragments.ts";
import { buildCrcDriver, buildDriver, runDriver, temporaryFolder } from "./run-driver.ts";

const folder = temporaryFolder();

test("what is packed is decoded to the same records, whatever the values are", () => {
  const run = runDriver(buildDriver("addresses"), folder, "pack", 300);
  expect(run.stderr).toBe("");
  expect(run.status).toBe(0);
  const file = new Cursor(readFileSync(run.out));
  let blocks = 0;
  for (; !file.done(); blocks++) {
    const [count, previousExit, bytes] = [Number(file.u64()), file.u64(), Number(file.u64())];
    const records = Array.from({ length: count }, () => readCall(file));
    const payload = file.bytes.subarray(file.at, file.at + bytes);
    file.at += bytes;
    expect(decodeFragments(payload, count, previousExit)).toEqual(records);
  }
  expect(blocks).toBe(300);
});

test("CRC-32C agrees with the values of RFC 3720 B.4, by table and by instruction", () => {
  const run = spawnSync(buildCrcDriver(), { encoding: "utf8" });
  expect(run.stdout).toBe("8a9136aa 8a9136aa\n62a8ab43 62a8ab43\n46dd794e 46dd794e\n");
  expect(run.status).toBe(0);
  expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
  expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
});
