import type { Report, Wait } from "../model.ts";
import { formatCount, formatPercent, formatSeconds } from "./numbers.ts";
import { ranksInWords } from "./ranks.ts";
import type { Style } from "./style.ts";
import { layoutTable } from "./table.ts";
import { clipMiddle, printable, wrap } from "./width.ts";

const MOST_WAITS = 5;
/** Of all waiting; what is less is not worth a line. */
const LEAST_SHARE = 0.01;
/** Of all waiting; who is waited for less is not worth a name. */
const LEAST_CAUSE = 0.1;
const MOST_CAUSES = 3;
/** Of calls; fewer without their partners change nothing. */
const MANY_UNMATCHED = 0.01;

/** How much ranks waited for late ones: by kind, for whom, and where. */
export function waitsSection(report: Report, style: Style, width: number): string[] {
  const { waiting, waits, quality, run } = report;
  const known = unmatchedLine(quality.matching.collectives, width);
  if (waiting.seconds <= 0)
    return known.length > 0 ? [style.bold("Waiting: unknown"), ...known] : [];
  const heading = `Waiting in calls: ${formatSeconds(waiting.seconds)}, ${formatPercent(waiting.percent)} of rank-time`;
  const shown = waits
    .slice(0, MOST_WAITS)
    .filter(
      ({ waitingSeconds }, at) => at === 0 || waitingSeconds >= LEAST_SHARE * waiting.seconds,
    );
  return [
    style.bold(heading),
    ...kindLines(report, width),
    ...causeLine(report, width),
    ...shown.flatMap((wait) => {
      const place = style.dim(`    ${clipMiddle(printable(wait.source ?? wait.site), width - 4)}`);
      return wrap(waitInWords(wait, run.ranks), width, "  - ", "    ").concat(place);
    }),
    ...known,
  ];
}

function kindLines({ waiting }: Report, width: number): string[] {
  const rows = waiting.kinds
    .filter(({ waitingSeconds }, at) => at === 0 || waitingSeconds >= LEAST_SHARE * waiting.seconds)
    .map(({ kind, calls, waitingSeconds }) => [
      printable(kind),
      formatSeconds(waitingSeconds),
      formatPercent((100 * waitingSeconds) / waiting.seconds),
      `${formatCount(calls)} ${calls === 1 ? "call" : "calls"}`,
    ]);
  const right = { title: "", right: true };
  return layoutTable([{ title: "", flexible: true }, right, right, right], rows, width);
}

/** Names those that a good part of all waiting was for, or says that nobody stands out. */
function causeLine({ waiting, run }: Report, width: number): string[] {
  const share = (seconds: number) => formatPercent((100 * seconds) / waiting.seconds);
  const large = waiting.causes
    .slice(0, MOST_CAUSES)
    .filter(({ waitingSeconds }) => waitingSeconds >= LEAST_CAUSE * waiting.seconds)
    .map(({ rank, waitingSeconds }) => `rank ${rank} (${share(waitingSeconds)})`);
  if (large.length > 0) return wrap(`waited for most: ${large.join(", ")}`, width, "  ", "    ");
  if (run.ranks <= MOST_CAUSES) return [];
  return wrap("waited for: many ranks, none of them for a tenth of it", width, "  ", "    ");
}

function waitInWords(wait: Wait, worldSize: number): string {
  const who = ranksInWords(wait.ranks, worldSize);
  const whom = wait.causeRank >= 0 ? ` for rank ${wait.causeRank}` : "";
  const calls = `${formatCount(wait.calls)} ${wait.calls === 1 ? "call" : "calls"}`;
  return `${who} waited ${formatSeconds(wait.waitingSeconds)}${whom} in ${printable(wait.call)} (${printable(wait.kind)}, ${calls})`;
}

function unmatchedLine(
  { calls, unmatched }: { calls: number; unmatched: number },
  width: number,
): string[] {
  if (calls === 0 || unmatched < MANY_UNMATCHED * calls) return [];
  const text = `${formatPercent((100 * unmatched) / calls)} of the collective calls are without their partners on other ranks (left out, lost, or never made): waiting in them is not known`;
  return wrap(text, width, "  ", "  ");
}
