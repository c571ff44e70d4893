/**
 * Widths of text in terminal cells, and the ways to keep a line inside a width. Widths err on the wide
 * side where terminals differ, so that a line is never too long.
 */

// Control and format characters (bidirectional overrides among them), lone surrogates, line separators.
// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
const NO_WIDTH = /^\p{M}$/u;
const FIRST_WIDE = 0x1100;

/** Makes control characters visible (`\x1b`), so that a file name cannot steer the terminal. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** Cells that printable `text` takes at most. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (NO_WIDTH.test(character)) return 0;
  return code < FIRST_WIDE ? 1 : 2;
}

/** Cuts `text` to `width` cells; what is missing at its end is marked by dots. */
export function clipEnd(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return takeStart(text, Math.max(width - 3, 0)) + "...".slice(0, width);
}

/** Cuts `text` to `width` cells and keeps both ends: paths differ in their last part. */
export function clipMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width <= 3) return "...".slice(0, width);
  const tail = Math.ceil((width - 3) * 0.6);
  return `${takeStart(text, width - 3 - tail)}...${takeEnd(text, tail)}`;
}

function takeEnd(text: string, width: number): string {
  let taken = "";
  let left = width;
  for (const character of Array.from(text).toReversed()) {
    left -= characterWidth(character);
    if (left < 0) break;
    taken = character + taken;
  }
  return taken;
}

function takeStart(text: string, width: number): string {
  let taken = "";
  let left = width;
  for (const character of text) {
    left -= characterWidth(character);
    if (left < 0) break;
    taken += character;
  }
  return taken;
}

/** Fills up with spaces on the right. */
export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(width - displayWidth(text), 0));
}

/** Fills up with spaces on the left. */
export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(width - displayWidth(text), 0)) + text;
}

/**
 * Breaks `text` between words into lines of at most `width` cells; words that are longer than a line
 * are cut. `first` and `rest` (at least as wide) lead the first and the following lines and count as well.
 */
export function wrap(text: string, width: number, first = "", rest = first): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of glueUnits(text)
    .split(/[ \t\n]+/)
    .filter((part) => part !== "")) {
    for (const piece of pieces(word, width - displayWidth(rest))) {
      if (!empty && displayWidth(line) + 1 + displayWidth(piece) > width) {
        lines.push(line);
        line = rest;
        empty = true;
      }
      line += empty ? piece : ` ${piece}`;
      empty = false;
    }
  }
  if (!empty) lines.push(line);
  return lines.map((each) => each.replaceAll(GLUE, " "));
}

/** A space that is not broken at; callers may use it too. */
export const GLUE = "\u00a0";

/** Keeps "52 %" and "1.2 ms" on one line. */
function glueUnits(text: string): string {
  return text.replace(/(\d) (?=(?:%|[num]?s|min|[kMGT]?B)(?:[ ,;:.)]|$))/g, `$1${GLUE}`);
}

function pieces(word: string, width: number): string[] {
  const parts: string[] = [];
  for (let left = word; left !== ""; ) {
    const part = takeStart(left, Math.max(width, 2));
    parts.push(part);
    left = left.slice(part.length);
  }
  return parts;
}
