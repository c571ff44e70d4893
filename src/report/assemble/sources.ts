import { existsSync } from "node:fs";
import type { Store } from "../../trace/store.ts";
import { buildIdOf, lookUpSources } from "./addr2line.ts";

interface SiteRow extends Record<string, unknown> {
  state: number;
  module: number;
  path: string;
  build_id: string;
  offset: number;
}

/**
 * "function file:line" of each state's call, as far as the module on disk is still the one that ran
 * (same build-id) and has symbols. States that cannot be resolved are absent: it is a help, not a
 * promise, and must not fail a report.
 */
export async function readSources(store: Store, states: number[]): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  if (states.length === 0) return found;
  const rows = await store.rows<SiteRow>(`
    SELECT s.state, s.module, m.path, m.build_id, s."offset" AS "offset"
      FROM states s JOIN modules m USING (module)
     WHERE s.state IN (${states.join(", ")}) AND s."offset" > 0 ORDER BY s.state`);
  for (const module of new Set(rows.map((row) => row.module))) {
    const sites = rows.filter((row) => row.module === module);
    const { path, build_id: buildId } = sites[0]!;
    if (buildId === "" || !existsSync(path) || (await buildIdOf(path)) !== buildId) continue;
    // The return address belongs to the next instruction, which may be on another line.
    const addresses = sites.map((site) => site.offset - 1);
    const sources = await lookUpSources(path, addresses);
    for (const [at, site] of sites.entries()) {
      const source = sources[at];
      if (source) found.set(site.state, source);
    }
  }
  return found;
}
