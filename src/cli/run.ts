import type { Command } from "commander";
import { endLike, isStartFailure } from "../launch/child.ts";
import { runJob } from "../launch/job.ts";
import { summaryOf } from "./commands.ts";
import type { Effects } from "./effects.ts";
import { packageVersion } from "./version.ts";

interface RunOptions {
  output?: string;
  quiet?: boolean;
}

const NOTES = `
The exit status is that of COMMAND. When nothing can be recorded, COMMAND runs all the same.
Its environment gets LD_PRELOAD, VARSCOPE_TRACE_DIR and, for Open MPI's daemons on other hosts,
OMPI_MCA_orte_launch_agent; nothing else is changed.

Examples:
  varscope run -- mpirun -n 4 ./program input.txt
  varscope run -o slow-night -- srun ./program`;

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
    .passThroughOptions()
    .addHelpText("after", NOTES)
    .action(async (command: string[], options: RunOptions) => {
      const ending = await runJob({
        command,
        output: options.output,
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
