import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compilePlain, run, source } from "./support/jobs.ts";

test("the map of handles agrees with an array, and readers are not disturbed", () => {
  const folder = fileURLToPath(new URL("../../../interceptor/mpi/", import.meta.url));
  const flags = [`-I${folder}`, `${folder}handle_map.c`, "-pthread"];
  const program = compilePlain(source("handle_map_check.c"), flags, "handle_map_check");
  expect(run([program])).toEqual({ status: 0, stdout: "0 wrong reads\n", stderr: "" });
});
