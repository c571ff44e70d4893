import type { Store } from "../trace/store.ts";
import type { Settings } from "./settings.ts";

/** Fragments per rank and bin to aim at: fewer make bins noisy, more blur borders. */
const FRAGMENTS_PER_BIN = 8;
const MIN_BINS = 20;

/**
 * Length of a bin, ns: as fine as the v-sensors' typical fragments allow, at most `maxBins` over the run.
 * Counted in fragments of the classes that take most time, not of the many tiny ones.
 */
export async function binLength(store: Store, settings: Settings, wallNs: number): Promise<number> {
  const typical = await store.row<{ n: number | null }>(`
    WITH shares AS (SELECT total_ns, fragments / ranks AS n,
             sum(total_ns) OVER (ORDER BY total_ns DESC, class) - total_ns AS before,
             sum(total_ns) OVER () AS everything
        FROM work_classes WHERE kind = 'compute' AND status = 'vsensor')
    SELECT sum(n)::DOUBLE AS n FROM shares WHERE before < 0.8 * everything AND total_ns >= 0.05 * everything`);
  const bins = Math.round((typical?.n ?? 0) / FRAGMENTS_PER_BIN);
  return Math.max(1, Math.ceil(wallNs / Math.min(settings.maxBins, Math.max(MIN_BINS, bins))));
}

/**
 * Pass 4. Heat map: observed, reference and allowed time of v-sensors per kind, rank and bin.
 *
 * A fragment that covers several bins is spread over them by time. Sums are of whole nanoseconds, so
 * that they do not depend on the order in which threads add them up.
 */
export async function fillBins(store: Store, binNs: number): Promise<void> {
  for (const kind of ["compute", "communication", "io"]) {
    await store.execute(`
      INSERT INTO bins
        SELECT '${kind}', rank, bin::INTEGER, sum(observed)::DOUBLE, sum(reference)::DOUBLE, sum(allowed)::DOUBLE
          FROM (${firstParts(kind, binNs)} UNION ALL ${furtherParts(kind, binNs)})
         GROUP BY rank, bin HAVING sum(observed) > 0 ORDER BY rank, bin`);
  }
}

/** Of each fragment the part in the bin where it starts. */
function firstParts(kind: string, length: number): string {
  const binNs = `${length}::BIGINT`;
  return `
    SELECT rank, bin, sum(part) AS observed,
           sum(round(reference_ns * share)::BIGINT) AS reference,
           sum(round(allowed_ns * share)::BIGINT) AS allowed
      FROM (SELECT *, start_ns // ${binNs} AS bin,
                   least(end_ns, (start_ns // ${binNs} + 1) * ${binNs}) - start_ns AS part,
                   if(end_ns > start_ns, part / (end_ns - start_ns), 1) AS share
              FROM judged_${kind})
     GROUP BY rank, bin`;
}

/** And the parts in the bins after that, of the few fragments that have such. */
function furtherParts(kind: string, length: number): string {
  const binNs = `${length}::BIGINT`;
  return `
    SELECT rank, bin, sum(part) AS observed,
           sum(round(reference_ns * part / duration)::BIGINT) AS reference,
           sum(round(allowed_ns * part / duration)::BIGINT) AS allowed
      FROM (SELECT rank, bin, reference_ns, allowed_ns, end_ns - start_ns AS duration,
                   least(end_ns, (bin + 1) * ${binNs}) - bin * ${binNs} AS part
              FROM (SELECT *, unnest(range(start_ns // ${binNs} + 1, (end_ns - 1) // ${binNs} + 1)) AS bin
                      FROM judged_${kind}
                     WHERE start_ns // ${binNs} < (end_ns - 1) // ${binNs}))
     GROUP BY rank, bin`;
}
