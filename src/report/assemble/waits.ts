import type { Store } from "../../trace/store.ts";
import type { Quality, Wait, Waiting } from "../model.ts";
import { readPlaces } from "./sources.ts";

/** Groups and causes in the report, largest first; the rest is in the store. */
const MOST_WAITS = 100;
const MOST_CAUSES = 16;

/** How much ranks waited for late ones in all: by kind, and for whom. */
export async function buildWaiting(store: Store): Promise<Waiting> {
  const kinds = await store.rows<{ kind: string; calls: number; ns: number }>(`
    SELECT kind, sum(calls)::BIGINT AS calls, sum(waiting_ns)::DOUBLE AS ns
      FROM wait_states GROUP BY kind ORDER BY ns DESC, kind`);
  const causes = await store.rows<{ rank: number; ns: number }>(`
    SELECT cause_rank AS rank, sum(waiting_ns)::DOUBLE AS ns FROM wait_states
     WHERE cause_rank >= 0 GROUP BY cause_rank ORDER BY ns DESC, cause_rank LIMIT ${MOST_CAUSES}`);
  const total = await store.row<{ ns: number }>(
    "SELECT coalesce(sum(end_ns - init_ns), 0)::DOUBLE AS ns FROM ranks",
  );
  const waited = kinds.reduce((sum, { ns }) => sum + ns, 0);
  return {
    seconds: waited / 1e9,
    percent: total && total.ns > 0 ? (100 * waited) / total.ns : 0,
    kinds: kinds.map(({ kind, calls, ns }) => ({ kind, calls, waitingSeconds: ns / 1e9 })),
    causes: causes.map(({ rank, ns }) => ({ rank, waitingSeconds: ns / 1e9 })),
  };
}

interface WaitRow extends Record<string, unknown> {
  kind: string;
  state: number;
  call: string;
  site: string;
  cause_rank: number;
  ranks: number[];
  calls: number;
  ns: number;
}

/** Waits of one kind in one call for one rank, all ranks that waited together; most time first. */
export async function buildWaits(store: Store): Promise<Wait[]> {
  const rows = await store.rows<WaitRow>(`
    SELECT w.*, s.call, s.site
      FROM (SELECT kind, state, cause_rank, list(DISTINCT rank ORDER BY rank) AS ranks, sum(calls)::BIGINT AS calls,
                   sum(waiting_ns)::DOUBLE AS ns
              FROM wait_states
             WHERE (kind, state, cause_rank) IN (
               SELECT (kind, state, cause_rank) FROM wait_states GROUP BY kind, state, cause_rank
                ORDER BY sum(waiting_ns) DESC, kind, state, cause_rank LIMIT ${MOST_WAITS})
             GROUP BY kind, state, cause_rank) w
      JOIN sites s USING (state)
     ORDER BY w.ns DESC, w.kind, w.state, w.cause_rank`);
  const places = await readPlaces(
    store,
    rows.map(({ state }) => state),
  );
  return rows.map((row) => ({
    kind: row.kind,
    call: row.call,
    site: row.site,
    source: places.get(row.state)?.source ?? null,
    ranks: row.ranks,
    causeRank: row.cause_rank,
    calls: row.calls,
    waitingSeconds: row.ns / 1e9,
  }));
}

/** How many calls of different ranks could be brought together. */
export async function buildMatching(store: Store): Promise<Quality["matching"]> {
  const row = await store.row<{ calls: number; unmatched: number }>(`
    SELECT coalesce(sum(calls), 0)::BIGINT AS calls, coalesce(sum(unmatched), 0)::BIGINT AS unmatched
      FROM collective_counts`);
  const { calls = 0, unmatched = 0 } = row ?? {};
  const messages = await store.row<{ ends: number; matched: number }>(`
    SELECT coalesce(sum(sent + received), 0)::BIGINT AS ends,
           coalesce(sum(matched_sends + matched_receives), 0)::BIGINT AS matched FROM message_counts`);
  const { ends = 0, matched = 0 } = messages ?? {};
  return {
    collectives: { calls, matched: calls - unmatched, unmatched },
    messages: { ends, matched, unmatched: ends - matched },
  };
}
