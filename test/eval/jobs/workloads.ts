import { join } from "node:path";
import { packageRoot } from "../../../src/launch/installation.ts";
import { UserError } from "../../../src/user-error.ts";
import { isExecutable, type Job } from "./job.ts";

/** The programs of this repository, built for Open MPI. */

export function stencil(steps: number): Job {
  return workload("stencil", ["--steps", String(steps)]);
}

/** Rank 0 writes to the disk after each step. */
export function writer(steps: number): Job {
  return workload("writer", ["--steps", String(steps)]);
}

/** Calls after so much computation each. */
export function callRate(iterations: number, calls: number): Job {
  return workload("call-rate", ["--work", String(iterations), String(calls)]);
}

function workload(name: string, words: string[]): Job {
  const file = join(packageRoot(), "build/workloads", `${name}-openmpi`);
  if (!isExecutable(file)) throw new UserError(`${file} is not built: run 'npm run build'`);
  return { name, file, words };
}
