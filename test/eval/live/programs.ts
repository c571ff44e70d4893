import { lammps } from "../jobs/distribution.ts";
import { type Job, timeAlone } from "../jobs/job.ts";
import { stencil, writer } from "../jobs/workloads.ts";
import { type WayName, WAYS } from "./ways.ts";

/** A program that is disturbed, and how. */
export interface LiveProgram {
  name: string;
  /** The program with so many steps, or why it cannot be run here. */
  make: (steps: number) => Job | { name: string; missing: string };
  /** Steps that are enough to time one. */
  trial: number;
  ways: WayName[];
}

const ON_THE_CORE = WAYS.filter((way) => way !== "files");

/** Only the writer depends on the disk; it has no other disturbance so that the others get more runs. */
export const PROGRAMS: LiveProgram[] = [
  { name: "stencil", make: stencil, trial: 200, ways: ON_THE_CORE },
  { name: "lammps", make: (steps) => lammps(10, steps), trial: 60, ways: ON_THE_CORE },
  { name: "writer", make: writer, trial: 100, ways: ["files"] },
];

/** Steps that take so many seconds: by the difference of two lengths, best of three, for the start takes time, too. */
export async function stepsFor(
  seconds: number,
  { trial, make }: LiveProgram,
  cores: readonly number[],
  folder: string,
): Promise<number> {
  const best = async (steps: number) => {
    const job = make(steps);
    if ("missing" in job) throw new Error(job.missing);
    const times: number[] = [];
    for (let i = 0; i < 3; i++) times.push(await timeAlone(job, cores, folder));
    return Math.min(...times);
  };
  const step = ((await best(4 * trial)) - (await best(trial))) / (3 * trial);
  return Math.max(trial, Math.round(seconds / Math.max(step, 1e-5)));
}
