import { join } from "node:path";
import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { allowedCores } from "../../scripts/demo/cores.ts";
import { checksum, MPIS, ROOT, run, stencil, temporary, varscope } from "./run-support/varscope.ts";

const HOG = join(ROOT, "build/workloads/cpu-hog");
/** More than whatever else runs here: the system moves other processes away from a crowded core. */
const HOGS = 24;
const [CORE = 0, OTHER = 0] = allowedCores("self");

function ask<Row>(directory: string, query: string): Row[] {
  const { status, stdout } = varscope(["sql", directory, query, "--json"]);
  expect(status).toBe(0);
  return JSON.parse(stdout) as Row[];
}

/** A stencil whose ranks stay on one core each. */
function pinned(mpi: (typeof MPIS)[number], words: string[]): string[] {
  const [program = "", ...rest] = stencil(mpi, ...words);
  const on = (core: number) => ["-n", "1", "taskset", "-c", String(core), program, ...rest];
  return [`mpirun.${mpi}`, ...on(CORE), ":", ...on(OTHER)];
}

const RATES = `
  SELECT rank,
         sum(delta) FILTER (name = 'run_delay') / 1e9 AS waited,
         sum(delta) FILTER (name = 'cpu_time') / 1e9 AS worked,
         (max(end_ns) - min(start_ns)) / 1e9 AS wall
    FROM counter_rates JOIN counters USING (counter) WHERE thread = 0 GROUP BY rank ORDER BY rank`;

interface Rate {
  rank: number;
  waited: number;
  worked: number;
  wall: number;
}

describe.each(MPIS)("%s", (mpi) => {
  test("a rank that shares its core waits for it, and the counters say so", () => {
    // Other load on this machine can hide it, but not each time.
    let seen: Rate[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const directory = join(temporary(), "run");
      const hogs = Array.from({ length: HOGS }, () =>
        spawn(HOG, ["--core", String(CORE), "--interval", "0:100"], { stdio: "ignore" }),
      );
      const command = pinned(mpi, ["--steps", "60", "--size", "200"]);
      const traced = varscope(["run", "-o", directory, "--", ...command]);
      for (const hog of hogs) hog.kill("SIGKILL");
      expect(traced.status).toBe(0);
      seen = ask<Rate>(directory, RATES);
      expect(seen.map(({ rank }) => rank)).toEqual([0, 1]);
      for (const { waited, worked, wall } of seen) {
        expect(worked).toBeGreaterThan(0);
        expect(waited + worked).toBeLessThanOrEqual(wall * 1.05);
      }
      if (OTHER === CORE || standsOut(seen)) return;
    }
    expect(seen).toSatisfy(standsOut);
  });

  test("reading all groups changes nothing", () => {
    const command = [`mpirun.${mpi}`, "-n", "2", ...stencil(mpi, "--steps", "20", "--size", "60")];
    const directory = join(temporary(), "run");
    const plain = run(command);
    const traced = varscope(["run", "-o", directory, "--counters", "all", "--", ...command]);
    expect(traced.status).toBe(plain.status);
    expect(checksum(traced.stdout)).toBe(checksum(plain.stdout));
    const counters = ask<{ name: string; status: string }>(directory, "FROM counters");
    expect(counters.map(({ name }) => name)).toContain("instructions");
    expect(counters.every(({ status }) => status !== "")).toBe(true);
    expect(ask(directory, "FROM warnings")).toEqual([]);
  });
});

/** By the wait for each second on a core: other load on this machine lengthens both ranks' alike. */
function standsOut([shared, alone]: Rate[]): boolean {
  const wait = ({ waited, worked }: Rate): number => waited / worked;
  return wait(shared!) > 0.3 && wait(shared!) > 1.15 * wait(alone!);
}
