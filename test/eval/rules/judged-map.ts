import type { Region } from "../score/region.ts";
import type { Fragments, Job, Kind } from "./job.ts";
import { FLAGGED, type Verdict } from "./verdict.ts";

/** Performance of each fragment of a kind, NaN where it is not judged; and its class. */
export interface Judged {
  performance: Float64Array;
  classes: Int32Array;
}

/** Heat map of a kind: by rank, then bin; reference and observed ns. Observed 0 is unknown. */
interface Cells {
  bins: number;
  observed: Float64Array;
  reference: Float64Array;
}

/**
 * The part that the published systems share: cells of a heat map are the time-weighted mean of the performance of the fragments in
 * them; neighbouring cells (rank or time) below the threshold grow into regions. Lost is observed - reference time in them.
 *
 * Bins are as long as published; where that would leave fewer than 20 bins, a twentieth of the run.
 */
export function verdictOf(job: Job, judged: Record<Kind, Judged>, publishedBinNs: number): Verdict {
  const binNs = Math.min(publishedBinNs, job.wallNs / 20);
  const cells = (kind: Kind) => cellsOf(job[kind], judged[kind].performance, job, binNs);
  const compute = cells("compute");
  const regions = (["compute", "communication", "io"] as const).flatMap((kind) =>
    grow(kind === "compute" ? compute : cells(kind), kind, job.ranks, binNs),
  );
  let known = 0;
  let low = 0;
  compute.observed.forEach((observed, i) => {
    if (observed === 0) return;
    known++;
    if (compute.reference[i]! < FLAGGED * observed) low++;
  });
  const judgedNs = (["compute", "communication", "io"] as const).reduce(
    (total, kind) => total + judgedTime(job[kind], judged[kind].performance),
    0,
  );
  return {
    classes: judged.compute.classes,
    regions,
    flagged: known > 0 ? low / known : 0,
    performance: sum(compute.reference) / sum(compute.observed),
    coverage: judgedNs / (job.ranks * job.wallNs),
  };
}

function sum(values: Float64Array): number {
  return values.reduce((a, b) => a + b, 0);
}

function judgedTime({ n, start, end }: Fragments, performance: Float64Array): number {
  let judged = 0;
  for (let i = 0; i < n; i++) if (!Number.isNaN(performance[i]!)) judged += end[i]! - start[i]!;
  return judged;
}

function cellsOf(
  { n, rank, start, end }: Fragments,
  performance: Float64Array,
  job: Job,
  binNs: number,
): Cells {
  const bins = Math.max(1, Math.ceil(job.wallNs / binNs));
  const observed = new Float64Array(job.ranks * bins);
  const reference = new Float64Array(job.ranks * bins);
  for (let i = 0; i < n; i++) {
    const share = performance[i]!;
    if (Number.isNaN(share)) continue;
    const first = Math.max(0, Math.floor(start[i]! / binNs));
    const last = Math.min(bins - 1, Math.floor(end[i]! / binNs));
    for (let b = first; b <= last; b++) {
      const inside = Math.min(end[i]!, (b + 1) * binNs) - Math.max(start[i]!, b * binNs);
      if (inside <= 0) continue;
      const at = rank[i]! * bins + b;
      observed[at]! += inside;
      reference[at]! += inside * share;
    }
  }
  return { bins, observed, reference };
}

/** Region growing: connected cells below the threshold. */
function grow(cells: Cells, kind: Kind, ranks: number, binNs: number): Region[] {
  const { bins, observed, reference } = cells;
  const low = Uint8Array.from(observed, (ns, i) =>
    ns > 0 && reference[i]! < FLAGGED * ns ? 1 : 0,
  );
  const regions: Region[] = [];
  for (let seed = 0; seed < low.length; seed++) {
    if (!low[seed]) continue;
    const region: Region = { kind, parts: [], lostNs: 0 };
    const open = [seed];
    low[seed] = 0;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const rank = Math.floor(at / bins);
      const bin = at % bins;
      region.parts.push({ rank, startNs: bin * binNs, endNs: (bin + 1) * binNs });
      region.lostNs += observed[at]! - reference[at]!;
      const around = [
        bin > 0 ? at - 1 : -1,
        bin + 1 < bins ? at + 1 : -1,
        at - bins,
        rank + 1 < ranks ? at + bins : -1,
      ];
      for (const next of around) {
        if (next < 0 || !low[next]) continue;
        low[next] = 0;
        open.push(next);
      }
    }
    regions.push(region);
  }
  return regions;
}
