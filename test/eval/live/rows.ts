import { atLeast, atMost, mean, percentOf, type Row, upTo } from "../row.ts";
import { intersectionOverUnion, type Region } from "../score/region.ts";
import { type RegionScore, scoreRegions, sumScores } from "../score/regions.ts";
import type { LiveRun } from "./run.ts";
import { WAYS } from "./ways.ts";

/** A disturbance must have slowed its victim by this share of its time to count as one. */
const LEAST_EFFECT = 0.05;
/** The kernel confirms a region if it lays this share of its loss to the machine. */
const CONFIRMED = 0.5;

type Setting = "byDefault" | "sensitive";

/** The table of live runs. */
export function liveRows(all: readonly LiveRun[]): Row[] {
  const disturbed = all.filter(({ way }) => way !== "nothing");
  const effective = disturbed.filter((run) => hadEffect(run, all));
  const common = { part: "live", bar: "", unit: "%" as const };
  return [
    ...undisturbedRows(all.filter(({ way }) => way === "nothing")),
    {
      ...common,
      what: "disturbances without effect on the victim's pace",
      values: ours(100 - percentOf(disturbed, (run) => hadEffect(run, all))),
      runs: disturbed.length,
      details: { runs: all },
    },
    ...regionRows(effective, "byDefault", ""),
    ...WAYS.flatMap((way): Row[] => {
      const some = effective.filter((run) => run.way === way);
      if (some.length === 0) return [];
      const { matched, true: all_ } = score(some, "byDefault");
      const what = `recall: ${way}`;
      return [{ ...common, what, values: ours((100 * matched) / all_), runs: some.length }];
    }),
    ...regionRows(effective, "sensitive", ", sensitive"),
    ...noiseRows(all),
  ];
}

const none = ({ found }: { found: Region[] }) => found.length === 0;
/** Whether any region of a run is confirmed neither by the kernel nor by the probes, or not by those asked for. */
function unconfirmed({ byDefault }: LiveRun, kernel: boolean, probes: boolean): boolean {
  return byDefault.found.some(
    (_, i) =>
      !(kernel && byDefault.machine[i]! >= CONFIRMED) && !(probes && byDefault.probes[i]!.confirm),
  );
}

function undisturbedRows(quiet: readonly LiveRun[]): Row[] {
  const common = { part: "live", unit: "%" as const, runs: quiet.length };
  return [
    {
      ...common,
      what: "undisturbed runs without a region",
      bar: ">= 99 %",
      reaches: atLeast(99),
      values: ours(percentOf(quiet, (run) => none(run.byDefault))),
    },
    {
      ...common,
      what: "  without one that the kernel does not confirm",
      bar: "",
      values: ours(percentOf(quiet, (run) => !unconfirmed(run, true, false))),
    },
    {
      ...common,
      what: "  without one that the probes do not confirm",
      bar: "",
      values: ours(percentOf(quiet, (run) => !unconfirmed(run, false, true))),
    },
    {
      ...common,
      what: "  without one that neither confirms",
      bar: "",
      values: ours(percentOf(quiet, (run) => !unconfirmed(run, true, true))),
    },
    ...probeRows(quiet),
    {
      ...common,
      what: "  bins flagged",
      bar: "<= 1 %",
      reaches: atMost(1),
      values: ours(100 * mean(quiet.map(({ byDefault }) => byDefault.flagged))),
    },
    {
      ...common,
      what: "  without a region, sensitive",
      bar: "",
      values: ours(percentOf(quiet, (run) => none(run.sensitive))),
    },
  ];
}

function meanRow(what: string, values: readonly number[]): Row {
  return { part: "live", bar: "", unit: "", what, values: ours(mean(values)), runs: values.length };
}

/** How much the probes had to go by. */
function probeRows(quiet: readonly LiveRun[]): Row[] {
  const regions = quiet.flatMap(({ byDefault }) => byDefault.probes);
  return [
    meanRow(
      "  probes of a kind on a rank, mean",
      quiet.map((run) => run.probesPerRank),
    ),
    meanRow(
      "  probes inside a region, mean",
      regions.map(({ inside }) => inside),
    ),
    meanRow(
      "  probes outside it, mean",
      regions.map(({ outside }) => outside),
    ),
  ];
}

function regionRows(runs: readonly LiveRun[], setting: Setting, suffix: string): Row[] {
  const { matched, found, overlaps, errors, true: done } = score(runs, setting);
  const common = { part: "live", bar: "", unit: "%" as const, runs: runs.length };
  const off = errors.map(Math.abs);
  return [
    { ...common, what: `precision, by region${suffix}`, values: ours((100 * matched) / found) },
    { ...common, what: `recall, by region${suffix}`, values: ours((100 * matched) / done) },
    {
      ...common,
      what: `intersection over union, mean${suffix}`,
      bar: ">= 0.7",
      reaches: atLeast(0.7),
      unit: "",
      values: ours(mean(overlaps)),
    },
    {
      ...common,
      what: `lost seconds: error, median${suffix}`,
      bar: "<= 15 %",
      reaches: atMost(15),
      values: ours(100 * upTo(off, 0.5)),
      runs: off.length,
    },
    {
      ...common,
      what: `lost seconds: error, 9 of 10${suffix}`,
      bar: "<= 15 %",
      reaches: atMost(15),
      values: ours(100 * upTo(off, 0.9)),
      runs: off.length,
    },
  ];
}

function noiseRows(all: readonly LiveRun[]): Row[] {
  const common = { part: "live", bar: "", unit: "%" as const, runs: all.length };
  const worst = (what: string, of: (run: LiveRun) => number): Row => ({
    ...common,
    what,
    values: ours(100 * upTo(all.map(of), 1)),
  });
  return [
    worst("time a rank waited for its core by itself, worst", ({ waited }) => waited),
    worst("time stolen from a core, worst", ({ stolen }) => stolen),
  ];
}

/** How far the victim fell behind, as a share of the interval. */
function shareBehind({ behind, startNs, endNs }: LiveRun): number {
  return ((behind ?? 0) * 1e9) / (endNs - startNs);
}

/** The victim fell behind: by 5 % of the time and more than nine of ten undisturbed ranks do in as long an interval. */
function hadEffect(run: LiveRun, all: readonly LiveRun[]): boolean {
  const usual = all
    .filter(({ program, way }) => program === run.program && way === "nothing")
    .map((one) => Math.abs(shareBehind(one)));
  return shareBehind(run) >= Math.max(LEAST_EFFECT, upTo(usual, 0.9) || 0);
}

function score(runs: readonly LiveRun[], setting: Setting): RegionScore {
  return sumScores(
    runs.map((run) => scoreRegions([truthOf(run, run[setting].found)], run[setting].found)),
  );
}

/**
 * What was done, with the loss by the injector's account or else by how far the victim fell behind. A stop hits whatever the victim is doing, work
 * or a call, so it has the kind of the found region that is most like it.
 */
function truthOf(run: LiveRun, found: readonly Region[]): Region {
  const { rank, startNs, endNs, accounted, behind } = run;
  const parts = [{ rank, startNs, endNs }];
  const lostNs = (accounted ?? behind ?? Number.NaN) * 1e9;
  const like = (region: Region) => intersectionOverUnion(region.parts, parts);
  const nearest = found.toSorted((a, b) => like(b) - like(a))[0];
  const kind = run.way === "stop" && nearest ? nearest.kind : run.kind;
  return { kind, parts, lostNs };
}

function ours(value: number): Row["values"] {
  return Number.isNaN(value) ? {} : { ours: value };
}
