import { relative } from "node:path";
import type { RunDirectory } from "../trace/run-directory.ts";
import { countTraces } from "./trace-count.ts";

/** One line on what a run recorded and where to look next; undefined if it recorded nothing. */
export function describeTraces(
  directory: RunDirectory,
  workingDirectory: string,
): string | undefined {
  const { ranks, worldSize, calls, intercepted, bytes, unfinished } = countTraces(
    directory.traceDirectory,
  );
  if (ranks === 0) return undefined;
  const found = ranks < worldSize ? `${ranks} of ${worldSize} ranks` : plural(ranks, "rank");
  // After a kill, one call more may have been counted than recorded.
  const all = intercepted > calls + worldSize ? ` of ${intercepted.toLocaleString("en-US")}` : "";
  const amount = `${calls.toLocaleString("en-US")}${all} calls (${bytesInWords(bytes)})`;
  const ended = unfinished > 0 ? `, ${plural(unfinished, "rank")} unfinished` : "";
  const near = relative(workingDirectory, directory.path);
  const path = near.startsWith("..") ? directory.path : near;
  // The newest run below the working directory is what `report` takes by itself.
  const argument = near.startsWith("..") || near.includes("/") ? ` ${quoted(path)}` : "";
  return `recorded ${found}, ${amount}${ended} in ${path}; see: varscope report${argument}`;
}

/** 1 kB is 1000 bytes. */
export function bytesInWords(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit += 1) value /= 1000;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** As a shell takes it. */
function quoted(word: string): string {
  return /^[\w./:=+@%,~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
