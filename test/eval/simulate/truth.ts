import type { Region } from "../score/region.ts";
import type { InjectedKind, Injection } from "./program.ts";
import type { SimulatedRank, Simulation } from "./simulate.ts";

/** What each injection did: where its ranks were slowed, from the first to the last fragment hit, and rank-ns lost. */
export function truthOf(simulation: Simulation): Region[] {
  return simulation.injections.flatMap((injection) => {
    const hit = injection.ranks.map((rank) => hitOf(simulation, injection, rank));
    const parts = hit.flatMap(({ part }) => (part ? [part] : []));
    const lostNs = hit.reduce((sum, one) => sum + one.lostNs, 0);
    return parts.length > 0 ? [{ kind: injection.kind, parts, lostNs }] : [];
  });
}

function hitOf({ ranks, program }: Simulation, injection: Injection, number: number) {
  const rank = ranks[number]!;
  let lostNs = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let i = 1; i < rank.state.length; i++) {
    if (rank.state[i]! >= program.calls.length) continue;
    const [start, end, lost] = fragment(
      rank,
      i,
      injection.kind,
      program.stages[rank.stage[i]!]!.waitsFor,
    );
    if (lost <= 0 || end <= injection.startNs || start >= injection.endNs) continue;
    lostNs += lost;
    first = Math.min(first, start);
    last = Math.max(last, end);
  }
  const startNs = Math.max(injection.startNs, first);
  const endNs = Math.min(injection.endNs, last);
  return { lostNs, part: endNs > startNs ? { rank: number, startNs, endNs } : undefined };
}

/** Start, end and loss of what call i tells about a kind. */
function fragment(
  rank: SimulatedRank,
  i: number,
  kind: InjectedKind,
  waitsFor: string,
): [number, number, number] {
  if (kind === "compute") return [rank.endNs[i - 1]!, rank.startNs[i]!, rank.lostBeforeNs[i]!];
  const same = (kind === "io") === (waitsFor === "nobody");
  return [rank.startNs[i]!, rank.endNs[i]!, same ? rank.lostCallNs[i]! : 0];
}
