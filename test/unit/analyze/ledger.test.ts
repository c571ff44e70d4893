import { describe, expect, test } from "vitest";
import { rankLedger, type RankTimes } from "../../../src/analyze/ledger.ts";
import { randomFrom } from "../../../src/analyze/statistics.ts";

const PARTS = ["vsensor", "too_few_repeats", "varying_work"];

describe("rankLedger", () => {
  test("by hand", () => {
    const rows = rankLedger({
      rank: 0,
      totalNs: 1350,
      toolNs: 90,
      recorded: [
        { kind: "compute", part: "vsensor", ns: 400 },
        { kind: "compute", part: "varying_work", ns: 200 },
        { kind: "communication", part: "varying_work", ns: 300 },
        { kind: "io", part: "too_few_repeats", ns: 40 },
        { kind: "wait", part: "too_few_repeats", ns: 10 },
      ],
      waits: [{ part: "varying_work", ns: 120 }],
      sampledOutNs: 300,
    });
    const of = (kind: string, part: string) =>
      rows.find((row) => row.kind === kind && row.part === part)!.ns;
    expect(of("compute", "vsensor")).toBeCloseTo(360, 9);
    expect(of("compute", "varying_work")).toBeCloseTo(180, 9);
    expect(of("communication", "varying_work")).toBe(180);
    expect(of("communication", "waiting")).toBe(130);
    expect(of("io", "too_few_repeats")).toBe(40);
    expect(of("", "tool")).toBe(90);
    expect(of("", "sampled_out")).toBeCloseTo(270, 9);
    expect(of("", "untraced")).toBeCloseTo(100, 9);
  });

  test("parts are never negative and always sum to the rank's time", () => {
    const random = randomFrom(1);
    const whole = (limit: number) => Math.floor(random() ** 3 * limit);
    for (let round = 0; round < 500; round++) {
      const times: RankTimes = {
        rank: 0,
        totalNs: whole(1e12),
        toolNs: whole(1e11),
        recorded: (["compute", "communication", "io", "wait"] as const).flatMap((kind) =>
          PARTS.filter(() => random() < 0.8).map((part) => ({ kind, part, ns: whole(5e11) })),
        ),
        waits: PARTS.filter(() => random() < 0.5).map((part) => ({ part, ns: whole(5e11) })),
        sampledOutNs: whole(5e11),
      };
      const rows = rankLedger(times);
      const sum = rows.reduce((total, row) => total + row.ns, 0);
      expect(Math.abs(sum - times.totalNs)).toBeLessThanOrEqual(1e-9 * times.totalNs + 1e-6);
      for (const row of rows) expect(row.ns).toBeGreaterThanOrEqual(-1e-3);
    }
  });
});
