/** Entry of the `varscope` command; bin/varscope.js loads it. */
import { realEffects } from "./effects.ts";
import { runCli } from "./program.ts";

for (const stream of [process.stdout, process.stderr]) {
  // The reader of a pipe may leave at any time (`varscope report | head`); that is no failure of ours.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 0 : 1);
  });
}

const exitCode = await runCli(process.argv.slice(2), realEffects());
// `run` passes the exit status of its job through process.exitCode; only a failure may replace it.
if (exitCode !== 0) process.exitCode = exitCode;
