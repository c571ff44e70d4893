import { Command, CommanderError } from "commander";
import { UserError } from "../user-error.ts";
import { COMMANDS, type CommandEntry } from "./commands.ts";
import type { Effects } from "./effects.ts";
import { packageVersion } from "./version.ts";

const DESCRIPTION =
  "Tells whether a run of a parallel program was slowed down by something other than its own work, " +
  "where, when and by how much.";

const EXAMPLES = `
Examples:
  varscope run -- mpirun -n 4 ./program    record a run
  varscope report                          see what slowed the newest run here
  varscope COMMAND --help                  options of one command`;

/**
 * Parses `words` (without node and script), runs the command they name, and reports whatever goes
 * wrong in one line.
 * @returns exit code (DESIGN 4.1): 0 done, 1 failed, 2 wrong use
 */
export async function runCli(words: string[], effects: Effects): Promise<number> {
  try {
    const program = createProgram(effects);
    const wanted = wantedCommand(words);
    for (const entry of COMMANDS) {
      if (entry === wanted) (await entry.load()).register(program, effects);
      else program.command(entry.name).summary(entry.summary);
    }
    if (words.length === 0) {
      effects.err(program.helpInformation());
      return 2;
    }
    await program.parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    return reportFailure(error, effects);
  }
}

function createProgram(effects: Effects): Command {
  return new Command("varscope")
    .description(DESCRIPTION)
    .addHelpText("after", EXAMPLES)
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "options of one command")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: effects.out,
      writeErr: effects.err,
      // The failure is reported once, by reportFailure.
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min(effects.terminalColumns ?? 80, 120),
      getErrHelpWidth: () => Math.min(effects.terminalColumns ?? 80, 120),
    });
}

/** The one command that has to be loaded: the first word that is no option, or the one after `help`. */
function wantedCommand(words: string[]): CommandEntry | undefined {
  const [first, second] = words.filter((word) => !word.startsWith("-"));
  const name = first === "help" ? second : first;
  return COMMANDS.find((command) => command.name === name);
}

function reportFailure(error: unknown, effects: Effects): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // `varscope help` and a missing command end here after help was written.
    if (error.code === "commander.help") return 2;
    const message = oneLine(error.message.replace(/^error: /, ""));
    effects.err(`varscope: ${message}; see varscope --help\n`);
    return 2;
  }
  if (error instanceof UserError) {
    effects.err(`varscope: ${oneLine(error.message)}\n`);
    return error.exitCode;
  }
  const debug = Boolean(effects.environment["VARSCOPE_DEBUG"]);
  const text = error instanceof Error ? error.message : String(error);
  effects.err(`varscope: ${oneLine(text)} (set VARSCOPE_DEBUG=1 for details)\n`);
  if (debug && error instanceof Error) effects.err(`${error.stack ?? ""}\n`);
  return 1;
}

function oneLine(text: string): string {
  return text
    .split(/\s*\n\s*/)
    .filter((line) => line !== "")
    .join(" ");
}
