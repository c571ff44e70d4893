import type { TraceReader } from "./reader.ts";
import { nameRanks } from "./rank-list.ts";
import type { RankRow } from "./rank-row.ts";

/** Lines about one file beyond which the rest is only counted. */
const LINES_PER_FILE = 10;

/** Lines on damage of one file, the name first. */
export function damageLines(reader: TraceReader, later: readonly string[]): string[] {
  const all = [...reader.description.damage, ...later].map((line) => `${reader.name}: ${line}`);
  if (all.length <= LINES_PER_FILE) return all;
  const left = all.length - LINES_PER_FILE;
  return [...all.slice(0, LINES_PER_FILE), `${reader.name}: ${left} more damaged places`];
}

/** Ranks of the job whose trace was not found. */
export function missingRanksLine(worldSize: number, rows: readonly RankRow[]): string | undefined {
  const found = new Set(rows.map((row) => row.rank));
  const missing = Array.from({ length: worldSize }, (_, rank) => rank).filter((r) => !found.has(r));
  if (missing.length === 0) return undefined;
  return `${missing.length} of ${worldSize} ranks left no usable trace: ${nameRanks(missing)}`;
}

/** Processes that did not get to the end of MPI_Finalize, and calls that were not recorded. */
export function incompleteLines(rows: readonly RankRow[]): string[] {
  const lines: string[] = [];
  const unfinished = rows.filter((row) => !row.finalized);
  if (unfinished.length > 0) {
    const ends = unfinished.map((row) => Number(row.endNs) / 1e9);
    const first = Math.min(...ends).toFixed(3);
    const last = Math.max(...ends).toFixed(3);
    const when = first === last ? `at ${first} s` : `between ${first} and ${last} s`;
    lines.push(
      `${nameRanks(unfinished.map((row) => row.rank))} did not return from MPI_Finalize ` +
        `(killed, aborted or still running); the trace ends ${when}`,
    );
  }
  for (const row of rows) {
    // A process that was stopped inside a call leaves that one call per thread unfinished.
    if (row.lost <= (row.finalized ? 0 : row.threads)) continue;
    lines.push(`rank ${row.rank}: ${row.lost} of ${row.intercepted} calls are not in the trace`);
  }
  return lines;
}

/** What the interceptors reported, each text once with the ranks it comes from. */
export function problemLines(readers: readonly TraceReader[]): string[] {
  const ranksOf = new Map<string, number[]>();
  for (const { description } of readers) {
    for (const text of new Set(description.problems)) {
      ranksOf.set(text, [...(ranksOf.get(text) ?? []), description.rank]);
    }
  }
  return [...ranksOf].map(([text, ranks]) => `${nameRanks(ranks)}: ${text}`);
}
