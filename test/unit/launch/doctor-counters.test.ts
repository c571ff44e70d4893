import { describe, expect, test } from "vitest";
import { examineCounters } from "../../../src/launch/doctor/counters.ts";

/** Status and fix of each group on a machine with these files. */
function examine(files: Record<string, string>, eventSources: string[] = []) {
  const findings = examineCounters({ text: (path) => files[path], eventSources });
  return new Map(
    findings.map(({ id, status, fix }) => [id.replace("counters-", ""), [status, fix]]),
  );
}

const WELL = {
  "/proc/self/schedstat": "123 456 7",
  "/proc/self/io": "rchar: 1",
  "/proc/sys/kernel/task_delayacct": "1",
  "/proc/sys/kernel/perf_event_paranoid": "2",
};

describe("groups of counters", () => {
  test("all is well", () => {
    const found = examine(WELL, ["software", "cpu"]);
    expect([...found.keys()]).toEqual(["scheduler", "memory", "io", "hardware"]);
    expect([...found.values()].every(([status, fix]) => status === "ok" && !fix)).toBe(true);
  });

  test.each([
    ["scheduler", "/proc/self/schedstat", "0 0 0", /CONFIG_SCHED_INFO/],
    ["io", "/proc/sys/kernel/task_delayacct", "0", /^as root: sysctl kernel.task_delayacct=1$/],
    [
      "hardware",
      "/proc/sys/kernel/perf_event_paranoid",
      "3",
      /^as root: sysctl kernel.perf_event_paranoid=2$/,
    ],
  ])("%s where %s is %s", (group, path, value, fix) => {
    const found = examine({ ...WELL, [path]: value }, ["cpu"]);
    expect(found.get(group)).toEqual(["limited", expect.stringMatching(fix)]);
    const others = [...found].filter(([name]) => name !== group);
    expect(others.every(([, [status]]) => status === "ok")).toBe(true);
  });

  test("no processor that counts: nothing to mend", () => {
    expect(examine(WELL, ["software", "tracepoint"]).get("hardware")).toEqual([
      "limited",
      undefined,
    ]);
  });

  test("a kernel without the switch of delays keeps them", () => {
    const { "/proc/sys/kernel/task_delayacct": _, ...older } = WELL;
    expect(examine(older, ["cpu"]).get("io")).toEqual(["ok", undefined]);
  });
});
