import { expect, test } from "vitest";
import { type Call, collectivesOf, countsIn, stateOf } from "./collective-store.ts";

const RANKS = 3;
const STEPS = 150;

/** Numbers below `n` that are the same in every run: a linear congruential generator. */
function numbers(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** Reductions of all to all with little between them, so that ranks often leave one when others are in the next; bytes tell which. */
function reductions(below: (n: number) => number, pause: number): Call[][] {
  const clock = Array.from({ length: RANKS }, () => 10);
  const calls: Call[][] = clock.map(() => []);
  for (let step = 1; step <= STEPS; step++) {
    const starts = clock.map((now) => now + 1 + below(pause));
    const last = Math.max(...starts);
    for (const [rank, start] of starts.entries()) {
      const end = last + 1 + below(8) + (below(10) === 0 ? 30 : 0);
      calls[rank]!.push({ rank, call: "MPI_Allreduce", start, end, bytes: step });
      clock[rank] = end;
    }
  }
  return calls;
}

/** Leaves out runs of calls, and tells of them as the interceptor does. */
function leaveOut(below: (n: number) => number, calls: readonly Call[]) {
  const kept: Call[] = [];
  const gaps: string[] = [];
  for (let at = 0; at < calls.length; at++) {
    const skipped = at > 0 && below(12) === 0 ? Math.min(1 + below(4), calls.length - 1 - at) : 0;
    const before = calls[at - 1];
    at += skipped;
    const next = calls[at]!;
    if (skipped > 0) gaps.push(`(${next.rank}, 0, ${before!.end}, ${next.start}, ${skipped})`);
    kept.push({ ...next, cut: skipped > 0 });
  }
  return { kept, gaps };
}

test("calls that are matched behind gaps belong together, and most that can be are", async () => {
  let behind = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const below = numbers(seed);
    const all = reductions(below, seed % 2 === 0 ? 6 : 40);
    const parts = all.map((calls) => leaveOut(below, calls));
    const gaps = parts.flatMap((part) => part.gaps);
    const state = stateOf("MPI_Allreduce");
    const store = await collectivesOf({
      ranks: RANKS,
      calls: parts.flatMap(({ kept }) => kept),
      rows: `INSERT INTO gaps VALUES ${gaps.join(", ")};
        INSERT INTO sampled_out SELECT range, 0, ${state}, 9, 9, 9 FROM range(${RANKS});`,
    });
    const rows = await store.rows<{ epoch: number; steps: number; calls: number }>(`
      SELECT x.epoch, count(DISTINCT i.bytes) AS steps, count(*) AS calls
        FROM collective_executions x JOIN collective_calls c USING (communicator, call, k)
        JOIN irregular_calls i ON i.rank = c.rank AND i.start_ns = c.start_ns
       WHERE x.complete GROUP BY x.k, x.epoch`);
    const [counts] = await countsIn(store);
    store.close();
    expect(rows.every(({ steps, calls }) => steps === 1 && calls === RANKS)).toBe(true);
    expect(counts!.calls).toBe(counts!.complete * RANKS + counts!.unmatched);
    if (seed % 2 === 1) behind += rows.filter(({ epoch }) => epoch > 0).length;
  }
  // Six programs with pauses, in which ranks have about half of 150 steps in common.
  expect(behind).toBeGreaterThan(200);
});
