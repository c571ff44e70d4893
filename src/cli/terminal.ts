import type { Effects } from "./effects.ts";

const DEFAULT_COLUMNS = 80;
const LEAST = 60;
const MOST = 120;

/** Colour on stdout: https://no-color.org first, then FORCE_COLOR, then whether it is a capable terminal. */
export function usesColor(effects: Effects): boolean {
  const { environment } = effects;
  if (environment["NO_COLOR"]) return false;
  const forced = environment["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return effects.outputIsTerminal && environment["TERM"] !== "dumb";
}

/** Columns for text on stdout: those of the terminal, or COLUMNS, or 80; never more than 120. */
export function textWidth(effects: Effects): number {
  const given = Number(effects.environment["COLUMNS"]);
  const fallback = Number.isInteger(given) && given > 0 ? given : DEFAULT_COLUMNS;
  return Math.min(Math.max(effects.terminalColumns ?? fallback, LEAST), MOST);
}
