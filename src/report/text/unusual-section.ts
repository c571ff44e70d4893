import type { Report, UnusualPath } from "../model.ts";
import { formatCount, formatMoment, formatSeconds } from "./numbers.ts";
import type { Style } from "./style.ts";
import { clipMiddle, printable, wrap } from "./width.ts";

const MOST_PATHS = 5;

/** What was done too seldom to be judged, but took long: listed, never judged. */
export function unusualSection(report: Report, style: Style, width: number): string[] {
  const { unusualPaths } = report;
  if (unusualPaths.length === 0) return [];
  const shown = unusualPaths.slice(0, MOST_PATHS);
  const lines = shown.flatMap((path) => [
    ...wrap(pathInWords(path, report.run.wallSeconds), width, "  - ", "    "),
    style.dim(`    ${clipMiddle(printable(path.site), width - 4)}`),
  ]);
  const more = unusualPaths.length - shown.length;
  if (more > 0) lines.push(...wrap(`and ${formatCount(more)} more`, width, "  "));
  return [style.bold("Unusual paths: long, but too rare to judge"), ...lines];
}

function pathInWords(path: UnusualPath, wallSeconds: number): string {
  const what =
    path.kind === "compute"
      ? printable(`compute ${path.from} > ${path.to}`)
      : printable(`${path.kind} ${path.to}`);
  const times = path.fragments === 1 ? "once" : `${formatCount(path.fragments)} times`;
  const on = path.ranks === 1 ? `rank ${path.longestRank}` : `${formatCount(path.ranks)} ranks`;
  const longest = `${formatSeconds(path.longestSeconds)} at ${formatMoment(path.longestStartSeconds, wallSeconds)}`;
  if (path.fragments === 1) return `${what}: ${times}, on ${on}, ${longest}`;
  const where = path.ranks === 1 ? "" : ` on rank ${path.longestRank}`;
  return `${what}: ${times} on ${on}, ${formatSeconds(path.totalSeconds)} in all; the longest ${longest}${where}`;
}
