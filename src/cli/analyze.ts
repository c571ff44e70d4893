import type { Command } from "commander";
import { summaryOf } from "./commands.ts";
import type { Effects } from "./effects.ts";

export interface AnalyzeCommandOptions {
  force?: boolean;
  job?: string;
  sensitive?: boolean;
}

export function register(program: Command, effects: Effects): void {
  program
    .command("analyze")
    .summary(summaryOf("analyze"))
    .description("Ingests and analyses a run, if its store is missing or outdated.")
    .argument("[dir]", "run directory (default: the newest one here)")
    .option("-f, --force", "do it even if the store is up to date")
    .option(
      "--sensitive",
      "report slow-downs of a few percent, too, that no counter confirms (for machines without other users)",
    )
    .option("--job <id>", "the MPI job to analyse, when a run directory holds several")
    .action((dir: string | undefined, options: AnalyzeCommandOptions) =>
      analyzeCommand(dir, options, effects),
    );
}

/** `varscope analyze`: one line that says what came of it. */
export async function analyzeCommand(
  dir: string | undefined,
  options: AnalyzeCommandOptions,
  effects: Effects,
): Promise<void> {
  const { prepareRun } = await import("./prepare.ts");
  const { formatCount } = await import("../report/text/numbers.ts");
  const { directory, store, close } = await prepareRun(dir, options, effects);
  try {
    const counts = await store.row<{
      ranks: number;
      calls: number;
      sensors: number;
      regions: number;
    }>(`
      SELECT (SELECT count(*) FROM ranks) AS ranks,
             (SELECT coalesce(sum(recorded), 0)::BIGINT FROM ranks) AS calls,
             (SELECT count(*) FROM work_classes WHERE status = 'vsensor') AS sensors,
             (SELECT count(*) FROM regions) AS regions`);
    if (!counts) throw new Error("counting gave no row");
    const some = (count: number, word: string) =>
      `${formatCount(count)} ${word}${count === 1 ? "" : "s"}`;
    effects.out(
      `${directory.path}: ${some(counts.ranks, "rank")}, ${some(counts.calls, "call")}, ` +
        `${some(counts.sensors, "v-sensor")}, ${some(counts.regions, "variance region")}\n`,
    );
  } finally {
    close();
  }
}
