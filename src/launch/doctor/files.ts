import { readFileSync } from "node:fs";

/** A small file as trimmed text, such as those of /proc and /sys; undefined if it cannot be read. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
