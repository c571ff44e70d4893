import { describe, expect, test } from "vitest";
import { completeHosts, scopeOf } from "../../../src/analyze/hosts.ts";

const HOSTS = new Map([
  ["node1", [0, 1, 2, 3]],
  ["node2", [4, 5, 6, 7]],
  ["node3", [8]],
]);
const ALL = [0, 1, 2, 3, 4, 5, 6, 7, 8];

describe("scopeOf", () => {
  test.each([
    ["all ranks of a host", [4, 5, 6, 7], ALL, "host"],
    ["one rank less", [4, 5, 6], ALL, "ranks"],
    ["one rank of another host more", [0, 4, 5, 6, 7], ALL, "ranks"],
    ["all ranks of two hosts", [0, 1, 2, 3, 4, 5, 6, 7], ALL, "host"],
    ["everybody", ALL, ALL, "job"],
    ["a host's only rank", [8], ALL, "ranks"],
    ["all of a host that can be judged", [4, 5], [0, 1, 2, 3, 4, 5, 8], "host"],
    ["the only one that can be judged", [4], [4], "ranks"],
  ] as const)("%s", (_, ranks, judged, scope) => {
    expect(scopeOf(ranks, judged, HOSTS)).toBe(scope);
  });
});

function draft(ranks: number[]) {
  return { startNs: 0, endNs: 100, ranks, loss: 1, chance: 0 };
}

/** Every rank worked 100 ns by reference; `slowness` is observed / reference. */
function parts(slowness: Record<number, number>) {
  return ALL.map((rank) => ({
    rank,
    class: 1,
    fragments: 10,
    reference: 100,
    observed: 100 * (slowness[rank] ?? 1),
  }));
}

describe("completeHosts", () => {
  const slowness = { 4: 1.2, 5: 1.2, 6: 1.15, 7: 1.05, 0: 1.2 };

  test("takes in a rank that is slow like the others of its host, and no other", () => {
    expect(completeHosts(draft([4, 5]), parts(slowness), HOSTS, new Set())).toEqual([4, 5, 6]);
  });

  test("leaves ranks alone that have a region of their own", () => {
    expect(completeHosts(draft([4, 5]), parts(slowness), HOSTS, new Set([6]))).toEqual([4, 5]);
  });

  test("needs two ranks, and half of those on the host", () => {
    expect(completeHosts(draft([4]), parts(slowness), HOSTS, new Set())).toEqual([4]);
    const large = new Map([["node1", [0, 1, 2, 3, 4, 5, 6, 7]]]);
    expect(completeHosts(draft([4, 5]), parts(slowness), large, new Set())).toEqual([4, 5]);
  });
});
