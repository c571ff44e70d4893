import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildIdOf, lookUpSources, parseSources } from "../../../src/report/assemble/addr2line.ts";
import { readSources } from "../../../src/report/assemble/sources.ts";
import { storeWith } from "./hand-made.ts";

const PROGRAM = `#include <stdio.h>
int twice(int n) {
  return 2 * n;
}
int main(void) {
  printf("%d\\n", twice(21));
  return 0;
}
`;

let folder: string;
let program: string;
let address: number;
beforeAll(() => {
  folder = mkdtempSync(`${tmpdir()}/varscope-sources-`);
  program = join(folder, "program");
  writeFileSync(join(folder, "program.c"), PROGRAM);
  execFileSync("gcc", ["-g", "-O0", "-Wl,--build-id", "-o", program, join(folder, "program.c")]);
  const symbols = execFileSync("nm", [program], { encoding: "utf8" });
  address = Number.parseInt(/^([0-9a-f]+) T twice$/m.exec(symbols)?.[1] ?? "", 16);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("sources of call sites", () => {
  it("finds function, file and line", async () => {
    expect(await lookUpSources(program, [address, 1])).toEqual(["twice program.c:2", undefined]);
  });

  it("reads inlined frames, missing lines and discriminators", () => {
    const text = [
      "0x0000000000001000",
      "exchange",
      "/src/halo.c:88 (discriminator 3)",
      "main",
      "/src/main.c:12",
      "0x0000000000002000",
      "main",
      "??:?",
      "0x0000000000003000",
      "??",
      "??:0",
      "",
    ].join("\n");
    expect(parseSources(text, [0x1000, 0x2000, 0x3000, 0x4000])).toEqual([
      "exchange halo.c:88",
      "main",
      undefined,
      undefined,
    ]);
  });

  it("trusts a module only if it is still the one that ran", async () => {
    const buildId = (await buildIdOf(program)) ?? "";
    expect(buildId).toMatch(/^[0-9a-f]{40}$/);
    // The return address is one past the call; the last byte of the call tells the line.
    const store = await storeWith(`INSERT INTO modules VALUES (0, '${program}', '${buildId}'),
        (1, '${program}', 'abcd'), (2, '/gone', '${buildId}');
      INSERT INTO states VALUES (0, 'MPI_Send', 'send', 0, ${address + 1}),
        (1, 'MPI_Send', 'send', 1, ${address + 1}), (2, 'MPI_Send', 'send', 2, 16);`);
    expect(await readSources(store, [0, 1, 2])).toEqual(new Map([[0, "twice program.c:2"]]));
    store.close();
  });

  it("does without a program that is not there", async () => {
    expect(await lookUpSources("/gone", [16])).toEqual([undefined]);
    expect(await buildIdOf("/gone")).toBeUndefined();
  });
});
