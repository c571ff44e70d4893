import { expect, test } from "vitest";
import {
  type Call,
  type CallName,
  collectivesOf,
  type Communicator,
  waitsIn,
} from "./collective-store.ts";

const KINDS: Readonly<Record<string, string>> = {
  MPI_Barrier: "wait at barrier",
  MPI_Allreduce: "wait at n-to-n",
  MPI_Bcast: "late root",
  MPI_Reduce: "wait at n-to-1",
  MPI_Scan: "wait at prefix",
};
const NAMES = Object.keys(KINDS) as CallName[];
const RANKS = 5;

/** Numbers below `n` that are the same in every run: a linear congruential generator. */
function numbers(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** Members in any order, two at least. */
function someRanks(below: (n: number) => number): number[] {
  const all = Array.from({ length: RANKS }, (_, rank) => rank);
  for (let i = RANKS - 1; i > 0; i--) {
    const j = below(i + 1);
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  return all.slice(0, 2 + below(RANKS - 1));
}

/** For whom a member waits, by the meaning of the call. */
function awaited(call: CallName, members: readonly number[], root: number, rank: number): number[] {
  const others = members.filter((one) => one !== rank);
  if (call === "MPI_Bcast") return rank === root ? [] : [root];
  if (call === "MPI_Reduce") return rank === root ? others : [];
  if (call === "MPI_Scan") return members.slice(0, members.indexOf(rank));
  return others;
}

/** A program of collectives on communicators that overlap; each rank goes on as soon as those that it waits for have come. */
function program(seed: number) {
  const below = numbers(seed);
  const communicators = [1, 2, 3].map((communicator): Communicator => {
    return { communicator, members: someRanks(below) };
  });
  const clock = Array.from({ length: RANKS }, () => 0);
  const calls: Call[] = [];
  const waits = new Map<string, [calls: number, ns: number]>();
  const inside = Array.from({ length: RANKS }, () => 0);
  for (let i = 0; i < 120; i++) {
    const { communicator, members } = communicators[below(3)]!;
    const call = NAMES[below(NAMES.length)]!;
    const root = members[below(members.length)]!;
    // No two enter at the same time: ties have a test of their own.
    const entry = new Map(
      members.map((rank) => [rank, RANKS * (clock[rank]! + 1 + below(80)) + rank]),
    );
    for (const rank of members) {
      const start = entry.get(rank)!;
      const causes = awaited(call, members, root, rank);
      const last = causes.toSorted((a, b) => entry.get(b)! - entry.get(a)!)[0];
      const ns = last === undefined ? 0 : Math.max(0, entry.get(last)! - start);
      const end = start + ns + RANKS * (1 + below(5));
      clock[rank] = Math.ceil(end / RANKS);
      inside[rank]! += end - start;
      const peer = call === "MPI_Bcast" || call === "MPI_Reduce" ? root : -1;
      calls.push({ rank, call, start, end, communicator, peer });
      if (ns === 0) continue;
      const key = [KINDS[call], rank, call, last].join("|");
      const [n, sum] = waits.get(key) ?? [0, 0];
      waits.set(key, [n + 1, sum + ns]);
    }
  }
  return { communicators, calls, waits, inside };
}

test("waits in random programs are those that the program was made with", async () => {
  for (let seed = 1; seed <= 8; seed++) {
    const { communicators, calls, waits, inside } = program(seed);
    expect(waits.size).toBeGreaterThan(30);
    const store = await collectivesOf({ ranks: RANKS, communicators, calls });
    const found = await waitsIn(store);
    const perCall = await store.rows<{ rank: number; ns: number; longest: number }>(`
      SELECT rank, sum(waiting_ns)::BIGINT AS ns, max(waiting_ns - (end_ns - start_ns)) AS longest
        FROM collective_call_waits GROUP BY rank ORDER BY rank`);
    store.close();
    const keyed = found.map(({ kind, rank, call, cause, calls: n, ns }) => {
      return [[kind, rank, call, cause].join("|"), [n, ns]] as const;
    });
    expect(new Map(keyed)).toEqual(waits);
    for (const { rank, ns, longest } of perCall) {
      expect(longest).toBeLessThanOrEqual(0);
      expect(ns).toBeLessThanOrEqual(inside[rank]!);
      const sum = found.reduce((all, one) => (one.rank === rank ? all + one.ns : all), 0);
      expect(sum).toBe(ns);
    }
  }
});
