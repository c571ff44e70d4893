import { accessSync, constants, statfsSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { bytesInWords } from "../summary.ts";
import { cpuQuota } from "./cgroup.ts";
import { examineCounters } from "./counters.ts";
import { textOf } from "./files.ts";
import type { Finding } from "./finding.ts";

const LITTLE_SPACE_BYTES = 1e9;

/** What the kernel and the hardware offer. */
export function examineMachine(workingDirectory: string): Finding[] {
  return [clock(), cores(), quota(), ...examineCounters(), ptrace(), disk(workingDirectory)];
}

function clock(): Finding {
  const flags = new Set(/^flags\s*:(.*)$/m.exec(textOf("/proc/cpuinfo") ?? "")?.[1]?.split(/\s+/));
  const source = textOf("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  const invariant = flags.has("constant_tsc") && flags.has("nonstop_tsc");
  const detail = invariant
    ? `invariant time-stamp counter; the kernel's clock source is ${source ?? "unknown"}`
    : `no invariant time-stamp counter: clock_gettime on ${source ?? "unknown"}, a little dearer`;
  return { id: "clock", status: invariant ? "ok" : "limited", subject: "clock", detail };
}

function cores(): Finding {
  const allowed = /^Cpus_allowed_list:\s*(.*)$/m.exec(textOf("/proc/self/status") ?? "")?.[1];
  const usable = availableParallelism();
  const detail = `${usable} of ${cpus().length} usable (numbers ${allowed ?? "unknown"})`;
  if (usable > 1) return { id: "cores", status: "ok", subject: "cores", detail };
  const fix = "jobs of several ranks share one core and disturb each other; use a larger machine";
  return { id: "cores", status: "limited", subject: "cores", detail, fix };
}

function quota(): Finding {
  const found = cpuQuota();
  const base = { id: "cgroup", subject: "CPU quota" } as const;
  if (found === undefined) return { ...base, status: "ok", detail: "none" };
  const fix = "a job that uses more is stopped at times; raise cpu.max of the group or container";
  return { ...base, status: "limited", detail: `${found.toFixed(2)} cores of CPU time`, fix };
}

function ptrace(): Finding {
  const scope = textOf("/proc/sys/kernel/yama/ptrace_scope") ?? "0";
  const detail = scope === "0" ? "allowed" : `restricted (ptrace_scope is ${scope}); not needed`;
  return { id: "ptrace", status: "ok", subject: "ptrace", detail };
}

function disk(workingDirectory: string): Finding {
  const base = { id: "disk", subject: "disk space" } as const;
  try {
    accessSync(workingDirectory, constants.W_OK);
    const { bavail, bsize } = statfsSync(workingDirectory);
    const detail = `${bytesInWords(bavail * bsize)} free in ${workingDirectory}`;
    if (bavail * bsize >= LITTLE_SPACE_BYTES) return { ...base, status: "ok", detail };
    return { ...base, status: "limited", detail, fix: "free some, or use varscope run -o DIR" };
  } catch {
    const detail = `${workingDirectory} is not writable`;
    return { ...base, status: "limited", detail, fix: "use varscope run -o DIR" };
  }
}
