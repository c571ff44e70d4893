import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findExecutable, guessProgram, identifyLauncher } from "../../../src/launch/command.ts";

const folder = mkdtempSync(join(tmpdir(), "varscope-command-"));
const lookup = { path: `${folder}/bin`, workingDirectory: folder };

beforeAll(() => {
  mkdirSync(join(folder, "bin"));
  for (const name of [
    "orterun",
    "mpiexec.hydra",
    "srun",
    "taskset",
    "time",
    "python3",
    "sh",
    "lmp",
  ]) {
    writeFileSync(join(folder, "bin", name), "", { mode: 0o755 });
  }
  symlinkSync("orterun", join(folder, "bin/mpirun"));
  symlinkSync("mpiexec.hydra", join(folder, "bin/mpiexec"));
  writeFileSync(join(folder, "solver"), "", { mode: 0o755 });
  writeFileSync(join(folder, "hosts"), "");
  writeFileSync(join(folder, "model.py"), "");
  mkdirSync(join(folder, "bin/folder"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe("the program of a command line", () => {
  test.each([
    ["./solver", "solver"],
    ["mpirun -n 2 ./solver input", "solver"],
    ["mpirun --hostfile hosts -np 4 --bind-to core ./solver", "solver"],
    ["mpiexec -env OMP_NUM_THREADS=2 -n 2 lmp -in in.melt", "lmp"],
    ["srun -N 2 time taskset -c 0 ./solver", "solver"],
    ["mpirun -n 2 python3 -u model.py --fast", "model"],
    ["mpirun -n 2 sh -c ./solver", "solver"],
    ["mpirun -n 2 sh -c true", "sh"],
    ["python3 missing.py", "python3"],
    ["mpirun -n 2 ./not-there", "mpirun"],
    ["mpirun", "mpirun"],
  ])("%s -> %s", (line, name) => {
    expect(guessProgram(line.split(" "), lookup).name).toBe(name);
  });

  test("comes with its file", () => {
    const { file } = guessProgram(["mpirun", "-n", "2", "./solver"], lookup);
    expect(file).toBe(join(folder, "solver"));
    expect(guessProgram(["gone"], lookup).file).toBeUndefined();
  });
});

test("commands are found as execvp finds them", () => {
  expect(findExecutable("lmp", lookup)).toBe(join(folder, "bin/lmp"));
  expect(findExecutable("solver", lookup)).toBeUndefined();
  expect(findExecutable("./solver", lookup)).toBe(join(folder, "solver"));
  expect(findExecutable("./model.py", lookup)).toBeUndefined();
  expect(findExecutable("folder", lookup)).toBeUndefined();
  expect(findExecutable("", lookup)).toBeUndefined();
  // An empty part of PATH is the working directory.
  expect(findExecutable("solver", { ...lookup, path: "/nowhere:" })).toBe(join(folder, "solver"));
  chmodSync(join(folder, "bin/lmp"), 0o644);
  expect(findExecutable("lmp", lookup)).toBeUndefined();
  chmodSync(join(folder, "bin/lmp"), 0o755);
});

test("launchers are known by what they are links to", () => {
  expect(identifyLauncher("mpirun", lookup)).toBe("openmpi");
  expect(identifyLauncher("mpiexec", lookup)).toBe("mpich");
  expect(identifyLauncher("srun", lookup)).toBe("slurm");
  expect(identifyLauncher("./solver", lookup)).toBe("other");
  expect(identifyLauncher("no-such-command", lookup)).toBe("other");
});
