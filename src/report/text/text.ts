import type { Kind, Report } from "../model.ts";
import { coverageSection } from "./coverage-section.ts";
import { drawHeatmap } from "./heatmap.ts";
import { formatBytes, formatCount, formatPercent, threeDigits } from "./numbers.ts";
import { imbalancesSection, regionsSection } from "./regions-section.ts";
import { runSection } from "./run-section.ts";
import { sensorsSection } from "./sensors-section.ts";
import { createStyle, type Style } from "./style.ts";
import { unusualSection } from "./unusual-section.ts";
import { verdict } from "./verdict.ts";
import { waitsSection } from "./waits-section.ts";
import { printable, wrap } from "./width.ts";

export interface TextOptions {
  /** Columns; no line is wider. At least 60. */
  width: number;
  color: boolean;
}

const MIN_WIDTH = 60;
const MAX_ROWS = 16;
const MAX_WARNINGS = 20;

/** The report as text: the verdict first, then what supports it, then how far it can be trusted. */
export function renderText(report: Report, options: TextOptions): string {
  const style = createStyle(options.color);
  const width = Math.max(options.width, MIN_WIDTH);
  const sections = [
    verdictLines(report, style, width),
    runSection(report, style, width),
    regionsSection(report, style, width),
    imbalancesSection(report, style, width),
    waitsSection(report, style, width),
    ...heatmapSections(report, style, width),
    coverageSection(report.quality, width),
    sensorsSection(report, style, width),
    unusualSection(report, style, width),
    qualityLines(report, width),
    warningsSection(report, style, width),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function verdictLines(report: Report, style: Style, width: number): string[] {
  const paint =
    report.regions.length > 0 ? style.bad : report.run.complete ? style.good : style.warn;
  return wrap(verdict(report), width).map(paint);
}

/** A kind that no v-sensor judges is said to be unknown, not left out. */
function heatmapSections(report: Report, style: Style, width: number): string[][] {
  const kinds = new Set<Kind>(["compute", "communication"]);
  for (const heatmap of report.heatmaps) kinds.add(heatmap.kind);
  return [...kinds].map((kind) => {
    const heatmap = report.heatmaps.find((each) => each.kind === kind);
    const lines = heatmap ? drawHeatmap(heatmap, report.regions, style, width, MAX_ROWS) : [];
    const title = `Speed over time: ${kind}`;
    if (lines.length === 0) return [`${style.bold(title)}: unknown (no v-sensor)`];
    lines.unshift(style.bold(`${title}, in percent of the reference`));
    return lines;
  });
}

/** intercepted = recorded + sampled out + lost, and what the tool itself cost. */
function qualityLines(report: Report, width: number): string[] {
  const { events, overhead, traceBytes } = report.quality;
  const perCall =
    events.recorded > 0 ? `, ${threeDigits(traceBytes / events.recorded)} bytes a call` : "";
  const texts = [
    `Calls: ${formatCount(events.intercepted)} intercepted = ${formatCount(events.recorded)} recorded + ${formatCount(events.sampledOut)} sampled out + ${formatCount(events.lost)} lost`,
    `Overhead: ${formatPercent(overhead.percent)} of rank-time (${overhead.method}); trace ${formatBytes(traceBytes)}${perCall}`,
  ];
  return texts.flatMap((text) => wrap(text, width, "", "  "));
}

function warningsSection(report: Report, style: Style, width: number): string[] {
  const { warnings } = report.quality;
  if (warnings.length === 0) return [];
  const shown = warnings.slice(0, MAX_WARNINGS);
  if (warnings.length > MAX_WARNINGS) shown.push(`and ${warnings.length - MAX_WARNINGS} more`);
  const lines = shown.flatMap((warning) => wrap(printable(warning), width, "  - ", "    "));
  return [style.bold("Warnings"), ...lines.map(style.warn)];
}
