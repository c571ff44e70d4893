import type { Store } from "../trace/store.ts";
import { insertRows, readColumns } from "./columns.ts";
import { instructionCounter, withInstructions } from "./instructions.ts";
import { contextFragments, findAnchor } from "./context-fragments.ts";
import { CONTEXT_SOURCES, INSTRUCTIONS, TURN, UNKNOWN_VALUE } from "./context-sources.ts";
import { findContext, isSteady, type KeyContext } from "./find-context.ts";
import { timeSql } from "./growth.ts";
import { findTurns } from "./find-turns.ts";
import type { KeyModel } from "./model-keys.ts";
import { numberTurns, withTurns } from "./number-turns.ts";
import type { Settings } from "./settings.ts";

/** Calls that are looked at to find out whether context tells works apart, about. */
const SAMPLE = 200_000;
/** Keys that are looked at: share of all time, and no more than so many. */
const LEAST_SHARE = 0.003;
const MOST_KEYS = 300;
const LEAST_FRAGMENTS = 40;
/** Parts of a key's lifetime that works are compared within. */
export const SEGMENTS = 12;
/** Log durations are clipped this far from the key's mean: an outlier says nothing about a work. */
const CLIP = 0.7;
/** Fragments whose context is not known, or too rare to tell, join no class. */
const NO_CLASS = -2;

/**
 * Works with equal vectors that their context tells apart: tags, partners, files, the calls before and after, the
 * position in a period (see CONTEXT_SOURCES). Finds them in a sample of the calls and then looks up the context of every
 * fragment of the keys that are split.
 *
 * Reads calls, temporary `work_keys`, `key_map`; rewrites these two, writes `told_apart`; returns all models, with
 * keys numbered anew.
 */
export async function splitKeys(
  store: Store,
  settings: Settings,
  models: readonly KeyModel[],
): Promise<KeyModel[]> {
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE candidates AS
      SELECT key FROM work_keys
       WHERE enough AND kind IN ('compute', 'io') AND n >= ${LEAST_FRAGMENTS}
         AND total_ns >= ${LEAST_SHARE} * (SELECT sum(total_ns) FROM work_keys)
         AND basis NOT LIKE '% in %'
       ORDER BY total_ns DESC, key LIMIT ${MOST_KEYS};`);
  await numberTurns(store, await findTurns(store, SEGMENTS));
  const found = await findContexts(store);
  const all = [...models];
  if (found.length > 0) {
    await lookUp(store, found);
    for (const { key, model } of found)
      if (model) all.push({ key, amount: model.amount, growth: model.growth });
    const numbers = await renumber(store, settings, found);
    for (const one of all) one.key = numbers.get(one.key)!;
  }
  await store.execute("DROP TABLE candidates; DROP TABLE turns;");
  return all;
}

/** What context says about each candidate, where it says something. */
async function findContexts(store: Store): Promise<({ key: number } & KeyContext)[]> {
  const kinds = await kindsOf(store);
  if (kinds.length === 0) return [];
  const calls = await store.row<{ n: number }>(
    "SELECT greatest((SELECT count(*) FROM executions), (SELECT count(*) FROM irregular_calls)) AS n",
  );
  const every = Math.ceil((calls?.n ?? 0) / SAMPLE);
  const values = CONTEXT_SOURCES.map((_, i) => `v${i}`).join(", ");
  const fragments = await fragmentsSql(store, kinds, every);
  const [key, rank, segment, n, sumLog, sumWide, sumNs, ...sources] = await readColumns(
    store,
    `SELECT f.key, rank,
            (least((fragment_ns - f.first_ns) // f.block_ns, f.blocks - 1) * ${SEGMENTS} // f.blocks)::INTEGER AS segment,
            count(*)::DOUBLE AS n,
            sum(round(1e6 * greatest(m.log_ns - ${CLIP}, least(m.log_ns + ${CLIP}, ln(greatest(ns, 1)))))::BIGINT)::DOUBLE / 1e6,
            sum(round(1e6 * ln(greatest(ns, 1)))::BIGINT)::DOUBLE / 1e6, sum(ns)::DOUBLE, ${values}
       FROM (${fragments}) f
       JOIN (SELECT key, ln(greatest(total_ns / n, 1)) AS log_ns FROM work_keys) m USING (key)
      GROUP BY f.key, rank, segment, ${values}
      ORDER BY f.key, rank, segment, ${values}`,
  );
  const kindOf = new Map(
    (
      await store.rows<{ key: number; kind: "compute" | "io" }>(
        "SELECT key, kind FROM work_keys JOIN candidates USING (key)",
      )
    ).map((row) => [row.key, row.kind]),
  );
  const found: ({ key: number } & KeyContext)[] = [];
  const measured: number[] = [];
  for (let from = 0; from < key!.length; ) {
    let to = from + 1;
    while (to < key!.length && key![to] === key![from]) to++;
    const part = (column: Float64Array): Float64Array => column.subarray(from, to);
    const rows = {
      rank: part(rank!),
      segment: part(segment!),
      n: part(n!),
      sumLog: part(sumLog!),
      sumWide: part(sumWide!),
      sumNs: part(sumNs!),
    };
    const context = findContext(rows, sources.map(part), kindOf.get(key![from]!)!);
    if (context) found.push({ key: key![from]!, ...context });
    const isMeasured = context
      ? context.sources.includes(INSTRUCTIONS)
      : isSteady(rows.n, part(sources[INSTRUCTIONS]!));
    if (isMeasured) measured.push(key![from]!);
    from = to;
  }
  if (measured.length > 0) {
    await store.execute(
      `UPDATE work_keys SET evidence = 'measured' WHERE key IN (${measured.join(", ")})`,
    );
  }
  return found;
}

/** All fragments of candidates with the numbers of all sources, as v0, v1, ... */
async function fragmentsSql(
  store: Store,
  kinds: readonly ("compute" | "io")[],
  every: number,
): Promise<string> {
  const calls = contextFragments("candidates", kinds, await findAnchor(store), every);
  const counted = withInstructions(calls, await instructionCounter(store));
  return `SELECT * RENAME (instructions AS v${INSTRUCTIONS}, turn AS v${TURN}) FROM (${withTurns(counted)})`;
}

async function kindsOf(store: Store): Promise<("compute" | "io")[]> {
  const rows = await store.rows<{ kind: "compute" | "io" }>(
    "SELECT DISTINCT kind FROM work_keys JOIN candidates USING (key) ORDER BY kind",
  );
  return rows.map(({ kind }) => kind);
}

/** Values of the sources used, as text: what a fragment of a split key is looked up by. */
function labelSql({ key, sources }: { key: number } & KeyContext): string {
  const parts = sources.map((source) => `v${source}::BIGINT::VARCHAR`);
  return `WHEN ${key} THEN ${parts.join(" || ' ' || ")}`;
}

/** Writes the fragments of split keys: to temporary `apart`, and without its key to `told_apart`. */
async function lookUp(
  store: Store,
  found: readonly ({ key: number } & KeyContext)[],
): Promise<void> {
  const keys = found.map(({ key }) => key).join(", ");
  await store.execute(`
    DELETE FROM candidates WHERE key NOT IN (${keys});
    CREATE OR REPLACE TEMP TABLE context_groups(key INTEGER, label VARCHAR, part BIGINT);`);
  await insertRows(
    store,
    "context_groups",
    found.flatMap(({ key, groups }) => [...groups].map(([label, part]) => [key, label, part])),
  );
  const amounts = found.flatMap(({ key, model, sources }) =>
    model
      ? [
          `WHEN ${key} THEN coalesce(nullif(v${sources[0]!}, ${UNKNOWN_VALUE})::BIGINT, ${NO_CLASS})`,
        ]
      : [],
  );
  const amount = amounts.length > 0 ? `CASE f.key ${amounts.join(" ")} END` : "NULL";
  const fragments = await fragmentsSql(store, await kindsOf(store), 1);
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE apart AS
      SELECT f.key, f.kind, f.snippet, f.rank, f.key_bytes AS bytes, f.key_before AS before_bytes,
             f.key_communicator AS communicator, f.key_requests AS requests,
             coalesce(${amount}, g.part, ${NO_CLASS}) AS context, f.fragment_ns AS start_ns, f.fragment_ns + f.ns AS end_ns
        FROM (SELECT *, CASE key ${found.map(labelSql).join(" ")} END AS label FROM (${fragments})) f
        LEFT JOIN context_groups g ON g.key = f.key AND g.label = f.label;
    DROP TABLE context_groups;
    DELETE FROM apart WHERE context = ${NO_CLASS};
    INSERT INTO told_apart SELECT * EXCLUDE (key) FROM apart;`);
}

/**
 * Puts the parts of split keys in the place of these. Returns the new number of every key that is not split into groups.
 */
async function renumber(
  store: Store,
  settings: Settings,
  found: readonly ({ key: number } & KeyContext)[],
): Promise<Map<number, number>> {
  const ofKey = (of: (one: { key: number } & KeyContext) => string): string =>
    `CASE key ${found.map((one) => `WHEN ${one.key} THEN ${of(one)}`).join(" ")} END`;
  const modelled = found.filter(({ model }) => model);
  const scale =
    modelled.length === 0
      ? "1"
      : `CASE key ${modelled
          .map(
            ({ key, model }) =>
              `WHEN ${key} THEN ${timeSql(model!.growth, "context")} / ${model!.typicalNs}`,
          )
          .join(" ")} ELSE 1 END`;
  const blocks = "greatest(4, least(128, floor(1.5 * sqrt(n / ranks))))";
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE parts AS
      WITH sums AS (
        SELECT key, if(${ofKey(({ model }) => String(model !== undefined))}, -1, context)::INTEGER AS part,
               count(*) AS n, sum(end_ns - start_ns)::BIGINT AS total_ns, count(DISTINCT rank)::INTEGER AS ranks,
               min(start_ns) AS first_ns, max(start_ns) AS last_ns
          FROM apart GROUP BY ALL)
      SELECT k.kind, k.snippet, k.bytes, k.before_bytes, k.communicator, k.requests, s.n, s.total_ns, s.ranks,
             s.first_ns, s.last_ns, s.part AS context,
             ${ofKey(({ basis }) => `'${basis}'`).replace("CASE key", "CASE k.key")} AS basis, k.evidence,
             n >= ${settings.minFragments} AND n >= ${settings.minRankFragments} * ranks AS enough,
             ${blocks}::INTEGER AS blocks, ((s.last_ns - s.first_ns) // ${blocks}::BIGINT + 1) AS block_ns, k.key AS old
        FROM (SELECT * FROM sums) s JOIN (SELECT * EXCLUDE (n, total_ns, ranks, first_ns, last_ns, context, blocks, block_ns, enough) FROM work_keys) k USING (key);
    CREATE OR REPLACE TEMP TABLE all_keys AS
      SELECT row_number() OVER (ORDER BY kind, snippet, bytes, before_bytes, communicator, requests, context)::INTEGER AS key, *
        FROM (SELECT kind, snippet, bytes, before_bytes, communicator, requests, n, total_ns, ranks, first_ns, last_ns,
                     context, basis, evidence, enough, blocks, block_ns, key AS old FROM work_keys
               WHERE key NOT IN (SELECT old FROM parts)
              UNION ALL FROM parts);
    CREATE OR REPLACE TEMP TABLE all_vectors AS
      SELECT a.key, m.kind, m.snippet, m.bytes, m.before_bytes, m.communicator, m.requests,
             m.context, m.scale, a.first_ns, a.block_ns, a.blocks, a.enough
        FROM key_map m JOIN all_keys a ON a.old = m.key AND a.key NOT IN (SELECT key FROM all_keys WHERE old IN (SELECT old FROM parts))
      UNION ALL
      SELECT a.key, p.* EXCLUDE (key), a.first_ns, a.block_ns, a.blocks, a.enough
        FROM (SELECT *, ${scale} AS scale FROM (
                SELECT DISTINCT key, kind, snippet, bytes, before_bytes, communicator, requests, context FROM apart)) p
        JOIN all_keys a ON a.old = p.key AND a.context IN (p.context, -1);
    CREATE OR REPLACE TEMP TABLE work_keys AS FROM all_keys;
    CREATE OR REPLACE TEMP TABLE key_map AS FROM all_vectors;
    DROP TABLE all_keys; DROP TABLE all_vectors; DROP TABLE parts; DROP TABLE apart;`);
  const rows = await store.rows<{ old: number; key: number }>(
    "SELECT old, min(key)::INTEGER AS key FROM work_keys GROUP BY old ORDER BY old",
  );
  await store.execute("ALTER TABLE work_keys DROP COLUMN old");
  return new Map(rows.map(({ old, key }) => [old, key]));
}
