import type { Rule } from "./run.ts";

/** One line of the table. */
export interface Row {
  part: string;
  what: string;
  /** The bar as the table shows it; '' where there is none. */
  bar: string;
  /** Whether a value reaches it. */
  reaches?: (value: number) => boolean;
  /** Undefined: the rule makes no such claim. */
  values: Partial<Record<Rule, number>>;
  unit: "" | "%" | "points" | "count";
  /** Simulated runs behind each value. */
  runs: number;
  /** Values by scenario, for the JSON file. */
  details?: Record<string, unknown>;
}

/** What a part needs to know. */
export interface Settings {
  seed: number;
  /** Runs per row; rows over several scenarios make a part of them of each. */
  runs: number;
  /** Ranks of real programs at most, one per core. */
  ranks: number;
  /** After so many no further live runs are started. */
  minutes: number;
  /** Small programs only, to see that everything works. */
  quick: boolean;
  /** Folder that live runs are kept in; undefined: none are kept. */
  keep?: string | undefined;
  /** To be called after each run. */
  done: (name: string) => void;
}

export const atLeast = (bar: number) => (value: number) => value >= bar;
export const atMost = (bar: number) => (value: number) => value <= bar;

export function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

/** Smallest value that share `q` of all do not exceed; NaN of none. */
export function upTo(values: readonly number[], q: number): number {
  const ascending = values.toSorted((a, b) => a - b);
  return ascending[Math.max(0, Math.ceil(q * ascending.length) - 1)] ?? Number.NaN;
}

/** The same value computed for each rule. */
export function forRules(
  rules: readonly Rule[],
  value: (rule: Rule) => number | undefined,
): Partial<Record<Rule, number>> {
  const out: Partial<Record<Rule, number>> = {};
  for (const rule of rules) {
    const one = value(rule);
    if (one !== undefined && !Number.isNaN(one)) out[rule] = one;
  }
  return out;
}

/** Share of runs that hold, in percent. */
export function percentOf<T>(runs: readonly T[], holds: (run: T) => boolean): number {
  return (100 * runs.filter(holds).length) / runs.length;
}
