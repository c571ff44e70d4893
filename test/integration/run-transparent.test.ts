import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MPI_ENVIRONMENT, run, temporary, varscope, VARSCOPE } from "./run-support/varscope.ts";

/** What a command says and how it ends must be the same with `varscope run` before it. */
test.each([
  { name: "exit status 0", script: "exit 0", status: 0, signal: null },
  { name: "exit status 42", script: "exit 42", status: 42, signal: null },
  { name: "exit status 255", script: "exit 255", status: 255, signal: null },
  { name: "SIGTERM", script: "kill -TERM $$", status: null, signal: "SIGTERM" },
  { name: "SIGKILL", script: "kill -KILL $$", status: null, signal: "SIGKILL" },
  // As a shell tells it: 128 + 11; a core dump of varscope itself would help nobody.
  { name: "SIGSEGV", script: "ulimit -c 0; kill -SEGV $$", status: 139, signal: null },
])("passes $name on", ({ script, status, signal }) => {
  const result = varscope(["run", "--", "sh", "-c", script], { cwd: temporary() });
  expect(result).toMatchObject({ status, signal });
});

test("passes stdin, stdout and stderr on", () => {
  const script = "cat; echo problem >&2; exit 3";
  const input = "first\nsecond without newline";
  const result = varscope(["run", "-q", "--", "sh", "-c", script], { cwd: temporary(), input });
  expect(result).toEqual({ status: 3, signal: null, stdout: input, stderr: "problem\n" });
});

test("passes further descriptors on, as for <(command) of a shell", () => {
  const line = `"${process.execPath}" "${VARSCOPE}" run -q -- cat <(echo one) <(echo two) 5<<<three /dev/fd/5`;
  const result = run(["bash", "-c", line], { cwd: temporary() });
  expect(result).toEqual({ status: 0, signal: null, stdout: "one\ntwo\nthree\n", stderr: "" });
});

test("keeps the limit of open files", () => {
  const script = `ulimit -S -n 100; "${process.execPath}" "${VARSCOPE}" run -q -- sh -c "ulimit -S -n"; true`;
  const result = run(["bash", "-c", script], { cwd: temporary() });
  expect(result.stdout).toBe("100\n");
});

test("adds nothing to the environment but its own variables", () => {
  const cwd = temporary();
  const env = { PATH: process.env["PATH"], HOME: "/nowhere", "odd name": "a b\nc", LD_PRELOAD: "" };
  const plain = run(["env", "-0"], { cwd, env });
  const traced = varscope(["run", "-q", "--", "env", "-0"], { cwd, env });
  const own = /^(LD_PRELOAD|VARSCOPE_TRACE_DIR|OMPI_MCA_orte_launch_agent)=/;
  const without = (text: string): string[] => text.split("\0").filter((line) => !own.test(line));
  expect(without(traced.stdout).toSorted()).toEqual(without(plain.stdout).toSorted());
  expect(traced.stdout).toContain(`VARSCOPE_TRACE_DIR=${cwd}/varscope-env-`);
});

test("tells of a missing and of an unusable command as a shell does", () => {
  const cwd = temporary();
  const file = join(cwd, "plain.txt");
  writeFileSync(file, "text\n");
  chmodSync(file, 0o644);
  const missing = varscope(["run", "--", "no-such-command"], { cwd });
  expect(missing).toMatchObject({ status: 127, stdout: "" });
  expect(missing.stderr).toBe("varscope: no-such-command: command not found\n");
  const unusable = varscope(["run", "-q", "--", "./plain.txt"], { cwd });
  expect(unusable).toMatchObject({ status: 126, stdout: "" });
  expect(unusable.stderr).toBe("varscope: ./plain.txt: not executable\n");
  expect(readdirSync(cwd)).toEqual(["plain.txt"]);
});

test("runs a script without #! line, as execvp does", () => {
  const cwd = temporary();
  writeFileSync(join(cwd, "job"), "echo from the script\n", { mode: 0o755 });
  const { status, stdout } = varscope(["run", "--", "./job"], { cwd, env: MPI_ENVIRONMENT });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "from the script\n" });
});
