import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { runDirectory } from "../../src/trace/run-directory.ts";
import { allowedCores } from "./cores.ts";
import type { Interval } from "./truth.ts";

const RANK_VARIABLE = "OMPI_COMM_WORLD_RANK=";

/** What was seen of one rank while it ran. */
export interface Watched {
  rank: number;
  pid: number;
  cores: number[];
  /** Seconds since the epoch, and seconds spent ready to run but waiting for a core up to then. */
  waits: { time: number; seconds: number }[];
}

/** Follows the ranks of a job from outside, through /proc. */
export class RankWatch {
  readonly ranks = new Map<number, Watched>();
  private readonly program: string;
  private readonly traceDirectory: string;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param program path of the executable that the ranks run
   * @param directory run directory of the job, which tells its ranks from those of other jobs
   */
  constructor(program: string, directory: string) {
    this.program = program;
    this.traceDirectory = runDirectory(resolve(directory)).traceDirectory;
  }

  start(): void {
    this.timer = setInterval(() => {
      this.look();
    }, 200);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    for (const name of readdirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        this.lookAt(Number(name));
      } catch {
        // It has ended meanwhile, or is another user's.
      }
    }
  }

  private lookAt(pid: number): void {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    if (command[0] !== this.program) return;
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    if (!environment.includes(`VARSCOPE_TRACE_DIR=${this.traceDirectory}`)) return;
    const variable = environment.find((setting) => setting.startsWith(RANK_VARIABLE));
    if (variable === undefined) return;
    const rank = Number(variable.slice(RANK_VARIABLE.length));
    let watched = this.ranks.get(rank);
    if (!watched) {
      watched = { rank, pid, cores: [], waits: [] };
      this.ranks.set(rank, watched);
    }
    // Looked at anew each time: while MPI_Init explores the machine, it visits all cores in turn.
    watched.cores = allowedCores(pid);
    // The second number is the time on a run queue in nanoseconds: scheduler/sched-stats.
    const wait = Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]);
    watched.waits.push({ time: Date.now() / 1000, seconds: wait / 1e9 });
  }
}

/**
 * Share of its time that a rank waited for a core outside the given intervals (seconds since the
 * epoch): what the machine did to it by itself. Undefined if it was not watched long enough.
 */
export function ownNoise({ waits }: Watched, disturbed: readonly Interval[]): number | undefined {
  let waited = 0;
  let watched = 0;
  for (const [index, sample] of waits.entries()) {
    const before = waits[index - 1];
    if (!before) continue;
    const apart = disturbed.every(({ from, to }) => sample.time < from || before.time > to);
    if (!apart) continue;
    waited += sample.seconds - before.seconds;
    watched += sample.time - before.time;
  }
  return watched > 1 ? waited / watched : undefined;
}
