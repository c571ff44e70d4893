import { describe, expect, test } from "vitest";
import {
  type RecordingOptions,
  recordingEnvironment,
} from "../../../src/launch/recording-options.ts";
import { tracingEnvironment } from "../../../src/launch/environment.ts";

test("nothing given sets nothing", () => {
  expect(recordingEnvironment({ io: true, threads: true })).toEqual({});
});

describe("what is given reaches the interceptor", () => {
  test.each<[RecordingOptions, Record<string, string>]>([
    [{ budget: "0.5" }, { VARSCOPE_BUDGET: "0.5" }],
    [{ budget: "2%" }, { VARSCOPE_BUDGET: "2" }],
    [{ budget: "0" }, { VARSCOPE_BUDGET: "0" }],
    [{ full: true }, { VARSCOPE_BUDGET: "full" }],
    [{ callPaths: true }, { VARSCOPE_CALL_PATHS: "8" }],
    [{ callPaths: "16" }, { VARSCOPE_CALL_PATHS: "16" }],
    [{ counters: "scheduler, memory" }, { VARSCOPE_COUNTERS: "scheduler,memory" }],
    [
      { io: false, threads: false },
      { VARSCOPE_IO: "off", VARSCOPE_THREADS: "off" },
    ],
    [{ lockWait: "2.5" }, { VARSCOPE_LOCK_WAIT: "2.5" }],
    [{ maxTrace: "1MB" }, { VARSCOPE_MAX_TRACE: "1000000" }],
    [{ maxTrace: "1.5g" }, { VARSCOPE_MAX_TRACE: "1500000000" }],
  ])("%j", (options, variables) => {
    expect(recordingEnvironment(options)).toEqual(variables);
  });
});

describe("what cannot be meant is told in one line", () => {
  test.each<[RecordingOptions, RegExp]>([
    [{ budget: "much" }, /--budget much is no percentage; give a number from 0 to 100/],
    [{ budget: "-1" }, /--budget -1 is no percentage/],
    [{ budget: "101" }, /--budget 101 is no percentage/],
    [{ budget: "1", full: true }, /give one of them/],
    [{ callPaths: "deep" }, /--call-paths=deep is no number of frames; give 0 to 64/],
    [{ callPaths: "65" }, /give 0 to 64/],
    [{ counters: "cycles" }, /no group 'cycles'; there are default, scheduler,/],
    [{ lockWait: "1ms" }, /--lock-wait 1ms is no time; give microseconds/],
    [{ maxTrace: "100" }, /--max-trace 100 is no size; give 1MB or more/],
    [{ maxTrace: "lots" }, /--max-trace lots is no size/],
  ])("%j", (options, message) => {
    expect(() => recordingEnvironment(options)).toThrow(message);
    expect(() => recordingEnvironment(options)).toThrow(/^[^\n]+$/);
  });
});

test("options, and those of the user's own environment, reach Open MPI's daemons on other hosts", () => {
  const given = { VARSCOPE_COUNTERS: "none", VARSCOPE_BUDGET: "3", HOME: "/root" };
  const variables = tracingEnvironment("/l.so", "/t", given, { VARSCOPE_BUDGET: "0" });
  expect(variables).toMatchObject({ VARSCOPE_COUNTERS: "none", VARSCOPE_BUDGET: "0" });
  const agent = variables["OMPI_MCA_orte_launch_agent"]!.split(" ");
  expect(agent).toContain("VARSCOPE_COUNTERS=none");
  expect(agent).toContain("VARSCOPE_BUDGET=0");
  expect(agent).not.toContain("HOME=/root");
});
