import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { writeSyntheticRun } from "./synthetic-run.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const COMMAND = ["--import", "tsx", "src/cli/main.ts"];

describe("the varscope process", () => {
  it("ends with status 0 and 2, results on stdout, messages on stderr", () => {
    const fine = spawnSync(process.execPath, [...COMMAND, "--version"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(fine).toMatchObject({ status: 0, stderr: "" });
    expect(fine.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const wrong = spawnSync(process.execPath, [...COMMAND, "--nothing"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(wrong).toMatchObject({ status: 2, stdout: "" });
    expect(wrong.stderr).toMatch(/^varscope: .*\n$/);
  });

  it("ends quietly when the reader of its pipe leaves", async () => {
    const child = spawn(process.execPath, [...COMMAND, "report", "--schema"], { cwd: ROOT });
    let messages = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (messages += text));
    child.stdout.destroy();
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect({ code, messages }).toEqual({ code: 0, messages: "" });
  });

  it("reports a run that it must not write to", () => {
    const parent = mkdtempSync(`${tmpdir()}/varscope-readonly-`);
    const run = writeSyntheticRun(parent, "run");
    for (const path of [parent, run]) chmodSync(path, 0o555);
    // Root may write anywhere, unless it gives up that capability.
    const asUser = ["setpriv", "--bounding-set", "-dac_override", "--inh-caps", "-dac_override"];
    const command = [process.execPath, ...COMMAND, "analyze", run];
    const words = process.getuid?.() === 0 ? [...asUser, ...command] : command;
    const { status, stdout, stderr } = spawnSync(words[0]!, words.slice(1), {
      cwd: ROOT,
      encoding: "utf8",
    });
    chmodSync(run, 0o755);
    chmodSync(parent, 0o755);
    const files = readdirSync(run).toSorted();
    rmSync(parent, { recursive: true });
    expect({ status, files }).toEqual({ status: 0, files: ["run.json", "trace"] });
    expect(stdout).toContain(`${run}: 2 ranks, 4,002 calls`);
    expect(stderr).toMatch(/^varscope: cannot write to .*; working on a store in (\S+)\n$/);
    expect(existsSync(/in (\S+)\n/.exec(stderr)?.[1] ?? "/")).toBe(false);
  });

  it("loads neither DuckDB nor a command for --help", () => {
    const script = `
      const { runCli } = await import("./src/cli/program.ts");
      const { realEffects } = await import("./src/cli/effects.ts");
      await runCli(["--help"], { ...realEffects(), out: () => undefined });
      const { createRequire } = await import("node:module");
      const loaded = Object.keys(createRequire("${ROOT}/package.json").cache);
      process.stdout.write(String(loaded.some((path) => path.includes("duckdb"))));`;
    const { stdout } = spawnSync(
      process.execPath,
      ["--import", "tsx", "--input-type=module", "-e", script],
      { cwd: ROOT, encoding: "utf8" },
    );
    expect(stdout).toBe("false");
  });
});
