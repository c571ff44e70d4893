import { readFileSync } from "node:fs";

/** Cores this process may run on, from a list such as `0-3,8`. */
export function parseCoreList(text: string): number[] {
  return [...text.matchAll(/(\d+)(?:-(\d+))?/g)].flatMap(([, from, to = from]) => {
    const first = Number(from);
    return Array.from({ length: Number(to) - first + 1 }, (_, index) => first + index);
  });
}

/** Allowed cores of a process, from /proc/PID/status. */
export function allowedCores(pid: number | "self"): number[] {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return parseCoreList(/^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1] ?? "");
}

/**
 * `count` cores to put ranks on, hardware threads of different cores first: two ranks on one core would
 * disturb each other. Fewer if there are not so many.
 */
export function chooseCores(count: number, allowed = allowedCores("self")): number[] {
  const isFirst = (core: number): boolean =>
    siblings(core).find((other) => allowed.includes(other)) === core;
  return [
    ...allowed.filter((core) => isFirst(core)),
    ...allowed.filter((core) => !isFirst(core)),
  ].slice(0, count);
}

function siblings(core: number): number[] {
  const file = `/sys/devices/system/cpu/cpu${core}/topology/thread_siblings_list`;
  try {
    return parseCoreList(readFileSync(file, "utf8").trim());
  } catch {
    return [core];
  }
}
