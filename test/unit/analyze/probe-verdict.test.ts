import { describe, expect, test } from "vitest";
import {
  compareProbes,
  insideOf,
  LEVEL,
  outsideOf,
  type ProbeVerdict,
} from "../../../src/analyze/probe-verdict.ts";
import { moments, PROBE_KINDS, type ProbeKind } from "../../../src/analyze/probe-moments.ts";
import { Random } from "../../accuracy/noise.ts";

/** Times of probes with a tail: one in seven is interrupted and takes up to ten times as long. */
function draws(random: Random, n: number, factor: number, spread = 0.01): Float64Array {
  return Float64Array.from({ length: n }, () => {
    const tail = random.uniform() < 1 / 7 ? Math.log(10) * random.uniform() : 0;
    return Math.log(16_000 * factor) + spread * Math.abs(random.normal()) + tail;
  });
}

/** Verdicts on `runs` regions of two ranks, half as fast, whose probes took `factor` times as long; by kind. */
function verdicts(
  runs: number,
  factor: number,
  inside = 5,
  outside = 9,
  spread = 0.01,
): ProbeVerdict[][] {
  const random = new Random(17);
  return Array.from({ length: runs }, () =>
    PROBE_KINDS.map((kind) => {
      const own = [0, 1].map(() => ({
        inside: draws(random, inside, factor, spread),
        outside: draws(random, outside, 1, spread),
      }));
      return compareProbes(kind, own, [], 0.5);
    }),
  );
}

const share = (all: ProbeVerdict[][], verdict: ProbeVerdict["verdict"]) =>
  all.filter((kinds) => kinds.some((one) => one.verdict === verdict)).length / all.length;

describe("probes of the same ranks at other times", () => {
  test("are called slower by chance no more often than the level says", () => {
    expect(share(verdicts(200, 1), "slower")).toBeLessThanOrEqual(LEVEL);
    // So wide that the limits alone decide, not what is of no account.
    const wide = share(verdicts(1000, 1, 5, 9, 0.5), "slower");
    expect(wide).toBeLessThanOrEqual(LEVEL);
    expect(wide).toBeGreaterThan(LEVEL / 2);
  });

  test("have their true ratio between the limits as often as these say", () => {
    const all = verdicts(400, 1.3, 5, 9, 0.5).flat();
    const held = all.filter(({ low, high }) => low! <= 1.3 && high! >= 1.3).length / all.length;
    expect(held).toBeGreaterThan(1 - (2 * LEVEL) / 3 - 0.015);
    expect(held).toBeLessThan(0.99);
  });

  test("are called slower where they are", () => {
    expect(share(verdicts(50, 1.4), "slower")).toBe(1);
    const [one] = verdicts(1, 1.4, 40, 60)[0]!;
    expect(one!.ratio).toBeGreaterThan(1.3);
    expect(one!.ratio).toBeLessThan(1.5);
    expect(one!.share).toBeCloseTo(Math.log(one!.ratio!) / Math.log(2), 9);
  });

  test("are called not slower where there are enough of them", () => {
    expect(share(verdicts(50, 1, 30, 40), "not_slower")).toBe(1);
    expect(share(verdicts(50, 1.4, 30, 40), "not_slower")).toBe(0);
  });

  test("tell nothing where there are too few", () => {
    const few = verdicts(20, 3, 1, 2);
    expect(share(few, "unknown")).toBe(1);
    expect(few[0]![0]).toMatchObject({ insideCount: 2, outsideCount: 4, ratio: null, low: null });
  });
});

function beside(kind: ProbeKind, factor: number, peers = 5): ProbeVerdict {
  const random = new Random(5);
  const others = Array.from({ length: peers }, () => draws(random, 20, 1));
  const own = { inside: draws(random, 20, factor), outside: new Float64Array() };
  return compareProbes(kind, [own], others, 0.6);
}

describe("probes of other ranks at the same time", () => {
  test("are asked where a region leaves none of its own", () => {
    expect(beside("compute", 1.3)).toMatchObject({ against: "others", verdict: "slower" });
    expect(beside("compute", 1)).toMatchObject({ against: "others", verdict: "not_slower" });
  });

  test("may differ by as much as equally fast cores do", () => {
    expect(beside("memory", 1.1).verdict).not.toBe("slower");
    expect(beside("compute", 1.1).verdict).toBe("slower");
  });

  test("are not asked where there is one other rank, which may differ for its own reasons", () => {
    expect(beside("compute", 1.3, 1).verdict).toBe("unknown");
  });
});

describe("which probes are compared", () => {
  const course = {
    rank: 0,
    atNs: Float64Array.of(0, 20, 21, 50, 79, 80, 82, 99),
    logs: Float64Array.of(0, 1, 2, 3, 4, 5, 6, 7),
  };

  test("those next to a border outside are neither in nor out, nor those in another region", () => {
    // 60 long, so 3 beyond either border are left out.
    expect([...insideOf(course, { startNs: 20, endNs: 80 })]).toEqual([1, 2, 3, 4]);
    expect([...outsideOf(course, { startNs: 20, endNs: 80 }, [])]).toEqual([0, 7]);
    expect([...outsideOf(course, { startNs: 20, endNs: 80 }, [[95, 100]])]).toEqual([0]);
  });

  test("the three at the start count once, as their median", () => {
    const at = Float64Array.of(1e6, 1.1e6, 1.2e6, 500e6, 1000e6, 1000.1e6, 1000.2e6);
    const { atNs, logs } = moments(at, Float64Array.of(3, 1, 2, 7, 9, 8, 100));
    expect([...atNs]).toEqual([1e6, 500e6, 1000e6]);
    expect([...logs]).toEqual([2, 7, 9]);
  });
});
