import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MPI_ENVIRONMENT, ROOT, start, temporary, waitFor } from "./run-support/varscope.ts";

test.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const)(
  "forwards %s once",
  async (signal) => {
    const cwd = temporary();
    const script = `trap 'echo caught' ${signal.slice(3)}; touch ready; n=0
      while [ $n -lt 40 ]; do sleep 0.05; n=$((n + 1)); done; exit 7`;
    const { child, end } = start(["run", "-q", "--", "sh", "-c", script], { cwd });
    await waitFor(() => existsSync(join(cwd, "ready")) || undefined);
    child.kill(signal);
    expect(await end).toEqual({ status: 7, signal: null, stdout: "caught\n", stderr: "" });
  },
);

test("ends by the signal that it forwarded", async () => {
  const cwd = temporary();
  const { child, end } = start(["run", "--", "sh", "-c", "touch ready; exec sleep 60"], { cwd });
  await waitFor(() => existsSync(join(cwd, "ready")) || undefined);
  child.kill("SIGINT");
  expect(await end).toMatchObject({ status: null, signal: "SIGINT" });
});

test("Ctrl-C at a terminal reaches the job once", async () => {
  const cwd = temporary();
  const script = `trap 'echo caught' INT; touch ready; n=0
    while [ $n -lt 40 ]; do sleep 0.05; n=$((n + 1)); done; echo over`;
  const node = process.execPath;
  const words = [join(ROOT, "bin/varscope.js"), "run", "-q", "--", "sh", "-c", script];
  // script(1) gives it a terminal, whose line discipline turns the byte 3 into a signal.
  const line = [node, ...words].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const child = spawn("script", ["-qec", line, "/dev/null"], { cwd, env: MPI_ENVIRONMENT });
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  await waitFor(() => existsSync(join(cwd, "ready")) || undefined);
  child.stdin.write("\u0003");
  await new Promise((settle) => child.once("close", settle));
  expect(output.match(/caught/g)).toHaveLength(1);
  expect(output).toContain("over");
});
