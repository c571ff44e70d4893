import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Report } from "../../src/report/model.ts";
import { Store } from "../../src/trace/store.ts";
import { MPIS, mpirun, ROOT, run, temporary, varscope } from "./run-support/varscope.ts";

interface RankRow extends Record<string, unknown> {
  rank: number;
  total: number;
  tool: number;
}

/** Of one rank: time by kind, added up here from every call of thread 0. */
interface KindRow extends Record<string, unknown> {
  rank: number;
  kind: string;
  ns: number;
}

/** Parts that are taken from the time between calls. */
const TAKEN = new Set(["tool", "sampled_out"]);

describe.each(MPIS)("the ledger of a real job, %s", (mpi) => {
  test.each([
    ["everything kept", ["--full"]],
    ["some calls left out", ["--budget", "0.05"]],
  ])("%s: parts add up, kind by kind", async (_, options) => {
    const folder = temporary();
    const program = join(folder, "mixed");
    const source = join(ROOT, "test/integration/ledger/mixed.c");
    expect(run([`mpicc.${mpi}`, "-O1", "-pthread", "-o", program, source]).status).toBe(0);
    const out = join(folder, "run");
    const ran = varscope(["run", "-o", out, ...options, "--", ...mpirun(mpi, program)], {
      cwd: folder,
    });
    expect(ran.status, ran.stderr).toBe(0);
    const shown = varscope(["report", out, "--json"]);
    expect(shown.status, shown.stderr).toBe(0);
    const { coverage, events } = (JSON.parse(shown.stdout) as Report).quality;
    const sum = Object.values(coverage.parts).reduce((a, b) => a + b, 0);
    expect(Math.abs(sum - coverage.totalRankSeconds)).toBeLessThan(
      0.001 * coverage.totalRankSeconds,
    );
    expect(events.sampledOut > 0).toBe(options[0] === "--budget");
    const store = await Store.open(join(out, "run.duckdb"));
    try {
      const threads = await store.row<{ n: number }>("SELECT max(threads) AS n FROM ranks");
      expect(threads!.n).toBeGreaterThan(1);
      const ranks = await store.rows<RankRow>(
        "SELECT rank, end_ns - init_ns AS total, tool_ns AS tool FROM ranks ORDER BY rank",
      );
      const ledger = await store.rows<KindRow & { part: string }>("FROM ledger");
      const called = await store.rows<KindRow>(
        `SELECT rank, kind, sum(end_ns - start_ns)::DOUBLE AS ns FROM calls JOIN state_kinds USING (state)
          WHERE thread = 0 AND edge >= 0 GROUP BY ALL`,
      );
      const between = await store.rows<{ rank: number; ns: number }>(
        `SELECT rank, sum(before_ns)::DOUBLE + coalesce((SELECT sum(end_ns - start_ns) FROM gaps g
                  WHERE g.rank = c.rank AND g.thread = 0), 0)::DOUBLE AS ns
           FROM calls c WHERE thread = 0 AND edge >= 0 GROUP BY rank`,
      );
      for (const { rank, total, tool } of ranks) {
        const own = ledger.filter((row) => row.rank === rank);
        const part = (keep: (row: KindRow & { part: string }) => boolean): number =>
          own.filter(keep).reduce((ns, row) => ns + row.ns, 0);
        const time = (...kinds: string[]): number =>
          called
            .filter((row) => row.rank === rank && kinds.includes(row.kind))
            .reduce((ns, row) => ns + row.ns, 0);
        expect(Math.abs(part(() => true) - total)).toBeLessThan(0.001 * total);
        for (const row of own) expect(row.ns).toBeGreaterThanOrEqual(0);
        // Calls are taken as they are; the tool's cost comes off computation and spans left out.
        expect(Math.abs(part((row) => row.kind === "io") - time("io"))).toBeLessThan(0.001 * total);
        expect(
          Math.abs(part((row) => row.kind === "communication") - time("communication", "wait")),
        ).toBeLessThan(0.001 * total);
        expect(time("io")).toBeGreaterThan(0);
        expect(time("wait")).toBeGreaterThan(0);
        expect(part((row) => row.part === "tool")).toBeLessThanOrEqual(tool * 1.001 + 1);
        // What is neither is before, after and between what was recorded: nothing of it is in there twice.
        const spent = part((row) => row.kind === "compute" || TAKEN.has(row.part));
        const computed = between.find((row) => row.rank === rank);
        expect(Math.abs(spent - computed!.ns)).toBeLessThan(0.001 * total);
        const left = part((row) => row.part === "sampled_out");
        expect(left > 0).toBe(options[0] === "--budget");
      }
    } finally {
      store.close();
    }
  });
});
