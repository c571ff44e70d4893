import type { Store } from "../trace/store.ts";
import { insertRows } from "./columns.ts";
import { type EvidenceRegion, readEvidenceRegions } from "./evidence-regions.ts";
import { kernelEvidence } from "./kernel-evidence.ts";
import { PROBE_KINDS, type ProbeCourse, type ProbeKind, readProbes } from "./probe-moments.ts";
import { compareProbes, insideOf, outsideOf } from "./probe-verdict.ts";

/**
 * Between passes 7 and 8. What probes of the cores and the kernel's account say of each region: whether fixed works took longer
 * meanwhile, too, and how much of the loss the kernel knows of. It names no causes.
 *
 * Reads `regions`, `region_ranks`, `ranks`, `probes` and the counters; writes `region_evidence`.
 */
export async function findRegionEvidence(store: Store, wallNs: number): Promise<void> {
  const regions = await readEvidenceRegions(store, wallNs);
  if (regions.length === 0) return;
  const busy = new Map<number, [number, number][]>();
  for (const { startNs, endNs, all } of regions)
    for (const rank of all) busy.set(rank, [...(busy.get(rank) ?? []), [startNs, endNs]]);
  for (const kind of PROBE_KINDS) {
    const wanted = [...new Set(regions.flatMap(({ ranks, peers }) => [...ranks, ...peers]))];
    const courses = new Map<number, ProbeCourse>();
    for (const one of await readProbes(store, kind, wanted)) courses.set(one.rank, one);
    if (courses.size === 0) continue;
    await insertRows(
      store,
      "region_evidence",
      regions.map((region) => probeRow(region, kind, courses, busy)),
    );
  }
  await insertRows(store, "region_evidence", await kernelEvidence(store, regions, wallNs));
}

function probeRow(
  region: EvidenceRegion,
  kind: ProbeKind,
  courses: ReadonlyMap<number, ProbeCourse>,
  busy: ReadonlyMap<number, readonly [number, number][]>,
): (number | string | null)[] {
  const of = (ranks: readonly number[]) => ranks.flatMap((rank) => courses.get(rank) ?? []);
  const own = of(region.ranks).map((course) => ({
    inside: insideOf(course, region),
    outside: outsideOf(course, region, busy.get(course.rank) ?? []),
  }));
  const peers = of(region.peers).map((course) => insideOf(course, region));
  const one = compareProbes(kind, own, peers, region.performance);
  return [
    region.region,
    "probes",
    kind,
    one.against,
    one.insideCount,
    one.outsideCount,
    one.inside,
    one.outside,
    one.ratio,
    one.low,
    one.high,
    one.share,
    one.verdict,
  ];
}
