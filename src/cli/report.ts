import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { summaryOf } from "./commands.ts";
import type { Effects } from "./effects.ts";
import { textWidth, usesColor } from "./terminal.ts";

export interface ReportOptions {
  json?: boolean;
  text?: boolean;
  schema?: boolean;
  job?: string;
}

export function register(program: Command, effects: Effects): void {
  program
    .command("report")
    .summary(summaryOf("report"))
    .description("Which ranks were slow, when, and what it cost. Ingests and analyses when needed.")
    .argument("[dir]", "run directory (default: the newest one here)")
    .option("--json", "the whole report as JSON, schema varscope.report/1")
    .option("--text", "as text (the default)")
    .option("--schema", "print the JSON Schema of --json and end")
    .option("--job <id>", "the MPI job to report, when a run directory holds several")
    .action((dir: string | undefined, options: ReportOptions) =>
      reportCommand(dir, options, effects),
    );
}

/** `varscope report`. */
export async function reportCommand(
  dir: string | undefined,
  options: ReportOptions,
  effects: Effects,
): Promise<void> {
  if (options.schema) {
    effects.out(await readFile(new URL("../report/report.schema.json", import.meta.url), "utf8"));
    return;
  }
  const { prepareRun } = await import("./prepare.ts");
  const { buildReport } = await import("../report/build-report.ts");
  const { readRunRecord } = await import("../trace/run-directory.ts");
  const { directory, store, close } = await prepareRun(dir, options, effects);
  try {
    const report = await buildReport({ store, directory, record: readRunRecord(directory) });
    if (options.json) {
      const { formatJson } = await import("../report/json.ts");
      effects.out(formatJson(report));
    } else {
      const { renderText } = await import("../report/text/text.ts");
      effects.out(renderText(report, { width: textWidth(effects), color: usesColor(effects) }));
    }
  } finally {
    close();
  }
}
