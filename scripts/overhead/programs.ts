import { existsSync } from "node:fs";
import { join } from "node:path";
import type { MpiLauncher } from "../../src/launch/doctor/software.ts";
import { packageRoot } from "../../src/launch/installation.ts";
import { runOnce } from "./pairs.ts";

/** Calls per second and rank of the sweep. */
export const RATES = [100, 1000, 10_000, 100_000, 1_000_000] as const;
/** The patterns of single calls, see workloads/mpi/call-rate. */
export const PATTERNS = ["self", "ping-pong", "allreduce", "non-blocking"] as const;

/** A rank per core, held there, in the options of each MPI. */
export function onCores(
  launcher: MpiLauncher,
  cores: readonly number[],
  program: readonly string[],
): string[] {
  const options = launcher.abi === "openmpi" ? ["--oversubscribe", "--bind-to", "none"] : [];
  const words = [launcher.file, ...options];
  for (const [rank, core] of cores.entries()) {
    if (rank > 0) words.push(":");
    words.push("-n", "1", "taskset", "-c", String(core), ...program);
  }
  return words;
}

export function workload(launcher: MpiLauncher, name: string): string {
  return join(packageRoot(), "build/workloads", `${name}-${launcher.abi}`);
}

/** The first group of `pattern`, as a number. */
export function numberIn(output: string, pattern: RegExp): number {
  const found = pattern.exec(output)?.[1];
  if (found === undefined) throw new Error(`not understood: ${output}`);
  return Number(found);
}

/** ns that one iteration of the computation between calls takes, and that one call takes. */
export function calibrate(
  launcher: MpiLauncher,
  core: number,
): { iteration: number; call: number } {
  const rate = workload(launcher, "call-rate");
  const run = (words: string[]) => runOnce(onCores(launcher, [core], [rate, ...words]), "untraced");
  return {
    iteration: numberIn(run(["--calibrate"]).output, /iteration ([\d.]+) ns/),
    call: numberIn(run(["1000000"]).output, /probe ([\d.]+)/),
  };
}

/** hpcc is Debian's, linked with Open MPI. */
export function hpcc(launcher: MpiLauncher): string | undefined {
  return launcher.abi === "openmpi" && existsSync("/usr/bin/hpcc") ? "/usr/bin/hpcc" : undefined;
}

/** Input of hpcc for `ranks` ranks and problems of this size, line by line as HPL reads it. */
export function hpccInput(ranks: number, size: number): string {
  return `HPLinpack benchmark input file
varscope
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
${size}         Ns
1            # of NBs
40           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
${ranks}            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
${size}          values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
`;
}
