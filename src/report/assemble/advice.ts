import type { Region } from "../model.ts";

/** Below this performance nothing was done at all. */
const STANDSTILL = 0.05;

/**
 * One sentence on where to look next. Without causes (later passes find those) it can only say what the
 * shape of the region rules out.
 */
export function adviceFor(region: Omit<Region, "advice">, hostsOfJob: number): string {
  const hosts = region.hosts.slice(0, 3).join(", ") + (region.hosts.length > 3 ? ", ..." : "");
  if (region.kind === "communication" && region.performance < STANDSTILL) return standstill(hosts);
  if (region.kind === "communication") {
    return hostsOfJob > 1
      ? `No rank computed slowly meanwhile: look at the network of ${hosts} and at other jobs that used it.`
      : `No rank computed slowly meanwhile: look for memory traffic and for more processes than cores on ${hosts}.`;
  }
  if (region.kind === "io") {
    return `Reading or writing the same amounts took longer: look for what else used the file systems of ${hosts} at that time, and for full disks and write-back.`;
  }
  if (region.performance < STANDSTILL) return standstill(hosts);
  if (region.ranks.length > 1 && region.hosts.length === 1 && hostsOfJob > 1) {
    return `All of these ranks ran on ${hosts}: look at that host (other jobs, clock frequency, memory) at that time.`;
  }
  const ranks = region.ranks.length === 1 ? `rank ${region.ranks[0]}` : "these ranks";
  return `The same work took longer, so look for what else used the cores of ${ranks} on ${hosts} at that time: other processes, a CPU limit, a lower clock.`;
}

function standstill(hosts: string): string {
  return `The work nearly stood still: look for a stopped, suspended or swapped-out process on ${hosts} at that time.`;
}
