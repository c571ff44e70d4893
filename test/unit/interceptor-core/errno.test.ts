import { expect, test } from "vitest";
import { buildDriver, runDriver, temporaryFolder } from "./run-driver.ts";

const folder = temporaryFolder();

test("errno stays the program's where threads wait for each other in the recorder", () => {
  const run = runDriver(buildDriver("plain"), folder, "errno", 40);
  expect([run.status, run.stderr]).toEqual([0, ""]);
});
