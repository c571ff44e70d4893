import { readdirSync } from "node:fs";
import { textOf } from "./files.ts";
import type { Finding } from "./finding.ts";

/** Where the facts come from; tests bring their own. */
export interface CounterFacts {
  /** A small file as trimmed text; undefined if it cannot be read. */
  text: (path: string) => string | undefined;
  /** Names in /sys/bus/event_source/devices. */
  eventSources: readonly string[];
}

/** What of each group of counters (`run --counters`) can be read here. */
export function examineCounters(facts: CounterFacts = machineFacts()): Finding[] {
  return [scheduler(facts), memory(), io(facts), hardware(facts)];
}

function machineFacts(): CounterFacts {
  let eventSources: string[] = [];
  try {
    eventSources = readdirSync("/sys/bus/event_source/devices");
  } catch {
    // A kernel without perf events.
  }
  return { text: textOf, eventSources };
}

function scheduler({ text }: CounterFacts): Finding {
  const [, , slices] = (text("/proc/self/schedstat") ?? "").split(" ").map(Number);
  const base = { id: "counters-scheduler", subject: "scheduler counters" } as const;
  if (slices) {
    const detail = "CPU time, waits for a core, switches, throttling, stolen time; on by default";
    return { ...base, status: "ok", detail };
  }
  return {
    ...base,
    status: "limited",
    detail: "CPU time and switches only: this kernel does not keep /proc/self/schedstat",
    fix: "use a kernel with CONFIG_SCHED_INFO; waits for a core are not seen without it",
  };
}

function memory(): Finding {
  const detail = "minor and major page faults; on by default";
  return { id: "counters-memory", status: "ok", subject: "memory counters", detail };
}

function io({ text }: CounterFacts): Finding {
  const base = { id: "counters-io", subject: "I/O counters" } as const;
  const traffic = text("/proc/self/io") === undefined ? "no bytes" : "bytes read and written";
  // Kernels before 5.14 have no switch: they keep the delay.
  const delay = text("/proc/sys/kernel/task_delayacct") !== "0";
  const detail = `${traffic}, ${delay ? "time" : "no time"} waiting for devices`;
  if (delay) return { ...base, status: traffic === "no bytes" ? "limited" : "ok", detail };
  return { ...base, status: "limited", detail, fix: "as root: sysctl kernel.task_delayacct=1" };
}

function hardware({ text, eventSources }: CounterFacts): Finding {
  const level = text("/proc/sys/kernel/perf_event_paranoid");
  const counting = eventSources.some((name) =>
    /^(cpu|cpu_core|cpu_atom|armv\d+_\w*pmu\w*)$/.test(name),
  );
  const base = { id: "counters-hardware", subject: "hardware counters" } as const;
  if (level === undefined || !counting) {
    const detail = "none here; work is told by calls and times alone";
    return { ...base, status: "limited", detail };
  }
  const detail = `perf_event_paranoid is ${level}`;
  if (Number(level) <= 2) return { ...base, status: "ok", detail };
  return {
    ...base,
    status: "limited",
    detail,
    fix: "as root: sysctl kernel.perf_event_paranoid=2",
  };
}
