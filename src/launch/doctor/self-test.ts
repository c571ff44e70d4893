import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Environment, preloadPath, tracingEnvironment } from "../environment.ts";
import { type Interceptor, MPI_NAMES, packageRoot } from "../installation.ts";
import { countTraces } from "../trace-count.ts";
import type { Finding } from "./finding.ts";
import type { MpiLauncher } from "./software.ts";

const TIMEOUT_MS = 60_000;

/** Runs a tiny MPI program of one process under the interceptor and counts what it recorded. */
export function selfTest(
  launcher: MpiLauncher,
  interceptor: Interceptor,
  environment: Environment,
): Finding {
  const { abi, file } = launcher;
  const base = { id: `self-test-${abi}`, subject: `self-test, ${MPI_NAMES[abi]}` };
  const program = join(packageRoot(), "build", "workloads", `stencil-${abi}`);
  if (!interceptor.library || !existsSync(program)) {
    const fix = "npm run setup, in varscope's folder";
    return { ...base, status: "limited", detail: `skipped: ${program} is not built`, fix };
  }
  const folder = mkdtempSync(join(tmpdir(), "varscope-doctor-"));
  try {
    const preload = preloadPath(interceptor.library, folder);
    if (!preload)
      return { ...base, status: "limited", detail: "skipped: no usable temporary folder" };
    const command = ["-n", "1", program, "--steps", "3", "--size", "16"];
    const { status, stderr } = spawnSync(file, command, {
      encoding: "utf8",
      timeout: TIMEOUT_MS,
      env: {
        ...environment,
        ...tracingEnvironment(preload.library, folder, environment),
        OMPI_ALLOW_RUN_AS_ROOT: "1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
      },
    });
    const { calls } = countTraces(folder);
    if (status === 0 && calls > 0)
      return { ...base, status: "ok", detail: `${calls} calls recorded` };
    const reason = stderr?.split("\n").find((line) => line.trim() !== "") ?? "it said nothing";
    return {
      ...base,
      status: "missing",
      detail: `exit status ${status ?? "none"}, ${calls} calls recorded: ${reason.trim()}`,
      fix: "npm run build, in varscope's folder; if that does not help, please report it",
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
