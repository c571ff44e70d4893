interface Interval {
  startNs: number;
  endNs: number;
}

/** A confirmed region before it is written. */
export interface Draft extends Interval {
  /** World ranks whose own work was slow. */
  ranks: number[];
  loss: number;
  /** Chance of it in an undisturbed run. */
  chance: number;
}

/** Two intervals are one event if they share this much of the shorter and of the longer. */
const OF_SHORTER = 0.7;
const OF_LONGER = 0.4;

/**
 * Joins intervals of different ranks that are slow at the same time, largest loss first. Intervals of one rank stay
 * apart: they are bursts with a gap between.
 */
export function joinRanks(drafts: readonly Draft[]): Draft[] {
  const joined: (Draft & { members: Draft[] })[] = [];
  for (const draft of [...drafts].toSorted((a, b) => b.loss - a.loss || a.startNs - b.startNs)) {
    const event = joined.find(
      (other) =>
        !draft.ranks.some((rank) => other.ranks.includes(rank)) &&
        other.members.every((member) => isSameTime(member, draft)),
    );
    if (!event) {
      joined.push({ ...draft, members: [draft] });
      continue;
    }
    event.members.push(draft);
    event.startNs = Math.min(event.startNs, draft.startNs);
    event.endNs = Math.max(event.endNs, draft.endNs);
    event.ranks = [...event.ranks, ...draft.ranks].toSorted((a, b) => a - b);
    event.loss += draft.loss;
    event.chance = Math.min(event.chance, draft.chance);
  }
  return joined.map(({ startNs, endNs, ranks, loss, chance }) => ({
    startNs,
    endNs,
    ranks,
    loss,
    chance,
  }));
}

/** Whether two intervals are those of one event. */
export function isSameTime(a: Interval, b: Interval): boolean {
  const shared = Math.min(a.endNs, b.endNs) - Math.max(a.startNs, b.startNs);
  const [shorter, longer] = [a.endNs - a.startNs, b.endNs - b.startNs].toSorted((x, y) => x - y);
  return shared >= OF_SHORTER * shorter! && shared >= OF_LONGER * longer!;
}
