/**
 * The report model, schema `varscope.report/1` (DESIGN 4.3). Every renderer draws from it and nothing
 * else. Fields may be added, never renamed. Seconds count from the job's first MPI_Init exit.
 */
export interface Report {
  schema: "varscope.report/1";
  run: RunSummary;
  quality: Quality;
  sensors: Sensor[];
  regions: Region[];
  imbalances: Imbalance[];
  ranks: RankSummary[];
  unusualPaths: UnusualPath[];
  /** How much ranks waited for late ones, in all. */
  waiting: Waiting;
  /** Where, who and for whom; the largest 100. */
  waits: Wait[];
  /** Performance per rank and time bin, for drawing. */
  heatmaps: Heatmap[];
}

export type Kind = "compute" | "communication" | "io" | "gpu";
export type Evidence = "measured" | "proven" | "inferred";

export interface RunSummary {
  command: string[];
  program: string;
  startedAt: string;
  wallSeconds: number;
  ranks: number;
  hosts: string[];
  mpi: { implementation: string; version: string };
  /** False if any rank ended without MPI_Finalize, or its trace is missing or damaged. */
  complete: boolean;
  /** Ranks that ended without MPI_Finalize or whose trace is damaged. */
  unfinishedRanks: number[];
  /** Ranks of the job without any trace. */
  missingRanks: number[];
  /** Iterations of the main loop; null: no loop was found that all ranks go through alike. */
  iterations: number | null;
  /** Run directory, absolute, as it was when the report was made. */
  directory: string;
  /** Exit status of the command; null while it runs or when its end is not known. */
  exitCode: number | null;
  /** Signal that ended the command, such as "SIGKILL"; else null. */
  signal: string | null;
}

export interface Quality {
  events: { intercepted: number; recorded: number; sampledOut: number; lost: number };
  coverage: {
    totalRankSeconds: number;
    /** Rank-seconds; they sum to totalRankSeconds. */
    parts: {
      vsensor: number;
      tooFewRepeats: number;
      varyingWork: number;
      waiting: number;
      sampledOut: number;
      tool: number;
      untraced: number;
    };
    /** Share of rank-time that v-sensors judge, in percent. */
    percent: number;
  };
  /** How many calls of different ranks were brought together. Waiting is known for matched ones alone. */
  matching: {
    collectives: { calls: number; matched: number; unmatched: number };
    /** Ends of messages on record: sends and receives. */
    messages: { ends: number; matched: number; unmatched: number };
  };
  overhead: { percent: number; method: string };
  traceBytes: number;
  warnings: string[];
}

export interface Sensor {
  id: number;
  kind: Kind;
  /** Call before and after (compute), or the call itself twice (communication). */
  from: string;
  to: string;
  /** Where that call (compute: the call after) was made: file name of the module and offset. */
  site: string;
  /** The same for the call before; communication: the same place. */
  fromSite: string;
  /** "function file:line" of the two, when the program has symbols and is still the same file. */
  source: string | null;
  fromSource: string | null;
  /** The function that `site` is in, the innermost inlined one; null if not known. */
  function: string | null;
  /** How the program got to `site`, innermost first: functions inlined there, then callers as far as recorded. */
  path: string[];
  evidence: Evidence;
  /** What tells this work from others at the same place, in words. */
  basis: string;
  /** That its fragments did the same work: a score from 0 to 1, no chance. */
  confidence: number;
  /** undecided: ranks or phases took longer, by more work or slower work; nothing tells which. */
  verdict: "same_work" | "undecided";
  fragments: number;
  referenceSeconds: number;
  /** 95 % interval of referenceSeconds. */
  referenceInterval: [number, number];
  totalSeconds: number;
  /** Time above the reference over the whole run, noise included. */
  lostSeconds: number;
}

export interface Region {
  id: number;
  kind: Kind;
  /** Regions of different kinds on the same rank at the same time have one number; from 1, most lost time first. */
  event: number;
  /** job: all ranks were slow; host: all ranks of `hosts` and no other; ranks: neither. */
  scope: "ranks" | "host" | "job";
  /** Ranks that were slow themselves; those that only waited are in `victims`. */
  ranks: number[];
  hosts: string[];
  startSeconds: number;
  endSeconds: number;
  /** First and last iteration of the main loop that it touches, from 1; null where no main loop was found. */
  iterations: [number, number] | null;
  /** Reference time / observed time inside the region, 0 to 1. */
  performance: number;
  lostSeconds: number;
  lostInterval: [number, number];
  /** Wall seconds the job would have saved without this loss, and their 95 % interval; null: too few calls are matched, or too many to replay the run. */
  runImpactSeconds: number | null;
  runImpactInterval: [number, number] | null;
  significance: number;
  culprits: number[];
  victims: number[];
  /**
   * What shows that these ranks were slow from start to end, as against having more work: words of `probes`,
   * `run_delay`, `snippets`; empty for a region that came and went.
   */
  throughout: string[];
  /** What probes and the kernel's counters tell of it; empty where neither was recorded. */
  evidence: RegionEvidence[];
  causes: { cause: string; share: number; shareInterval: [number, number]; evidence: string }[];
  advice: string;
}

export interface RegionEvidence {
  /** probes: fixed works that were timed now and then; kernel: counters. */
  source: "probes" | "kernel";
  /** What the probe uses, or the counter. */
  kind: "compute" | "cache" | "memory" | "run_delay" | "steal_time" | "involuntary_switches";
  /** Compared with the same ranks at other times, or with other ranks at the same time. */
  against: "self" | "others";
  /** Probes that were compared; null: kernel. */
  insideCount: number | null;
  outsideCount: number | null;
  /** Time of probes, or counts per time, inside / outside; null: not known. */
  ratio: number | null;
  /** Limits of it, each passed with a chance of 1/60; null: not known, or kernel. */
  ratioInterval: [number, number] | null;
  /** Of the slow-down (probes, in logs: above 1 if they were slowed more than the work) or of lostSeconds. */
  share: number | null;
  /** What is known of it for sure, as counters are read now and then; null: probes, or counts of events. */
  shareInterval: [number, number] | null;
  /** explains: the kernel lays half of the loss or more to it; counted: events, no time. */
  verdict: "slower" | "not_slower" | "unknown" | "explains" | "does_not_explain" | "counted";
}

export interface Imbalance {
  kind: Kind;
  ranks: number[];
  excessPercent: number;
  costSeconds: number;
  verdict: "imbalance" | "undecided";
  /** Why the verdict, or what would decide it. */
  reason: string;
}

/** Something done too seldom to be judged, but long. */
export interface UnusualPath {
  kind: Kind;
  /** As in Sensor. */
  from: string;
  to: string;
  site: string;
  fromSite: string;
  fragments: number;
  /** How many ranks did it. */
  ranks: number;
  totalSeconds: number;
  longestSeconds: number;
  longestRank: number;
  longestStartSeconds: number;
}

export interface Waiting {
  /** Rank-seconds inside of calls until the last of those had come that the call waits for. */
  seconds: number;
  /** The same as share of rank-time. */
  percent: number;
  /** Names as in docs/wait-states.md; most time first. */
  kinds: { kind: string; calls: number; waitingSeconds: number }[];
  /** Who was waited for most; up to 16 ranks. */
  causes: { rank: number; waitingSeconds: number }[];
}

/** Waits of one kind in one call for one rank. */
export interface Wait {
  kind: string;
  call: string;
  /** As in Sensor. */
  site: string;
  source: string | null;
  /** That waited. */
  ranks: number[];
  /** That was waited for; -1 not known. */
  causeRank: number;
  calls: number;
  waitingSeconds: number;
}

export interface RankSummary {
  rank: number;
  host: string;
  computeSeconds: number;
  communicationSeconds: number;
  ioSeconds: number;
  waitingSeconds: number;
  /** Reference / observed time of its compute v-sensors (own work only); null if it has none. */
  performance: number | null;
}

export interface Heatmap {
  kind: Kind;
  startSeconds: number;
  binSeconds: number;
  ranks: number[];
  /** performance[i][j] of ranks[i] in bin j; null where v-sensors judge less than 0.1 % of it: unknown, not fine. */
  performance: (number | null)[][];
}
