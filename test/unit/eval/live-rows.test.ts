import { expect, test } from "vitest";
import { liveRows } from "../../eval/live/rows.ts";
import type { LiveRun } from "../../eval/live/run.ts";
import type { Region } from "../../eval/score/region.ts";

type Probes = LiveRun["byDefault"]["probes"][number];
const SAID = { found: [] as Region[], machine: [] as number[], probes: [] as Probes[], flagged: 0 };

function run(values: Partial<LiveRun>): LiveRun {
  return {
    program: "stencil",
    way: "nothing",
    rank: 1,
    seconds: 6,
    coverage: 0.9,
    probesPerRank: 10,
    kind: "compute",
    startNs: 2e9,
    endNs: 4e9,
    behind: 0.01,
    accounted: undefined,
    byDefault: SAID,
    sensitive: SAID,
    waited: 0,
    stolen: 0,
    ...values,
  };
}

function region(rank: number, startNs: number, endNs: number, lostNs: number): Region {
  return { kind: "compute", parts: [{ rank, startNs, endNs }], lostNs };
}

/** `slower`: whether probes were, for each region. */
function says(
  found: Region[],
  machine: number[],
  slower: boolean[] = found.map(() => false),
): Pick<LiveRun, "byDefault" | "sensitive"> {
  const probes = slower.map((confirm) => ({ confirm, inside: 3, outside: 8 }));
  const said = { ...SAID, found, machine, probes };
  return { byDefault: said, sensitive: said };
}

function value(runs: readonly LiveRun[], what: string): number | undefined {
  return liveRows(runs).find((row) => row.what === what)!.values.ours;
}

/** Half of its pace for two seconds. */
const hog = { way: "cpu-hog", behind: 1, accounted: 0.95 } as const;

test("right rank and interval count, and losses are held against the injector's account", () => {
  const found = says([region(1, 2e9, 4e9, 0.76e9)], [0]);
  const runs = [run({}), run({ ...hog, ...found })];
  expect(value(runs, "recall: cpu-hog")).toBe(100);
  expect(value(runs, "precision, by region")).toBe(100);
  expect(value(runs, "intersection over union, mean")).toBe(1);
  expect(value(runs, "lost seconds: error, median")).toBeCloseTo(20, 6);
});

test("the wrong rank is a miss and a false region", () => {
  const runs = [run({}), run({ ...hog, ...says([region(0, 2e9, 4e9, 0.95e9)], [0]) })];
  expect(value(runs, "recall: cpu-hog")).toBe(0);
  expect(value(runs, "precision, by region")).toBe(0);
  expect(value(runs, "intersection over union, mean")).toBe(0);
});

test("a stop has the kind of what it hit, another disturbance has its own", () => {
  const found: Region = { ...region(1, 2e9, 4e9, 2e9), kind: "communication" };
  const stop = run({ ...hog, way: "stop", accounted: 2, ...says([found], [0]) });
  expect(value([run({}), stop], "recall: stop")).toBe(100);
  expect(value([run({}), { ...stop, way: "cpu-hog" }], "recall: cpu-hog")).toBe(0);
});

test("without an account the loss is what the victim fell behind", () => {
  const found = says([region(1, 2e9, 4e9, 1.1e9)], [0]);
  const runs = [run({}), run({ ...hog, way: "cache", accounted: undefined, ...found })];
  expect(value(runs, "lost seconds: error, median")).toBeCloseTo(10, 6);
});

test("a disturbance that does not slow its victim is not missed", () => {
  const effect = "disturbances without effect on the victim's pace";
  const weak = run({ ...hog, way: "memory", behind: 0.06 });
  expect(value([run({}), weak, run(hog)], effect)).toBe(50);
  // Undisturbed ranks fall behind as much: this machine is too restless to tell.
  expect(value([run({ behind: 1.2 }), run(hog)], effect)).toBe(100);
  // Those of another program do not matter.
  expect(value([run({ behind: 1.2, program: "lammps" }), run({}), run(hog)], effect)).toBe(0);
});

test("undisturbed runs with a region, and with one that kernel, probes or neither confirm", () => {
  const found = [region(0, 1e9, 1.2e9, 0.1e9)];
  const both = [...found, region(1, 1e9, 1.2e9, 0.1e9)];
  const runs = [
    run({}),
    run(says(found, [0.9])),
    run(says(found, [0.1])),
    run(says(found, [0.1], [true])),
    run(says(both, [0.9, 0.1], [false, true])),
  ];
  expect(value(runs, "undisturbed runs without a region")).toBe(20);
  expect(value(runs, "  without one that the kernel does not confirm")).toBe(40);
  expect(value(runs, "  without one that the probes do not confirm")).toBe(40);
  expect(value(runs, "  without one that neither confirms")).toBe(80);
  expect(value(runs, "  probes of a kind on a rank, mean")).toBe(10);
  expect(value(runs, "  probes inside a region, mean")).toBe(3);
});
