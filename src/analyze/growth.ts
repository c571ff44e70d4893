import { quantile, weightedQuantile } from "./statistics.ts";

/** How time grows with an amount x: constant; a + b x; a + b x log2 x; a x^b. */
export type Form = "constant" | "linear" | "n log n" | "power";

export interface Growth {
  form: Form;
  a: number;
  b: number;
  /** Share of the spread of log time that it takes away, by median absolute deviations; 0 for constant. */
  explained: number;
}

/** Mean time of `n` fragments with amount `x`. */
export interface Point {
  x: number;
  ns: number;
  n: number;
}

/** Different amounts that a growth is fitted to at least. */
export const LEAST_AMOUNTS = 5;
/** Bayes' information criterion by which growth must beat a constant, and another form the straight line. */
const BEATS_CONSTANT = 10;
const BEATS_LINE = 6;
/** Between the 10 % and the 90 % quantile of amounts, time must grow or fall by this (log). */
const LEAST_GROWTH = 0.05;
/** Few points may lie on a line by chance: deviations (log) that are always ordinary. */
const LEAST_SPREAD = 0.02;
/** Fragments beyond this make a point no more exact: amounts differ in more than one way. */
const MOST_WEIGHT = 20;

/**
 * The form of growth that fits best by Bayes' information criterion (Schwarz, Ann. Statist. 6, 1978) on log residuals,
 * constant unless another is clearly better. Fits are reweighted by Tukey's biweight (Beaton & Tukey,
 * Technometrics 16, 1974) against disturbed points.
 */
export function fitGrowth(points: readonly Point[]): Growth {
  const weights = points.map(({ n }) => Math.min(n, MOST_WEIGHT));
  const level = Math.exp(
    weightedQuantile(
      points.map(({ ns }) => Math.log(ns)),
      weights,
      0.5,
    ),
  );
  const constant: Growth = { form: "constant", a: level, b: 0, explained: 0 };
  if (new Set(points.map(({ x }) => x)).size < LEAST_AMOUNTS) return constant;
  const fits = [
    robustLine(points, weights, "linear"),
    robustLine(points, weights, "n log n"),
    robustLine(points, weights, "power"),
  ].filter((fit) => fit !== undefined);
  if (fits.length === 0) return constant;
  const spreads = [constant, ...fits].map((fit) => deviation(points, weights, fit));
  const clip = 4 * Math.max(LEAST_SPREAD, Math.min(...spreads));
  const criterion = (fit: Growth): number => score(points, weights, fit, clip);
  let best = fits[0]!;
  for (const fit of fits.slice(1)) {
    const margin = best.form === "linear" ? BEATS_LINE : 0;
    if (criterion(fit) < criterion(best) - margin) best = fit;
  }
  const explained = 1 - deviation(points, weights, best) / Math.max(1e-9, spreads[0]!);
  const [low, high] = [0.1, 0.9].map((q) =>
    Math.log(
      timeAt(
        best,
        weightedQuantile(
          points.map(({ x }) => x),
          weights,
          q,
        ),
      ),
    ),
  );
  if (criterion(constant) - criterion(best) < BEATS_CONSTANT) return constant;
  return explained > 0.2 && Math.abs(high! - low!) >= LEAST_GROWTH
    ? { ...best, explained }
    : constant;
}

/** Time at amount x, ns; never below 1. */
export function timeAt({ form, a, b }: Growth, x: number): number {
  if (form === "constant") return Math.max(1, a);
  const t = form === "power" ? a * Math.max(x, 1) ** b : a + b * regressor(form, x);
  return Math.max(1, t);
}

/** The same in SQL, of an expression. */
export function timeSql({ form, a, b }: Growth, x: string): string {
  const wide = `(${x})::DOUBLE`;
  if (form === "constant") return `greatest(1, ${a})`;
  if (form === "power") return `greatest(1, ${a} * pow(greatest(${wide}, 1), ${b}))`;
  const amount = form === "linear" ? wide : `${wide} * log2(greatest(${wide}, 2))`;
  return `greatest(1, ${a} + ${b} * ${amount})`;
}

function regressor(form: Form, x: number): number {
  if (form === "n log n") return x * Math.log2(Math.max(x, 2));
  return form === "power" ? Math.log(Math.max(x, 1)) : x;
}

/** Relative residuals are made small; undefined where time would become negative. */
function robustLine(
  points: readonly Point[],
  weights: readonly number[],
  form: Form,
): Growth | undefined {
  const isPower = form === "power";
  const x = points.map((point) => regressor(form, point.x));
  const y = points.map(({ ns }) => (isPower ? Math.log(ns) : ns));
  let scale = points.map(({ ns }) => (isPower ? 1 : ns));
  let trust = points.map(() => 1);
  let fit: Growth | undefined;
  for (let round = 0; round < 12; round++) {
    const line = weightedLine(
      x,
      y,
      weights.map((w, i) => (w * trust[i]!) / scale[i]! ** 2),
    );
    if (!line) return undefined;
    fit = { form, a: isPower ? Math.exp(line.a) : line.a, b: line.b, explained: 0 };
    const rest = points.map((point) => Math.log(point.ns / timeAt(fit!, point.x)));
    const typical = Math.max(LEAST_SPREAD, 1.4826 * quantile(rest.map(Math.abs), 0.5));
    if (!isPower) scale = points.map((point) => timeAt(fit!, point.x));
    trust = rest.map((r) => Math.max(0, 1 - (r / (4.685 * typical)) ** 2) ** 2);
  }
  return points.some(({ x: at }) => !isPower && fit!.a + fit!.b * regressor(form, at) <= 0)
    ? undefined
    : fit;
}

function weightedLine(
  x: readonly number[],
  y: readonly number[],
  w: readonly number[],
): { a: number; b: number } | undefined {
  let [total, sx, sy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    total += w[i]!;
    sx += w[i]! * x[i]!;
    sy += w[i]! * y[i]!;
  }
  const [mx, my] = [sx / total, sy / total];
  let [sxx, sxy] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    sxx += w[i]! * (x[i]! - mx) ** 2;
    sxy += w[i]! * (x[i]! - mx) * (y[i]! - my);
  }
  if (!(sxx > 0)) return undefined;
  return { a: my - (sxy / sxx) * mx, b: sxy / sxx };
}

/** Typical log deviation. */
function deviation(points: readonly Point[], weights: readonly number[], fit: Growth): number {
  return weightedQuantile(
    points.map(({ x, ns }) => Math.abs(Math.log(ns / timeAt(fit, x)))),
    weights,
    0.5,
  );
}

function score(
  points: readonly Point[],
  weights: readonly number[],
  fit: Growth,
  clip: number,
): number {
  let squares = 0;
  let total = 0;
  for (const [i, { x, ns }] of points.entries()) {
    squares += weights[i]! * Math.min(clip, Math.abs(Math.log(ns / timeAt(fit, x)))) ** 2;
    total += weights[i]!;
  }
  const parameters = fit.form === "constant" ? 1 : 2;
  const n = points.length;
  return n * Math.log(Math.max(squares / total, 1e-12)) + parameters * Math.log(n);
}
