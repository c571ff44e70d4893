import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../../src/launch/installation.ts";
import { readText, runIn } from "../jobs/job.ts";

/** How a rank is disturbed. */
export const WAYS = ["cpu-hog", "stop", "cpu-cap", "memory", "cache", "faults", "files"] as const;
export type WayName = (typeof WAYS)[number];

/** Who is disturbed, and when: seconds from now. */
export interface Target {
  core: number;
  pid: number;
  from: number;
  to: number;
  /** Where the truth goes, and where the program writes. */
  truth: string;
  folder: string;
}

/** Share of a core that a capped group keeps, percent. */
const CAP = 50;
const V1 = "/sys/fs/cgroup/cpu";
const V2 = "/sys/fs/cgroup";

/**
 * Disturbs; resolves when it is over to the seconds that the victim lost by the injector's own account, where that says so.
 * A hog on the victim's core takes its processor time from the victim, which has work all the time. What memory, cache and page tables lose on top
 * of that nobody counts, so for these the account is left to the pace of the program (`pace.ts`).
 */
export async function disturb(way: WayName, target: Target): Promise<number | undefined> {
  const { core, pid, from, to, truth, folder } = target;
  const when = ["--interval", `${from}:${to}`, "--truth", truth];
  const onCore = ["--core", String(core), ...when];
  switch (way) {
    case "cpu-hog":
      await inject("cpu-hog", onCore);
      return sumOf(truth, ({ cpuSeconds }) => cpuSeconds);
    case "stop":
      await inject("disturb", ["stop", "--pid", String(pid), ...when]);
      return sumOf(
        truth,
        ({ startMonotonicNs, endMonotonicNs }) => (endMonotonicNs - startMonotonicNs) / 1e9,
      );
    case "cpu-cap":
      return await capped(pid, when);
    case "files":
      await inject("disturb", ["files", "--directory", folder, ...onCore]);
      return undefined;
    default:
      await inject("disturb", [way, ...onCore]);
      return undefined;
  }
}

interface Done {
  startMonotonicNs: number;
  endMonotonicNs: number;
  cpuSeconds: number;
}

function sumOf(truth: string, of: (interval: Done) => number): number {
  const { intervals } = JSON.parse(readFileSync(truth, "utf8")) as { intervals: Done[] };
  return intervals.reduce((sum, one) => sum + of(one), 0);
}

async function inject(program: string, words: string[]): Promise<void> {
  await runIn("/", join(packageRoot(), "build/workloads", program), words);
}

/** A control group of our own with the victim in it, capped; the kernel counts for how long it was held back. */
async function capped(pid: number, when: string[]): Promise<number | undefined> {
  const group = makeGroup();
  if (group === undefined) return undefined;
  const home = homeOf(pid);
  try {
    favour(group);
    writeFileSync(join(group, "cgroup.procs"), String(pid));
    const before = heldBack(group);
    await inject("disturb", ["cpu-cap", "--directory", group, "--percent", String(CAP), ...when]);
    return heldBack(group) - before;
  } finally {
    release(pid, home, group);
  }
}

/** Whether control groups with a limit of CPU time can be made here. */
export function canCap(): boolean {
  const group = makeGroup();
  if (group !== undefined) rmdirSync(group);
  return group !== undefined;
}

function makeGroup(): string | undefined {
  const [base, file] = existsSync(join(V1, "cpu.cfs_period_us"))
    ? [V1, "cpu.cfs_quota_us"]
    : [V2, "cpu.max"];
  const group = join(base, `varscope-eval-${process.pid}`);
  try {
    mkdirSync(group);
  } catch {
    return undefined;
  }
  if (existsSync(join(group, file))) return group;
  rmdirSync(group);
  return undefined;
}

/** Gives a group the most weight that there is: nothing but the cap is to slow its member. */
function favour(group: string): void {
  for (const [name, most] of [
    ["cpu.shares", "262144"],
    ["cpu.weight", "10000"],
  ] as const) {
    if (existsSync(join(group, name))) writeFileSync(join(group, name), most);
  }
}

/** Group that a process is in for CPU time. */
function homeOf(pid: number): string {
  const lines = (readText(`/proc/${pid}/cgroup`) ?? "").split("\n");
  const v1 = lines.find((line) => /^\d+:([^:]*,)?cpu(,[^:]*)?:/.test(line));
  const place = (v1 ?? lines.find((line) => line.startsWith("0::")) ?? "0::/").split(":")[2]!;
  return join(v1 === undefined ? V2 : V1, place);
}

/** A group can be removed once nobody is in it: at the end of the process, or when it has been sent home. */
function release(pid: number, home: string, group: string): void {
  try {
    writeFileSync(join(home, "cgroup.procs"), String(pid));
  } catch {
    // It has ended meanwhile.
  }
  try {
    rmdirSync(group);
  } catch {
    // Its end is not complete yet: the group is empty and harmless.
  }
}

/** Seconds for which members of a group were not let run, from cpu.stat of version 1 or 2. */
function heldBack(group: string): number {
  const text = readText(join(group, "cpu.stat")) ?? "";
  const v1 = /^throttled_time (\d+)/m.exec(text);
  const v2 = /^throttled_usec (\d+)/m.exec(text);
  return v1 ? Number(v1[1]) / 1e9 : Number(v2?.[1] ?? 0) / 1e6;
}
