import type { Store } from "../trace/store.ts";
import { readColumns } from "./columns.ts";
import { fitGrowth, type Growth, LEAST_AMOUNTS, type Point, timeAt, timeSql } from "./growth.ts";
import { weightedQuantile } from "./statistics.ts";

/** Points (a size on a rank) that one growth is fitted to, about. */
const MOST_POINTS = 2000;
/** Keys that are looked at: those with most time. */
const MOST_KEYS = 500;

interface Amount {
  name: string;
  sql: string;
  of: (bytes: number, before: number) => number;
}

/** Sizes that the work of a key may grow with. */
const AMOUNTS: readonly Amount[] = [
  { name: "bytes", sql: "bytes", of: (bytes) => bytes },
  { name: "bytes before", sql: "before_bytes", of: (_, before) => before },
  { name: "bytes and bytes before", sql: "bytes + before_bytes", of: (a, b) => a + b },
];

/** A growth that the fragments of a key are scaled by. */
export interface KeyModel {
  key: number;
  amount: string;
  growth: Growth;
}

/**
 * Works whose sizes are each too rare, pooled by pass 1: where time grows with the size, fragments are made comparable by
 * it. Fits time against sizes, and sets `key_map.scale`, 1 at the typical size, and `work_keys.basis`.
 *
 * Reads temporary `vectors`, `work_keys`, `key_map`; returns the models.
 */
export async function modelKeys(store: Store): Promise<KeyModel[]> {
  const [key, bytes, before, n, ns] = await readColumns(
    store,
    `WITH pooled AS (
       SELECT k.key FROM work_keys k JOIN key_map m USING (key)
        WHERE k.bytes < 0 AND k.enough GROUP BY k.key, k.total_ns HAVING count(*) >= ${LEAST_AMOUNTS}
        ORDER BY k.total_ns DESC, k.key LIMIT ${MOST_KEYS}),
     points AS (
       SELECT m.key, v.*, count(*) OVER (PARTITION BY m.key) AS many
         FROM pooled JOIN key_map m USING (key)
         JOIN vectors v USING (kind, snippet, bytes, before_bytes, communicator, requests))
     SELECT key, bytes::DOUBLE, before_bytes::DOUBLE, n::DOUBLE, total_ns::DOUBLE FROM points
      WHERE total_ns > 0 AND (many <= ${MOST_POINTS} OR hash(bytes, before_bytes, rank) % (many // ${MOST_POINTS} + 1)::UBIGINT = 0)
      ORDER BY key, bytes, before_bytes, rank`,
  );
  const models: KeyModel[] = [];
  const scales: string[] = [];
  const bases: string[] = [];
  for (let from = 0; from < key!.length; ) {
    let to = from + 1;
    while (to < key!.length && key![to] === key![from]) to++;
    const best = bestAmount(
      Array.from({ length: to - from }, (_, i) => ({
        bytes: bytes![from + i]!,
        before: before![from + i]!,
        n: n![from + i]!,
        ns: ns![from + i]! / n![from + i]!,
      })),
    );
    if (best) {
      models.push({ key: key![from]!, amount: best.amount.name, growth: best.growth });
      const { amount, growth, typicalNs } = best;
      scales.push(`WHEN ${key![from]!} THEN ${timeSql(growth, amount.sql)} / ${typicalNs}`);
      bases.push(`WHEN ${key![from]!} THEN '${growth.form} in ${amount.name}'`);
    }
    from = to;
  }
  if (models.length > 0) {
    await store.execute(`
      UPDATE key_map SET scale = CASE key ${scales.join(" ")} ELSE scale END;
      UPDATE work_keys SET basis = CASE key ${bases.join(" ")} ELSE basis END;`);
  }
  return models;
}

interface Size {
  bytes: number;
  before: number;
  n: number;
  ns: number;
}

function bestAmount(
  sizes: readonly Size[],
): { amount: Amount; growth: Growth; typicalNs: number } | undefined {
  let best: { amount: Amount; growth: Growth; typicalNs: number } | undefined;
  for (const amount of AMOUNTS) {
    const points: Point[] = sizes.map(({ bytes, before, n, ns }) => ({
      x: amount.of(bytes, before),
      ns,
      n,
    }));
    const growth = fitGrowth(points);
    // The sum of two sizes must explain clearly more than one of them.
    if (growth.form === "constant" || growth.explained < (best?.growth.explained ?? 0) + 0.05)
      continue;
    const typicalNs = weightedQuantile(
      points.map(({ x }) => timeAt(growth, x)),
      points.map(({ n }) => n),
      0.5,
    );
    best = { amount, growth, typicalNs };
  }
  return best;
}
