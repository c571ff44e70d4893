/** Colours of the text report. Every style is the identity when colour is off. */
export interface Style {
  color: boolean;
  bold: (text: string) => string;
  dim: (text: string) => string;
  good: (text: string) => string;
  bad: (text: string) => string;
  warn: (text: string) => string;
  /** Background number `level` of the heat map's palette, 0 best. */
  heat: (level: number, text: string) => string;
}

/** From blue (fine) over yellow to red: tells apart for the colour-blind too. 256-colour palette. */
const HEAT = [
  "\x1b[48;5;24;38;5;153m",
  "\x1b[48;5;30;38;5;195m",
  "\x1b[48;5;186;38;5;235m",
  "\x1b[48;5;214;38;5;235m",
  "\x1b[48;5;202;38;5;231m",
  "\x1b[48;5;160;38;5;231m",
];
const END = "\x1b[0m";

export function createStyle(color: boolean): Style {
  const paint = (start: string) => (text: string) => (color ? start + text + END : text);
  return {
    color,
    bold: paint("\x1b[1m"),
    dim: paint("\x1b[2m"),
    good: paint("\x1b[1;32m"),
    bad: paint("\x1b[1;31m"),
    warn: paint("\x1b[33m"),
    heat: (level, text) => paint(HEAT[level] ?? "")(text),
  };
}
