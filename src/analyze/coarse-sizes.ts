import type { Store } from "../trace/store.ts";

/**
 * Different work vectors that a snippet may have before the sizes of its calls are made coarse: where hardly any comes back, none can
 * be a class of its own, and to keep millions of them costs memory and time without telling anything.
 */
const MOST_VECTORS = 50_000;
/** Steps per octave of a coarse size: each stands for sizes within 1.6 % of it. */
const STEPS = 32;

/**
 * States whose calls have so many different sizes that these are made coarse, ascending. A snippet has too many vectors by itself,
 * or by the pairs of sizes before and after a computation; then the sizes of both its ends are coarse, if they vary.
 *
 * Counts are estimates (HyperLogLog, Flajolet et al., AofA 2007) that depend on the set of vectors alone, not on their order.
 */
export async function findCoarseStates(store: Store): Promise<number[]> {
  // Most snippets have too few rows to have too many vectors, and are not looked at more closely.
  const rows = await store.rows<{ state: number }>(`
    WITH busy AS (
      SELECT edge FROM (SELECT edge, thread FROM works UNION ALL SELECT edge, thread FROM irregular_calls)
       WHERE thread = 0 AND edge >= 0 GROUP BY edge HAVING count(*) > ${MOST_VECTORS}),
    vectors AS (
      SELECT edge, state, bytes, before_bytes FROM works WHERE thread = 0 AND edge IN (FROM busy)
      UNION ALL
      SELECT edge, state, bytes, before_bytes FROM irregular_calls WHERE thread = 0 AND edge IN (FROM busy)),
    counts AS (
      SELECT edge, approx_count_distinct(hash(bytes, before_bytes)) AS pairs,
             approx_count_distinct(bytes) AS own, approx_count_distinct(before_bytes) AS before
        FROM vectors GROUP BY edge)
    SELECT DISTINCT unnest(list_concat(if(own > ${STEPS}, [to_state], []), if(before > ${STEPS}, [from_state], []))) AS state
      FROM counts JOIN edges USING (edge) WHERE pairs > ${MOST_VECTORS} ORDER BY state`);
  return rows.map(({ state }) => state);
}

/** Snippets with coarse sizes. */
export interface CoarseSnippets {
  states: readonly number[];
  /** Edges that start at such a state, and those that start or end at one. */
  from: readonly number[];
  edges: readonly number[];
}

/**
 * SQL of the macros `size_of(state, bytes)` and `size_before(edge, before_bytes)`: the size in the work vector of a call, and of the
 * call before a computation: the size itself, but for coarse states. And of `has_coarse_sizes(kind, snippet)`: what such a
 * size stands for are several works, so it never makes a class by itself.
 */
export function sizeMacros({ states, from, edges }: CoarseSnippets): string {
  return `
    CREATE OR REPLACE MACRO size_of(state, bytes) AS ${sizeSql("state", "bytes", states)};
    CREATE OR REPLACE MACRO size_before(edge, bytes) AS ${sizeSql("edge", "bytes", from)};
    CREATE OR REPLACE MACRO has_coarse_sizes(kind, snippet) AS if(kind = 'compute', ${isOne(edges)}, ${isOne(states)});`;
}

/** Creates the macros for a store. */
export async function defineSizes(store: Store): Promise<void> {
  const states = await findCoarseStates(store);
  const edgesAt = async (where: string): Promise<number[]> => {
    if (states.length === 0) return [];
    const rows = await store.rows<{ edge: number }>(
      `SELECT edge FROM edges WHERE ${where.replaceAll("COARSE", `(${states.join(", ")})`)} ORDER BY edge`,
    );
    return rows.map(({ edge }) => edge);
  };
  const from = await edgesAt("from_state IN COARSE");
  const edges = await edgesAt("from_state IN COARSE OR to_state IN COARSE");
  await store.execute(sizeMacros({ states, from, edges }));
}

function isOne(of: readonly number[]): string {
  return of.length > 0 ? `snippet IN (${of.join(", ")})` : "false";
}

function sizeSql(of: string, bytes: string, coarse: readonly number[]): string {
  if (coarse.length === 0) return bytes;
  // Sizes below two times STEPS are exact; above, the middle of the step. Logs of powers of two are exact.
  const step = `(1::BIGINT << (floor(log2(greatest(${bytes}, ${STEPS})))::INTEGER - ${Math.log2(STEPS)}))`;
  return `if(${of} IN (${coarse.join(", ")}), ${bytes} // ${step} * ${step} + ${step} // 2, ${bytes})`;
}
