import { dirname, join } from "node:path";
import { textOf } from "./files.ts";

/**
 * Cores of CPU time that control groups grant this process; undefined if there is no limit. Sources:
 * the kernel's admin-guide/cgroup-v2 (cpu.max) and scheduler/sched-bwc (cpu.cfs_quota_us).
 */
export function cpuQuota(): number | undefined {
  const groups = (textOf("/proc/self/cgroup") ?? "").split("\n").map((line) => line.split(":"));
  const limits = groups.flatMap(([, controllers, path]) => {
    if (path === undefined) return [];
    if (controllers === "") return walk("/sys/fs/cgroup", path, unifiedLimit);
    if (!controllers?.split(",").includes("cpu")) return [];
    return walk(`/sys/fs/cgroup/${controllers}`, path, legacyLimit);
  });
  return limits.length > 0 ? Math.min(...limits) : undefined;
}

/** Limits of a group and all groups around it. In a container the root may be the group itself. */
function walk(
  root: string,
  path: string,
  limitOf: (folder: string) => number | undefined,
): number[] {
  const limits: number[] = [];
  for (let group = path; ; group = dirname(group)) {
    const limit = limitOf(join(root, group));
    if (limit !== undefined) limits.push(limit);
    if (group === "/" || group === ".") return limits;
  }
}

function unifiedLimit(folder: string): number | undefined {
  const [quota, period] = (textOf(join(folder, "cpu.max")) ?? "max").split(" ").map(Number);
  return quota && period ? quota / period : undefined;
}

function legacyLimit(folder: string): number | undefined {
  const quota = Number(textOf(join(folder, "cpu.cfs_quota_us")) ?? "-1");
  const period = Number(textOf(join(folder, "cpu.cfs_period_us")) ?? "0");
  return quota > 0 && period > 0 ? quota / period : undefined;
}
