import type { Quality, Region, Report } from "../model.ts";
import { formatMoment, formatPercent, formatSeconds } from "./numbers.ts";
import { ranksInWords } from "./ranks.ts";

/** Below this share of rank-time judged, "nothing found" says little; below the lower one, nothing. */
const LOW_COVERAGE_PERCENT = 30;
const TOO_LOW_PERCENT = 3;

/** What the run's report comes to, in one or two plain sentences. */
export function verdict(report: Report): string {
  const { regions, quality, run } = report;
  const stopped = run.complete ? "" : " The run is not complete: this holds for what was recorded.";
  const [worst] = regions;
  if (worst) {
    const many = regions.length > 1;
    const lost = regions.reduce((sum, region) => sum + region.lostSeconds, 0);
    const count = many ? `${regions.length} variance regions; the worst: ` : "1 variance region: ";
    const total = many ? ` (all together ${formatSeconds(lost)})` : "";
    return `${count}${regionInWords(worst, run)}${total}.${stopped}`;
  }
  const judged = `${formatPercent(quality.coverage.percent)} of rank-time`;
  if (report.sensors.length === 0 || quality.coverage.percent < TOO_LOW_PERCENT) {
    return `Cannot tell: v-sensors judge only ${judged}; ${mostUnjudged(quality)}.${stopped}`;
  }
  if (quality.coverage.percent < LOW_COVERAGE_PERCENT) {
    return `No variance found, but v-sensors judge only ${judged}.${stopped}`;
  }
  return `No variance found: v-sensors judge ${judged}, all near their reference speed.${stopped}`;
}

/** What the largest part is that v-sensors do not judge. */
function mostUnjudged(quality: Quality): string {
  const { parts, totalRankSeconds } = quality.coverage;
  const words: [number, string][] = [
    [parts.varyingWork, "is work whose time varies all along"],
    [parts.tooFewRepeats, "is work that repeats too rarely"],
    [parts.waiting, "is waiting for other ranks"],
    [parts.sampledOut, "was sampled out"],
    [parts.untraced, "was not traced"],
  ];
  const [seconds, what] = words.reduce((most, next) => (next[0] > most[0] ? next : most));
  return `${formatPercent((100 * seconds) / Math.max(totalRankSeconds, 1e-9))} ${what}`;
}

/** "rank 1 ran at 52 % of its speed from 6.1 s to 11.9 s and lost 2.9 s". */
function regionInWords(region: Region, run: Report["run"]): string {
  const ranks = ranksInWords(region.ranks, run.ranks);
  const own = region.ranks.length === 1 ? "its" : "their";
  const subjects: Partial<Record<Region["kind"], string>> = {
    communication: `messages of ${ranks} ran at ${speed(region)} of their speed`,
    io: `file accesses of ${ranks} ran at ${speed(region)} of their speed`,
  };
  const what = subjects[region.kind] ?? `${ranks} ran at ${speed(region)} of ${own} speed`;
  const moment = (seconds: number) => formatMoment(seconds, run.wallSeconds);
  const when = `from ${moment(region.startSeconds)} to ${moment(region.endSeconds)}`;
  return `${what} ${when} and lost ${formatSeconds(region.lostSeconds)}`;
}

/** Speed inside a region; never rounded up to "100 %". */
export function speed(region: Region): string {
  return formatPercent(Math.min(region.performance * 100, 99));
}
