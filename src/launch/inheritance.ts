import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/*
 * A shell command hands its children more than the environment, and Node keeps some of it back. What
 * is here gives it to the job all the same, so that it runs as it would without varscope.
 */

/**
 * Descriptors above 2 that this process was started with, such as those of `<(command)` in a shell.
 * Node's own are left out: they are anonymous, or pipes of which both ends are here.
 */
export function inheritedDescriptors(): number[] {
  const open = new Map<number, string>();
  for (const name of readdirSync("/proc/self/fd")) {
    const descriptor = Number(name);
    try {
      if (descriptor > 2) open.set(descriptor, readlinkSync(`/proc/self/fd/${name}`));
    } catch {
      // The descriptor of the listing itself is closed by now.
    }
  }
  const ends = new Map<string, number>();
  for (const target of open.values()) ends.set(target, (ends.get(target) ?? 0) + 1);
  return [...open]
    .filter(([, target]) => !target.startsWith("anon_inode:"))
    .filter(([, target]) => !(target.startsWith("pipe:") && ends.get(target) === 2))
    .map(([descriptor]) => descriptor);
}

/** A `stdio` option for spawn that passes 0, 1, 2 and the given descriptors under their own numbers. */
export function passThrough(descriptors: readonly number[]): ("inherit" | "ignore" | number)[] {
  const last = Math.max(2, ...descriptors);
  return Array.from({ length: last + 1 }, (_, number) => {
    if (number <= 2) return "inherit";
    return descriptors.includes(number) ? number : "ignore";
  });
}

/**
 * Node raises its soft limit of open files to the hard one. Programs that walk through all possible
 * descriptors then take long, so the job gets the limit that our parent has.
 * @returns the limit to set, or undefined where there is nothing to mend
 */
export function openFilesLimit(): number | undefined {
  const own = softOpenFiles("self");
  const parent = softOpenFiles(String(process.ppid));
  return own !== undefined && parent !== undefined && parent < own ? parent : undefined;
}

function softOpenFiles(pid: string): number | undefined {
  try {
    const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
