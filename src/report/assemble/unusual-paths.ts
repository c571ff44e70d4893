import type { Store } from "../../trace/store.ts";
import type { Kind, UnusualPath } from "../model.ts";

interface PathRow extends Record<string, unknown> {
  kind: Kind;
  from_call: string;
  to_call: string;
  from_site: string;
  to_site: string;
  fragments: number;
  ranks: number;
  total_ns: number;
  longest_ns: number;
  longest_rank: number;
  longest_start_ns: number;
}

/** What was done too seldom to be judged, but took long; most time first. */
export async function buildUnusualPaths(store: Store): Promise<UnusualPath[]> {
  const rows = await store.rows<PathRow>(`
    SELECT u.*, f.call AS from_call, t.call AS to_call, f.site AS from_site, t.site AS to_site
      FROM (SELECT p.*, coalesce(e.from_state, p.snippet) AS from_state, coalesce(e.to_state, p.snippet) AS to_state
              FROM unusual_paths p LEFT JOIN edges e ON p.kind = 'compute' AND e.edge = p.snippet) u
      JOIN sites f ON f.state = u.from_state
      JOIN sites t ON t.state = u.to_state
     ORDER BY u.total_ns DESC, u.kind, u.snippet, u.bytes, u.before_bytes`);
  return rows.map((row) => ({
    kind: row.kind,
    from: row.from_call,
    to: row.to_call,
    site: row.to_site,
    fromSite: row.from_site,
    fragments: row.fragments,
    ranks: row.ranks,
    totalSeconds: row.total_ns / 1e9,
    longestSeconds: row.longest_ns / 1e9,
    longestRank: row.longest_rank,
    longestStartSeconds: row.longest_start_ns / 1e9,
  }));
}
