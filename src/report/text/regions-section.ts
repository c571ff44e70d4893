import type { Imbalance, Region, Report } from "../model.ts";
import { formatMoment, formatPercent, formatSeconds, formatSecondsRange } from "./numbers.ts";
import { namesInWords, ranksInWords } from "./ranks.ts";
import { evidenceInWords } from "./region-evidence.ts";
import type { Style } from "./style.ts";
import { printable, wrap } from "./width.ts";
import { speed } from "./verdict.ts";

/** Regions listed in full; the rest is in the JSON report and the store. */
const MOST_REGIONS = 10;
/** A run impact below this share of the run is none. */
const NOTHING = 0.001;

/** Every region in words, largest loss first. */
export function regionsSection(report: Report, style: Style, width: number): string[] {
  const { regions, run } = report;
  if (regions.length === 0) return [];
  const lines = [style.bold("Variance regions")];
  for (const region of regions.slice(0, MOST_REGIONS)) {
    lines.push(...regionLines(region, regions, run, width));
  }
  if (regions.some(({ runImpactSeconds }) => runImpactSeconds === null)) {
    const text =
      "What this cost the job is not told: too few calls could be matched with those of other ranks, or there are too many to replay the run.";
    lines.push(...wrap(text, width, "  "));
  }
  if (regions.length > MOST_REGIONS) {
    const rest = regions.slice(MOST_REGIONS);
    const lost = rest.reduce((sum, region) => sum + region.lostSeconds, 0);
    const text = `and ${rest.length} more, which lost ${formatSeconds(lost)} together (all of them: varscope report --json)`;
    lines.push(...wrap(text, width, "  "));
  }
  return lines;
}

function regionLines(
  region: Region,
  all: readonly Region[],
  run: Report["run"],
  width: number,
): string[] {
  const number = `  ${region.id}. `;
  const indent = " ".repeat(number.length);
  const moment = (seconds: number) => formatMoment(seconds, run.wallSeconds);
  const who = ranksInWords(region.ranks, run.ranks);
  const hosts = namesInWords(region.hosts.map(printable));
  const own = region.ranks.length === 1 ? "its" : "their";
  const [low, high] = region.lostInterval;
  const facts = [
    `from ${moment(region.startSeconds)} to ${moment(region.endSeconds)}${inLoop(region, run)} at ${speed(region)} of ${own} speed`,
    `lost ${formatSeconds(region.lostSeconds)} of rank-time (95 % interval ${formatSecondsRange(low, high)}); ${chance(region.significance)}`,
  ];
  if (region.runImpactSeconds !== null) facts.push(impact(region, run.wallSeconds));
  if (region.throughout.length > 0) facts.push(throughout(region));
  facts.push(...evidenceInWords(region));
  if (region.victims.length > 0) {
    facts.push(`only waited meanwhile: ${ranksInWords(region.victims, run.ranks)}`);
  }
  const others = all.filter(({ event, id }) => event === region.event && id !== region.id);
  if (others.length > 0) {
    const which = others.map(({ id, kind }) => `${id} (${kind})`).join(", ");
    facts.push(`one event with ${which}, on the same ranks at the same time`);
  }
  facts.push(printable(region.advice));
  return [
    ...wrap(`${region.kind}, ${who} on ${hosts}${place(region)}`, width, number, indent),
    ...facts.flatMap((fact) => wrap(fact, width, indent)),
  ];
}

/** Where it lies in the main loop. */
function inLoop({ iterations }: Region, { iterations: all }: Report["run"]): string {
  if (!iterations || all === null) return "";
  const [first, last] = iterations;
  const which = first === last ? `iteration ${first}` : `iterations ${first} to ${last}`;
  return ` (${which} of ${all})`;
}

function impact({ runImpactSeconds, runImpactInterval }: Region, wallSeconds: number): string {
  const [low, high] = runImpactInterval!;
  if (runImpactSeconds! < NOTHING * wallSeconds)
    return "cost the job nothing: it would have ended as late without it";
  return `without it the job would have ended ${formatSeconds(runImpactSeconds!)} earlier (95 % interval ${formatSecondsRange(low, high)})`;
}

const SHOWN_BY: Readonly<Record<string, string>> = {
  probes: "probes of the core took longer, too",
  run_delay: "more of the time was spent waiting for a core",
  snippets: "several pieces of work took longer in the same proportion",
};

function throughout({ throughout: evidence }: Region): string {
  const shown = evidence.map((word) => SHOWN_BY[word] ?? printable(word));
  return `slow from start to end, not more work: ${shown.join("; ")}`;
}

/** What the ranks have in common, where it is their host. */
function place({ scope, hosts }: Region): string {
  if (scope !== "host") return "";
  return hosts.length === 1 ? ": the whole host" : ": all of these hosts";
}

function chance(significance: number): string {
  return `chance of this in an undisturbed run ${formatPercent(significance * 100)}`;
}

/** Ranks that took longer throughout the run. */
export function imbalancesSection(report: Report, style: Style, width: number): string[] {
  if (report.imbalances.length === 0) return [];
  const lines = report.imbalances.flatMap((imbalance) =>
    wrap(imbalanceInWords(imbalance, report.run.ranks), width, "  - ", "    "),
  );
  return [style.bold("Differences between ranks over the whole run"), ...lines];
}

function imbalanceInWords(imbalance: Imbalance, worldSize: number): string {
  const who = ranksInWords(imbalance.ranks, worldSize);
  const takes = imbalance.ranks.length === 1 ? "takes" : "take";
  const more = `${who} ${takes} ${formatPercent(imbalance.excessPercent)} longer for ${imbalance.kind} than the others throughout, ${formatSeconds(imbalance.costSeconds)} in all`;
  return imbalance.verdict === "imbalance"
    ? `${more}: more work was given to ${imbalance.ranks.length === 1 ? "it" : "them"} (imbalance, not slowness): ${printable(imbalance.reason)}`
    : `${more}: undecided, for time alone cannot tell more work from a slower core or host: ${printable(imbalance.reason)}`;
}
