import { UserError } from "../user-error.ts";
import type { TraceReader } from "./reader.ts";

export interface Job {
  id: string;
  /** One per rank, by rank. */
  readers: TraceReader[];
}

/**
 * A trace folder can hold several MPI jobs (a script that starts two). Takes the wanted one, or that
 * with the most rank-time, and says in `warn` what was left out.
 * @throws UserError if the wanted job is not there
 */
export function chooseJob(
  readers: readonly TraceReader[],
  wanted: string | undefined,
  warn: (line: string) => void,
): Job {
  const jobs = new Map<string, TraceReader[]>();
  for (const reader of readers) {
    const id = reader.description.jobId;
    jobs.set(id, [...(jobs.get(id) ?? []), reader]);
  }
  const order = [...jobs].toSorted(([a, ofA], [b, ofB]) => {
    const difference = rankTime(ofB) - rankTime(ofA);
    return difference > 0n ? 1 : difference < 0n ? -1 : a.localeCompare(b);
  });
  const found = wanted ? order.find(([id]) => id === normalized(wanted)) : order[0];
  if (!found) {
    const known = order.map(([id]) => id).join(", ");
    throw new UserError(`there is no MPI job ${wanted} in this run; it has ${known}`, 2);
  }
  const others = order.filter((job) => job !== found);
  if (others.length > 0) {
    const names = others.map(([id, ranks]) => `${id} (${ranks.length} ranks)`).join(", ");
    warn(
      `this run holds ${order.length} MPI jobs; shown is ${found[0]}, not ${names}: ` +
        `choose with --job`,
    );
  }
  return { id: found[0], readers: onePerRank(found[1], warn) };
}

function onePerRank(readers: TraceReader[], warn: (line: string) => void): TraceReader[] {
  const byRank = new Map<number, TraceReader>();
  for (const reader of readers) {
    const { rank } = reader.description;
    const first = byRank.get(rank);
    if (first) warn(`${reader.name} is rank ${rank} like ${first.name} and was left out`);
    else byRank.set(rank, reader);
  }
  return [...byRank.values()].toSorted((a, b) => a.description.rank - b.description.rank);
}

function rankTime(readers: readonly TraceReader[]): bigint {
  return readers.reduce((sum, { description }) => {
    return sum + description.lastNs - description.initExitNs;
  }, 0n);
}

function normalized(id: string): string {
  return id
    .toLowerCase()
    .replace(/^0x/, "")
    .replace(/^0+(?=.)/, "");
}
