import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compilePlain, run, source } from "./support/jobs.ts";

const interceptor = fileURLToPath(new URL("../../../interceptor/", import.meta.url));

function check(name: string, parts: readonly string[]): string {
  const folders = ["include", "core", "mpi"].map((folder) => `-I${interceptor}${folder}`);
  const files = [...parts, "core/gate.c"].map((part) => interceptor + part);
  return compilePlain(source(`${name}.c`), [...folders, ...files, "-pthread"], name);
}

test("a lock that one thread owns stays one when others come, and is given up by all", () => {
  const program = check("owned_lock_check", ["mpi/owned_lock.c"]);
  const stdout = "0 lost, 0 disturbed, 0 refused\ngot 0, 0, 0\n";
  expect(run([program])).toEqual({ status: 0, stdout, stderr: "" });
});

test("requests that are started and not completed agree with lists", () => {
  const program = check("pending_check", ["mpi/pending.c", "mpi/owned_lock.c"]);
  const stdout = "agrees: quick, slow, empty\n";
  expect(run([program])).toEqual({ status: 0, stdout, stderr: "" });
});
