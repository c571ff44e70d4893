import { expect, test } from "vitest";
import { type Call, type CallName, collectivesOf, countsIn, stateOf } from "./collective-store.ts";

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

/** Broadcasts, one or more between two barriers. Roots go on at once; bytes tell which of all calls it is. */
function broadcasts(below: (n: number) => number): Call[][] {
  const clock = Array.from({ length: RANKS }, () => 10);
  const calls: Call[][] = clock.map(() => []);
  for (let step = 1; step <= STEPS; step++) {
    const root = below(RANKS);
    const call = below(3) === 0 ? "MPI_Barrier" : "MPI_Bcast";
    const starts = clock.map((now) => now + 1 + below(40));
    const last = call === "MPI_Bcast" ? starts[root]! : Math.max(...starts);
    for (const [rank, start] of starts.entries()) {
      const end = Math.max(start, last) + 1 + below(8);
      calls[rank]!.push({ rank, call, start, end, bytes: step, peer: root });
      clock[rank] = end;
    }
  }
  return calls;
}

/** Leaves out runs of calls of one function, and tells of them as the interceptor does. */
function leaveOut(below: (n: number) => number, calls: readonly Call[], which: CallName) {
  const kept: Call[] = [];
  const gaps: string[] = [];
  for (let at = 0; at < calls.length; at++) {
    const before = calls[at - 1];
    const many = at > 0 && below(12) === 0 ? 1 + below(4) : 0;
    let skipped = 0;
    while (skipped < many && at + 1 < calls.length && calls[at]!.call === which) {
      skipped++;
      at++;
    }
    const next = calls[at]!;
    if (skipped > 0) gaps.push(`(${next.rank}, 0, ${before!.end}, ${next.start}, ${skipped})`);
    kept.push({ ...next, cut: skipped > 0 });
  }
  return { kept, gaps };
}

/** Matches what is left of a program; gives the matched executions that are counted again behind a gap. */
async function matchedBehindGaps(below: (n: number) => number, all: Call[][], which: CallName) {
  const parts = all.map((calls) => leaveOut(below, calls, which));
  const gaps = parts.flatMap((part) => part.gaps);
  const store = await collectivesOf({
    ranks: RANKS,
    calls: parts.flatMap(({ kept }) => kept),
    rows: `INSERT INTO gaps VALUES ${gaps.join(", ")};
      INSERT INTO sampled_out SELECT range, 0, ${stateOf(which)}, 9, 9, 9 FROM range(${RANKS});`,
  });
  const rows = await store.rows<{ epoch: number; steps: number; calls: number }>(`
    SELECT x.epoch, count(DISTINCT i.bytes) AS steps, count(*) AS calls
      FROM collective_executions x JOIN collective_calls c USING (communicator, call, k)
      JOIN irregular_calls i ON i.rank = c.rank AND i.start_ns = c.start_ns
     WHERE x.complete GROUP BY x.communicator, x.call, x.k, x.epoch`);
  const [counts] = await countsIn(store);
  store.close();
  expect(rows.every(({ steps, calls }) => steps === 1 && calls === RANKS)).toBe(true);
  expect(counts!.calls).toBe(counts!.complete * RANKS + counts!.unmatched);
  return rows.filter(({ epoch }) => epoch > 0).length;
}

test("calls that are matched behind gaps belong together, and most that can be are", async () => {
  let behind = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const below = numbers(seed);
    const pauses = seed % 2 === 1;
    const found = await matchedBehindGaps(
      below,
      reductions(below, pauses ? 40 : 6),
      "MPI_Allreduce",
    );
    if (pauses) behind += found;
  }
  // Six programs with pauses, in which ranks have about half of 150 steps in common.
  expect(behind).toBeGreaterThan(200);
});

test("where not everybody waits, calls are counted again behind a call in which everybody does", async () => {
  let behind = 0;
  for (let seed = 1; seed <= 8; seed++) {
    const below = numbers(seed);
    behind += await matchedBehindGaps(below, broadcasts(below), "MPI_Bcast");
  }
  // Eight programs with 100 broadcasts, two of three between a gap and the next barrier or left out somewhere.
  expect(behind).toBeGreaterThan(150);
});
