/** Numbers as people read them: three sensible digits, a unit, ASCII only. */

/** A duration: "850 ns", "1.21 ms", "16.2 s", "7,203 s". */
export function formatSeconds(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 5e-12) return "0 s";
  if (size < 0.9995e-6) return `${threeDigits(seconds * 1e9)} ns`;
  if (size < 0.9995e-3) return `${threeDigits(seconds * 1e6)} us`;
  if (size < 0.9995) return `${threeDigits(seconds * 1e3)} ms`;
  return `${threeDigits(seconds)} s`;
}

/** A range in one unit, that of its upper end: "0.90 to 1.10 s". */
export function formatSecondsRange(low: number, high: number): string {
  const [, unit = "s"] = formatSeconds(high).split(" ");
  const scale = { ns: 1e9, us: 1e6, ms: 1e3 }[unit] ?? 1;
  return `${threeDigits(low * scale)} to ${threeDigits(high * scale)} ${unit}`;
}

/** Three significant digits, no exponent, thousands separated. */
export function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.95) return formatCount(value);
  if (size >= 9.995) return value.toFixed(1);
  return value.toFixed(2);
}

/** A whole number with separators: 81,204. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A share given in percent: "52 %", "0.4 %", "0.02 %", "below 0.01 %". */
export function formatPercent(percent: number): string {
  if (percent === 0) return "0 %";
  const size = Math.abs(percent);
  if (size < 0.005) return "below 0.01 %";
  if (size < 0.0995) return `${percent.toFixed(2)} %`;
  // Nearly all is not all.
  if (size > 99 && size < 100) return `${(Math.floor(percent * 10) / 10).toFixed(1)} %`;
  if (size < 9.95) return `${percent.toFixed(1)} %`;
  return `${formatCount(percent)} %`;
}

/**
 * A point or length on the time axis of a run, at a resolution that suits the run's length: a tenth
 * of a second in a run of seconds, milliseconds in a run of milliseconds.
 */
export function formatMoment(seconds: number, runSeconds: number): string {
  return `${momentNumber(seconds, runSeconds)} ${momentUnit(runSeconds)}`;
}

function momentUnit(runSeconds: number): string {
  return runSeconds < 0.5 ? "ms" : "s";
}

function momentNumber(seconds: number, runSeconds: number): string {
  const inUnit = runSeconds < 0.5 ? seconds * 1e3 : seconds;
  const length = runSeconds < 0.5 ? runSeconds * 1e3 : runSeconds;
  const digits = length < 5 ? 2 : length < 1000 ? 1 : 0;
  const text = inUnit.toFixed(digits);
  const [whole = "", fraction] = text.replace(/^-(?=0(\.0*)?$)/, "").split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Bytes in decimal units: "1.24 MB". */
export function formatBytes(bytes: number): string {
  const units = ["kB", "MB", "GB", "TB"];
  if (bytes < 1000) return `${formatCount(bytes)} B`;
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${threeDigits(value)} ${units[unit] ?? ""}`;
}

/**
 * Rounds `parts` to multiples of `step` so that the rounded parts add up to the rounded sum (largest
 * remainders are rounded up first).
 */
export function roundToSum(parts: number[], step: number): number[] {
  const scaled = parts.map((part) => part / step);
  const floors = scaled.map(Math.floor);
  const total = Math.round(scaled.reduce((sum, part) => sum + part, 0));
  let missing = total - floors.reduce((sum, part) => sum + part, 0);
  const order = scaled
    .map((part, at) => ({ at, rest: part - Math.floor(part) }))
    .toSorted((a, b) => b.rest - a.rest || a.at - b.at);
  for (const { at } of order) {
    if (missing <= 0) break;
    floors[at] = (floors[at] ?? 0) + 1;
    missing--;
  }
  return floors.map((part) => part * step);
}
