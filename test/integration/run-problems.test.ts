import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { countTraces } from "../../src/launch/trace-count.ts";
import {
  checksum,
  MPI_ENVIRONMENT,
  mpirun,
  MPIS,
  processesOf,
  run,
  start,
  stencil,
  temporary,
  varscope,
  waitFor,
} from "./run-support/varscope.ts";

const STEPS = ["--steps", "5", "--size", "32"];

test("a run directory that cannot be made costs the recording, not the job", () => {
  const cwd = temporary();
  writeFileSync(join(cwd, "file"), "");
  const command = mpirun("mpich", ...stencil("mpich", ...STEPS));
  const result = varscope(["run", "-o", "file/below", "--", ...command], { cwd });
  expect(result.status).toBe(0);
  expect(checksum(result.stdout)).toBeDefined();
  expect(result.stderr).toBe(
    `varscope: recording nothing: cannot create ${cwd}/file/below (ENOTDIR); choose another with -o DIR\n`,
  );
});

test("results of an earlier run are not written over", () => {
  const cwd = temporary();
  mkdirSync(join(cwd, "used"));
  writeFileSync(join(cwd, "used/something"), "");
  const result = varscope(["run", "-o", "used", "--", "touch", "started"], { cwd });
  expect(result).toMatchObject({ status: 2, stdout: "" });
  expect(result.stderr).toBe(
    "varscope: used is not empty; name another directory with -o, or delete it\n",
  );
  expect(readdirSync(cwd)).toEqual(["used"]);
});

test("runs started in the same second go to different directories", () => {
  const cwd = temporary();
  const job = stencil("mpich", ...STEPS).join(" ");
  const node = `"${process.execPath}" "$VARSCOPE" run -q -- ${job}`;
  const env = {
    ...MPI_ENVIRONMENT,
    VARSCOPE: new URL("../../bin/varscope.js", import.meta.url).pathname,
  };
  run(["sh", "-c", `${node} & ${node} & wait`], { cwd, env });
  expect(readdirSync(cwd)).toHaveLength(2);
});

describe("a run that records nothing says why", () => {
  const cases = [
    {
      name: "no MPI",
      command: ["true"],
      reason: "no process called MPI_Init (true itself is not linked",
    },
    { name: "script", command: ["sh", "-c", "exit 0"], reason: "no process called MPI_Init" },
  ];
  test.each(cases)("$name", ({ command, reason }) => {
    const cwd = temporary();
    const result = varscope(["run", "--", ...command], { cwd });
    expect(result.status).toBe(0);
    expect(result.stderr).toContain(`varscope: recorded nothing: ${reason}`);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("static program", () => {
    const cwd = temporary();
    writeFileSync(join(cwd, "main.c"), "int main(void) { return 0; }\n");
    expect(run(["cc", "-static", "-o", "fixed", "main.c"], { cwd }).status).toBe(0);
    const result = varscope(["run", "--", ...mpirun("mpich", "./fixed")], { cwd });
    expect(result.status).toBe(0);
    expect(result.stderr).toContain("recorded nothing: fixed is statically linked");
  });

  test("set-group-id program", () => {
    const cwd = temporary();
    writeFileSync(join(cwd, "main.c"), "int main(void) { return 0; }\n");
    run(["sh", "-c", "cc -o special main.c && chmod g+s special"], { cwd });
    const result = varscope(["run", "--", "./special"], { cwd });
    expect(result.stderr).toContain("special is set-user-id or set-group-id");
  });

  test.runIf(process.geteuid?.() === 0)("Open MPI as root", () => {
    const env = {
      ...MPI_ENVIRONMENT,
      OMPI_ALLOW_RUN_AS_ROOT: "",
      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "",
    };
    const settings = { cwd: temporary(), env };
    const result = varscope(["run", "--", ...mpirun("openmpi", "true")], settings);
    expect(result.status).toBe(1);
    expect(result.stderr).toContain(
      "set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
    );
  });
});

test.each(MPIS)("a rank killed in the middle of a %s job leaves a readable run", async (mpi) => {
  const cwd = temporary();
  const command = mpirun(mpi, ...stencil(mpi, "--steps", "1000000", "--size", "64"));
  const { end } = start(["run", "--full", "-o", "here", "--", ...command], { cwd });
  const setting = `VARSCOPE_TRACE_DIR=${join(cwd, "here/trace")}`;
  const [program = ""] = stencil(mpi);
  const traces = join(cwd, "here/trace");
  await waitFor(() => (countTraces(traces).calls > 20_000 ? true : undefined));
  process.kill(await waitFor(() => processesOf(program, setting)[0]), "SIGKILL");

  const result = await end;
  expect(result.status).not.toBe(0);
  expect(result.stderr).toMatch(
    /varscope: recorded 2 ranks, [\d,]+ calls \([\d.]+ [kM]B\), 2 ranks unfinished/,
  );
  const report = varscope(["report", "here", "--json"], { cwd });
  expect(report.status).toBe(0);
  const { run: summary, quality } = JSON.parse(report.stdout) as {
    run: { complete: boolean; ranks: number };
    quality: { events: { recorded: number } };
  };
  expect(summary).toMatchObject({ complete: false, ranks: 2 });
  expect(quality.events.recorded).toBeGreaterThan(20_000);
  expect(readFileSync(join(cwd, "here/run.json"), "utf8")).toContain('"endedAt"');
});
