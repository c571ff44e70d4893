import { hostname, machine, release, type } from "node:os";
import type { Command } from "commander";
import { examine } from "../launch/doctor/examine.ts";
import { canTrace, type Finding } from "../launch/doctor/finding.ts";
import { summaryOf } from "./commands.ts";
import type { Effects } from "./effects.ts";
import { packageVersion } from "./version.ts";

/** Adds `doctor` to the program. Exit code 1 if no job can be traced here. */
export function register(program: Command, effects: Effects): void {
  program
    .command("doctor")
    .summary(summaryOf("doctor"))
    .description("Tells what this machine offers and what is missing, with the fix.")
    .option("--json", "print the findings as JSON")
    .action((options: { json?: boolean }) => {
      const findings = examine(effects.environment, effects.workingDirectory);
      const system = `${type()} ${release()}, ${machine()}`;
      const able = canTrace(findings);
      const facts = { varscope: packageVersion(), host: hostname(), system, canTrace: able };
      if (options.json) {
        const text = JSON.stringify({ schema: "varscope.doctor/1", ...facts, findings }, null, 2);
        effects.out(`${text}\n`);
      } else {
        effects.out(`varscope ${facts.varscope} on ${facts.host} (${system})\n\n`);
        effects.out(findings.map(inWords).join(""));
        effects.out(`\n${able ? "Jobs can be traced here." : "No job can be traced here."}\n`);
      }
      if (!able) process.exitCode = 1;
    });
}

function inWords({ status, subject, detail, fix }: Finding): string {
  const line = `${status.padEnd(8)} ${subject.padEnd(20)} ${detail}\n`;
  return fix === undefined ? line : `${line}${" ".repeat(9)}-> ${fix}\n`;
}
