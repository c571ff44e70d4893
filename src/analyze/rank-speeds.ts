import type { ProbeDifference, RankEvidence } from "./rank-evidence.ts";
import { groupRows, othersQuantile } from "./peers.ts";
import { differences, type SnippetTime } from "./snippet-times.ts";

/**
 * slow: its own work took longer throughout because its core or host is slower. as_fast: it took longer although its
 * core is as fast as others. undecided: it took longer, and nothing tells why. usual: it did not take longer.
 */
export type SpeedVerdict = "slow" | "as_fast" | "undecided" | "usual";

export interface RankSpeed {
  rank: number;
  verdict: SpeedVerdict;
  /** Time of the same work, own above that of the peers: 0.1 is 10 % longer. */
  excess: number;
  /** The part of it that the evidence lays on the machine; 0 unless slow. */
  slowdown: number;
  /** What the verdict rests on: words of `probes`, `run_delay`, `snippets` with commas; '' if on nothing. */
  evidence: string;
  /** Largest difference of a kind of probe, and waiting for a core, as excess is; NULL: not known. */
  probes: number | null;
  runDelay: number | null;
  /** Chance that a rank as fast as the others takes so much longer. */
  chance: number;
  /** Standard error of log(1 + excess), with what ranks that are equally fast differ by. */
  error: number;
}

/** Same work on several ranks is as long to this (log), and better than that it cannot be known. */
const LEAST_SPREAD = 0.012;
/** Evidence must explain this share of the excess; what explains less leaves most of it to the work. */
const EXPLAINED = 0.5;
/** Above this share all of the excess is the machine's: programs use the parts of a core in their own proportions. */
const FULLY = 0.75;
/** A probe is slower if it is so by this many standard errors, and as fast within this many. */
const SURE = 3;
const WITHIN = 2;
/** Waiting for a core that is below this (log) is nothing. */
const LEAST_DELAY = 0.03;
/** A snippet counts from this share of the rank's compared time; so many are needed; share that may have other sizes. */
const SUBSTANTIAL = 0.05;
const SEVERAL = 3;
const UNLIKE = 0.1;
/** Share of varying work above which a comparison is one of varying work. */
const MOSTLY = 0.5;
/** Their excesses (log) are in the same proportion within a factor of this, or this much apart. */
const ALIKE = 1.5;
const NOISE = 0.02;

/** A rank against its peers: log ratios of the same work, snippet by snippet, weighted by the peers' time. */
interface Comparison {
  rank: number;
  logs: number[];
  weights: number[];
  /** log(1 + excess) */
  level: number;
  /** Standard error of it, from work that varies. */
  error: number;
  /** Time of snippets whose work varies, as share of what was compared. */
  varying: number;
  /** Time of snippets whose sizes or counts differ from the peers', as share of all compared. */
  unlike: number;
}

/**
 * Judges all ranks that have work which others have, too.
 * @param minExcess excess below this is usual, maxChance the chance that is still accepted
 * @param probed cores were probed: then snippets alone, which may all be larger on one rank, do not name it slow
 */
export function judgeRanks(
  times: readonly SnippetTime[],
  evidence: readonly RankEvidence[],
  minExcess: number,
  maxChance: number,
  probed: boolean,
): RankSpeed[] {
  const compared = compareWork(times);
  const spread = spreadOf(compared);
  const evidenceOf = new Map(evidence.map((one) => [one.rank, one]));
  return compared.map((one) => {
    const own = evidenceOf.get(one.rank) ?? { rank: one.rank, probes: [], delay: undefined };
    const error = Math.hypot(spread, one.error);
    const chance = Math.min(1, compared.length * Math.exp(-0.5 * (one.level / error) ** 2));
    const longer = one.level >= Math.log1p(minExcess) && chance <= maxChance;
    const most = own.probes.length > 0 ? Math.max(...own.probes.map((p) => p.difference)) : null;
    const known = {
      rank: one.rank,
      excess: Math.expm1(one.level),
      probes: most === null ? null : Math.expm1(most),
      runDelay: own.delay === undefined ? null : Math.expm1(own.delay),
      chance: one.level > 0 ? chance : 1,
      error,
    };
    return Object.assign(known, longer ? judge(one, own, minExcess, probed) : USUAL);
  });
}

type Judgement = Pick<RankSpeed, "verdict" | "slowdown" | "evidence">;

const USUAL: Judgement = { verdict: "usual", slowdown: 0, evidence: "" };

function judge(
  one: Comparison,
  { probes, delay }: RankEvidence,
  minExcess: number,
  probed: boolean,
): Judgement {
  const slower = Math.max(0, ...probes.filter(isSlower).map(({ difference }) => difference));
  const delayed = delay !== undefined && delay >= LEAST_DELAY ? delay : 0;
  const explained = slower + delayed;
  const level = explained >= FULLY * one.level ? one.level : explained;
  if (explained >= EXPLAINED * one.level && level >= Math.log1p(minExcess)) {
    const words = [slower > 0 ? "probes" : "", delayed > 0 ? "run_delay" : ""];
    return {
      verdict: "slow",
      slowdown: Math.expm1(level),
      evidence: words.filter((word) => word !== "").join(","),
    };
  }
  // Work that varies by itself can differ between ranks by itself: only the machine's own word counts.
  if (one.varying > MOSTLY) return USUAL;
  if (isAsFast(one, probes, delay)) {
    return { verdict: "as_fast", slowdown: 0, evidence: "probes,run_delay" };
  }
  if (!probed && slowsAlike(one)) {
    return { verdict: "slow", slowdown: Math.expm1(one.level), evidence: "snippets" };
  }
  return { verdict: "undecided", slowdown: 0, evidence: "" };
}

function isSlower({ difference, error }: ProbeDifference): boolean {
  return difference >= SURE * error;
}

/** True if no part of the machine that is probed can be slower by what would explain the excess. */
function isAsFast(
  { level }: Comparison,
  probes: readonly ProbeDifference[],
  delay: number | undefined,
): boolean {
  return (
    probes.length >= 3 &&
    delay !== undefined &&
    delay < EXPLAINED * level &&
    probes.every(({ difference, error }) => difference + WITHIN * error < EXPLAINED * level)
  );
}

/** Whether several snippets, and all that matter, took longer in the same proportion, with the same sizes and counts. */
function slowsAlike({ logs, weights, level, unlike }: Comparison): boolean {
  const all = weights.reduce((a, b) => a + b, 0);
  const substantial = logs.filter((_, i) => weights[i]! >= SUBSTANTIAL * all);
  return (
    unlike <= UNLIKE &&
    substantial.length >= SEVERAL &&
    substantial.every((log) => log >= level / ALIKE - NOISE && log <= level * ALIKE + NOISE) &&
    substantial.every((log) => log > 0)
  );
}

/** One snippet on one rank as against its peers, log of the ratio of mean times. */
interface Ratio {
  log: number;
  /** The peers' time for this rank's fragments, ns. */
  weight: number;
  error: number;
  varying: boolean;
}

function compareWork(times: readonly SnippetTime[]): Comparison[] {
  const bySnippet = groupRows(times, ({ snippet }) => snippet);
  const ranks = [...new Set(times.map(({ rank }) => rank))].toSorted((a, b) => a - b);
  const found = new Map(ranks.map((rank) => [rank, { ratios: [] as Ratio[], otherNs: 0 }]));
  for (const rows of bySnippet.values()) {
    if (rows.length < 2 || rows.length * 2 < ranks.length) continue;
    const differs = differences(rows);
    const ratios = ratiosOf(rows);
    for (const [i, own] of rows.entries()) {
      const sum = found.get(own.rank)!;
      if (differs[i]) sum.otherNs += own.ns;
      else sum.ratios.push(ratios[i]!);
    }
  }
  return ranks.flatMap((rank) => {
    const { ratios, otherNs } = found.get(rank)!;
    if (ratios.length === 0) return [];
    const all = comparison(rank, ratios, otherNs);
    // A little work that varies says less than the rest.
    return all.varying > 0 && all.varying <= MOSTLY
      ? [
          comparison(
            rank,
            ratios.filter(({ varying }) => !varying),
            otherNs,
          ),
        ]
      : [all];
  });
}

/** Each rank's time of one snippet against the median of the others. */
function ratiosOf(rows: readonly SnippetTime[]): Ratio[] {
  const peers = othersQuantile(
    rows.map((row) => row.ns / row.fragments),
    0.5,
  );
  const errors = othersQuantile(
    rows.map((row) => row.varying ?? 0),
    0.5,
  );
  return rows.map((own, i) => ({
    log: Math.log(own.ns / own.fragments / peers[i]!),
    weight: peers[i]! * own.fragments,
    error: Math.hypot(own.varying ?? 0, errors[i]!),
    varying: own.varying !== undefined,
  }));
}

function comparison(rank: number, ratios: readonly Ratio[], otherNs: number): Comparison {
  const sum = (of: (ratio: Ratio) => number) => ratios.reduce((all, ratio) => all + of(ratio), 0);
  const peers = sum(({ weight }) => weight);
  const own = sum(({ weight, log }) => weight * Math.exp(log));
  return {
    rank,
    logs: ratios.map(({ log }) => log),
    weights: ratios.map(({ weight }) => weight),
    level: Math.log(own / peers),
    error: Math.sqrt(sum(({ weight, error }) => (weight * error) ** 2)) / peers,
    varying: sum(({ weight, varying }) => (varying ? weight : 0)) / peers,
    unlike: otherNs / (own + otherNs),
  };
}

/**
 * How far apart (log) ranks are that are equally fast: half the length of the shortest stretch that holds half of all (the
 * shorth; Rousseeuw & Leroy, Robust Regression and Outlier Detection, 1987, chapter 4), as a standard
 * deviation. Up to half of the ranks may be slow.
 */
function spreadOf(compared: readonly Comparison[]): number {
  if (compared.length < 4) return Math.SQRT2 * LEAST_SPREAD;
  const levels = compared.map(({ level }) => level).toSorted((a, b) => a - b);
  const half = Math.ceil(levels.length / 2);
  const lengths = levels.slice(half - 1).map((level, i) => level - levels[i]!);
  return Math.max(LEAST_SPREAD, (1.483 / 2) * Math.min(...lengths));
}
