import { hostNames } from "./host-names.ts";
import type { Store } from "../../trace/store.ts";
import type { Kind, Region } from "../model.ts";
import { adviceFor } from "./advice.ts";
import { buildEvidence } from "./region-evidence.ts";

interface RegionRow extends Record<string, unknown> {
  region: number;
  kind: Kind;
  start_ns: number;
  end_ns: number;
  performance: number;
  lost_ns: number;
  lost_low_ns: number;
  lost_high_ns: number;
  significance: number;
  scope: Region["scope"];
  event: number;
}

interface ImpactRow {
  region: number;
  impact_ns: number;
  low_ns: number;
  high_ns: number;
}

/** Variance regions, largest loss first. Causes are found by later passes. */
export async function buildRegions(store: Store): Promise<Region[]> {
  const rows = await store.rows<RegionRow>("SELECT * FROM regions ORDER BY lost_ns DESC, region");
  const members = await store.rows<{ region: number; rank: number; role: string; host: string }>(`
    SELECT m.region, m.rank, m.role, r.host
      FROM region_ranks m JOIN ranks r USING (rank) ORDER BY m.region, m.rank`);
  const hostsOfJob = new Set(
    (await store.rows<{ host: string }>("SELECT DISTINCT host FROM ranks")).map(({ host }) => host),
  );
  const evidence = await store.rows<{ region: number; evidence: string }>(
    "SELECT DISTINCT region, evidence FROM rank_speeds WHERE region IS NOT NULL ORDER BY ALL",
  );
  const iterations = await store.rows<{ region: number; first: number; last: number }>(
    "SELECT region, first_iteration AS first, last_iteration AS last FROM region_iterations",
  );
  const measured = await buildEvidence(store);
  const impacts = await store.rows<Record<string, unknown> & ImpactRow>(
    "SELECT region, impact_ns, low_ns, high_ns FROM run_impacts WHERE what = 'region'",
  );
  return rows.map((row) => {
    const inLoop = iterations.find(({ region }) => region === row.region);
    const impact = impacts.find(({ region }) => region === row.region);
    const own = members.filter(({ region }) => region === row.region);
    const slow = own.filter(({ role }) => role === "slow");
    const region: Omit<Region, "advice"> = {
      id: row.region,
      kind: row.kind,
      event: row.event,
      scope: row.scope,
      ranks: slow.map(({ rank }) => rank),
      hosts: hostNames(slow.map(({ host }) => host)),
      startSeconds: row.start_ns / 1e9,
      endSeconds: row.end_ns / 1e9,
      iterations: inLoop ? [inLoop.first, inLoop.last] : null,
      performance: row.performance,
      lostSeconds: row.lost_ns / 1e9,
      lostInterval: [row.lost_low_ns / 1e9, row.lost_high_ns / 1e9],
      runImpactSeconds: impact ? impact.impact_ns / 1e9 : null,
      runImpactInterval: impact ? [impact.low_ns / 1e9, impact.high_ns / 1e9] : null,
      significance: row.significance,
      culprits: slow.map(({ rank }) => rank),
      victims: own.filter(({ role }) => role === "waiting").map(({ rank }) => rank),
      throughout: [
        ...new Set(
          evidence
            .filter((one) => one.region === row.region)
            .flatMap((one) => one.evidence.split(",")),
        ),
      ],
      evidence: measured.get(row.region) ?? [],
      causes: [],
    };
    return Object.assign(region, { advice: adviceFor(region, hostsOfJob.size) });
  });
}
