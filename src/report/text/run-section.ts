import type { Report, RunSummary } from "../model.ts";
import { formatMoment, formatSeconds } from "./numbers.ts";
import { namesInWords, ranksInWords } from "./ranks.ts";
import type { Style } from "./style.ts";
import { clipEnd, clipMiddle, printable, wrap } from "./width.ts";

const LABEL = 12;
const COMMAND_LINES = 3;

/** Who, where, when, and whether all of it was recorded. */
export function runSection(report: Report, style: Style, width: number): string[] {
  const { run } = report;
  const field = (label: string, text: string) => {
    const lines = wrap(text, width, " ".repeat(LABEL + 2));
    return lines.map((line, at) =>
      at === 0 ? `  ${label.padEnd(LABEL)}${line.slice(LABEL + 2)}` : line,
    );
  };
  const command = field("command", printable(run.command.map(quoteWord).join(" ")));
  if (command.length > COMMAND_LINES) {
    const rest = command.splice(COMMAND_LINES - 1, Infinity);
    const last = rest.map((line, at) => (at === 0 ? line : line.trimStart())).join(" ");
    command.push(clipEnd(last, width));
  }
  const path = clipMiddle(printable(run.directory), width - LABEL - 2);
  return [
    style.bold("Run"),
    ...command,
    ...field("program", clipMiddle(printable(run.program), width - LABEL - 2)),
    ...field("where", whereInWords(run)),
    ...field("when", `${utc(run.startedAt)}, ${duration(run.wallSeconds)}`),
    ...(run.complete
      ? field("complete", "yes")
      : field("complete", `NOT COMPLETE: ${whyIncomplete(run)}`).map(style.bad)),
    ...(run.directory === "" ? [] : field("directory", path)),
  ];
}

function whereInWords(run: RunSummary): string {
  const ranks = run.ranks === 1 ? "1 rank" : `${run.ranks} ranks`;
  const hosts = namesInWords(run.hosts.map(printable));
  const count = run.hosts.length > 1 ? `${run.hosts.length} hosts: ` : "";
  const mpi = printable(`${run.mpi.implementation} ${run.mpi.version}`.trim());
  return `${ranks} on ${count}${hosts}${mpi === "" ? "" : `, ${mpi}`}`;
}

function whyIncomplete(run: RunSummary): string {
  const reasons: string[] = [];
  if (run.unfinishedRanks.length > 0) {
    const who = ranksInWords(run.unfinishedRanks, run.ranks);
    reasons.push(`${who} ended without MPI_Finalize, or records are missing`);
  }
  if (run.missingRanks.length > 0) {
    reasons.push(`no trace of ${ranksInWords(run.missingRanks, run.ranks)}`);
  }
  if (run.signal !== null) reasons.push(`the command was ended by ${printable(run.signal)}`);
  else if (run.exitCode !== null && run.exitCode !== 0) {
    reasons.push(`the command ended with status ${run.exitCode}`);
  }
  return reasons.length > 0 ? reasons.join("; ") : "see the warnings below";
}

function utc(iso: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(iso)
    ? `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
    : "start not known";
}

function duration(seconds: number): string {
  if (seconds < 600) {
    return seconds < 1 ? formatSeconds(seconds) : formatMoment(seconds, seconds);
  }
  const minutes = Math.round(seconds / 60);
  const words =
    minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${formatSeconds(seconds)} (${words})`;
}

/** As one would type it in a shell. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
