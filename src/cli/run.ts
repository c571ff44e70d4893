import type { Command } from "commander";
import { endLike, isStartFailure } from "../launch/child.ts";
import { runJob } from "../launch/job.ts";
import {
  COUNTER_GROUPS,
  type RecordingOptions,
  recordingEnvironment,
} from "../launch/recording-options.ts";
import { summaryOf } from "./commands.ts";
import type { Effects } from "./effects.ts";
import { packageVersion } from "./version.ts";

interface RunOptions extends RecordingOptions {
  output?: string;
  quiet?: boolean;
}

const NOTES = `
The exit status is that of COMMAND. When nothing can be recorded, COMMAND runs all the same.
Its environment gets LD_PRELOAD, VARSCOPE_TRACE_DIR, a VARSCOPE_ variable for each option given and, for
Open MPI's daemons on other hosts, OMPI_MCA_orte_launch_agent; nothing else is changed.

Examples:
  varscope run -- mpirun -n 4 ./program input.txt
  varscope run -o slow-night -- srun ./program
  varscope run --budget 0.2 --max-trace 50MB -- mpirun -n 64 ./program`;

/** Adds `run` to the program. */
export function register(program: Command, effects: Effects): void {
  program
    .command("run")
    .summary(summaryOf("run"))
    .description("Starts a job under the interceptor and records what it does.")
    .usage("[options] -- COMMAND...")
    .argument("<command...>", "the command to start, with its words; put -- before it")
    .option("-o, --output <dir>", "run directory (default: varscope-PROGRAM-YYYYMMDD-HHMMSS)")
    .option("-q, --quiet", "say nothing about what was recorded or why it was not")
    .option(
      "--budget <pct>",
      "percent of run time that recording may cost; 0 counts calls only (default: 1)",
    )
    .option("--full", "record every call, whatever it costs")
    .option(
      "--call-paths [frames]",
      "tell calls apart by the path to them, not by their place alone (8 frames)",
    )
    .option("--counters <groups>", `with commas: ${COUNTER_GROUPS.join(", ")}`)
    .option("--no-io", "leave out file input and output")
    .option("--no-threads", "leave out threads, locks and OpenMP regions")
    .option("--no-probes", "do not probe the speed of cores")
    .option("--lock-wait <us>", "record waits of threads from this many microseconds (default: 10)")
    .option("--max-trace <size>", "most that each process may write, such as 200MB")
    .passThroughOptions()
    .addHelpText("after", NOTES)
    .action(async (command: string[], options: RunOptions) => {
      const recording = recordingEnvironment(options);
      const ending = await runJob({
        command,
        output: options.output,
        options: recording,
        environment: effects.environment,
        workingDirectory: effects.workingDirectory,
        varscopeVersion: packageVersion(),
        tell: (line) => {
          if (!options.quiet) effects.err(`varscope: ${line}\n`);
        },
      });
      if (isStartFailure(ending)) effects.err(`varscope: ${ending.problem}\n`);
      endLike(ending);
    });
}
