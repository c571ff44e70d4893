import type { Store } from "../trace/store.ts";
import type { BlockMeans } from "./block-means.ts";
import { insertRows } from "./columns.ts";
import { confidenceOf, verdictOf } from "./class-trust.ts";
import { commonFactor } from "./fit.ts";
import type { Settings } from "./settings.ts";
import type { KeyModel } from "./model-keys.ts";
import { peersOf } from "./pool-references.ts";
import { FOREVER, type Key, type WorkClass } from "./work-class.ts";

/** Writes classes, modes and keys too rare for one, with their references. Numbers follow keys, then modes. */
export async function writeClasses(
  store: Store,
  keys: Key[],
  classes: WorkClass[],
  settings: Settings,
  models: readonly KeyModel[],
): Promise<void> {
  const rows: (string | number | null)[][] = [];
  const keyOfClass: number[][] = [];
  const references: (number | null)[][] = [];
  const factors: number[][] = [];
  const shares: number[][] = [];
  const modelOf = new Map(models.map((model) => [model.key, model]));
  const byKey = new Map<Key, WorkClass[]>();
  for (const one of classes) byKey.set(one.key, [...(byKey.get(one.key) ?? []), one]);
  for (const key of keys) {
    for (const one of byKey.get(key) ?? [undefined]) {
      const number = rows.length + 1;
      keyOfClass.push([number, key.key]);
      const status = one ? statusOf(one, settings) : "too_few_repeats";
      const judged = one && status === "vsensor";
      const lost = judged ? addReferences(number, one, settings, references, factors) : null;
      if (one) shares.push(...rankShares(number, one));
      const verdict = verdictOf(one, status, settings);
      const growth = modelOf.get(key.key)?.growth;
      const confidence = confidenceOf(one, verdict, growth, settings);
      rows.push(classRow(number, key, one, status, lost, [confidence, verdict]));
    }
  }
  await insertRows(store, "work_classes", rows);
  await insertRows(store, "rank_references", references);
  await insertRows(store, "reference_factors", factors);
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE class_keys(class INTEGER, key INTEGER);
    CREATE OR REPLACE TEMP TABLE class_ranks(class INTEGER, rank INTEGER, total_ns DOUBLE);`);
  await insertRows(store, "class_ranks", shares);
  await insertRows(store, "class_keys", keyOfClass);
  await insertRows(
    store,
    "class_models",
    keyOfClass.flatMap(([number, key]) => {
      const model = modelOf.get(key!);
      if (!model) return [];
      const { form, a, b, explained } = model.growth;
      return [[number!, model.amount, form, a, b, explained]];
    }),
  );
  await store.execute(`
    INSERT INTO class_works
      SELECT c.class, m.kind, m.snippet, m.bytes, m.before_bytes, m.communicator, m.requests, m.context, m.scale
        FROM class_keys c JOIN key_map m USING (key) WHERE m.enough ORDER BY ALL;
    DROP TABLE class_keys;
    INSERT INTO judges
      SELECT m.kind, m.snippet, r.rank, m.bytes, m.before_bytes, m.communicator, m.requests, class,
             ceil(w.from_ns * m.scale)::BIGINT, least(ceil(w.to_ns * m.scale), ${FOREVER})::BIGINT,
             w.first_ns, w.block_ns, w.blocks, r.reference_ns * m.scale, r.usual_ns * m.scale,
             r.reference_ns * m.scale * ${1 + settings.tolerance}, m.context
        FROM class_works m JOIN work_classes w USING (class) JOIN rank_references r USING (class)
         -- Only what a rank did: where each has sizes of its own, all sizes on all ranks would be the square of the ranks.
         SEMI JOIN vectors v ON v.kind = m.kind AND v.snippet = m.snippet AND v.rank = r.rank AND v.bytes = m.bytes
          AND v.before_bytes = m.before_bytes AND v.communicator = m.communicator AND v.requests = m.requests
       ORDER BY ALL;`);
}

function statusOf({ means, fit }: WorkClass, settings: Settings): string {
  const fragments = sum(means.n);
  if (fragments < settings.minFragments) return "too_few_repeats";
  if (fit.varying) return "varying_work";
  return rankFragments(means).some((n) => n >= settings.minRankFragments)
    ? "vsensor"
    : "too_few_repeats";
}

function rankFragments(means: BlockMeans): number[] {
  return Array.from({ length: means.ranks }, (_, r) =>
    means.n.subarray(r * means.blocks, (r + 1) * means.blocks).reduce((a, b) => a + b, 0),
  );
}

function rankShares(number: number, { ranks, means }: WorkClass): number[][] {
  return ranks.map((rank, r) => {
    const own = means.raw.subarray(r * means.blocks, (r + 1) * means.blocks);
    return [number, rank, own.reduce((a, b) => a + b, 0)];
  });
}

/** Adds the rows of rank_references and reference_factors; returns the time above reference. */
function addReferences(
  number: number,
  one: WorkClass,
  settings: Settings,
  references: (number | null)[][],
  factors: number[][],
): number {
  const { means, fit, surplus } = one;
  const counts = rankFragments(means);
  const peers = peersOf(fit.reference);
  let lost = 0;
  one.ranks.forEach((rank, r) => {
    if (counts[r]! < settings.minRankFragments) return;
    let [total, raw, reference] = [0, 0, 0];
    for (let t = 0; t < means.blocks; t++) {
      const i = r * means.blocks + t;
      if (means.n[i] === 0) continue;
      const common = commonFactor(fit.common[t]!);
      const factor = common * Math.exp(fit.own[i]!) * surplus[i]!;
      if (factor !== 1) {
        factors.push([
          number,
          rank,
          t,
          factor,
          Math.max(1 + settings.tolerance, Math.sqrt(common)),
        ]);
      }
      total += means.total[i]!;
      raw += means.raw[i]!;
      reference += means.n[i]! * fit.reference[r]! * factor;
    }
    lost += raw * (1 - reference / Math.max(total, 1));
    const { low, high } = fit.pooled;
    references.push([
      number,
      rank,
      counts[r]!,
      raw,
      fit.reference[r]!,
      low[r]!,
      high[r]!,
      Number.isNaN(peers[r]!) ? null : peers[r]!,
      Math.exp(fit.level[r]!),
    ]);
  });
  return lost;
}

function classRow(
  number: number,
  key: Key,
  one: WorkClass | undefined,
  status: string,
  lost: number | null,
  trust: [confidence: number, verdict: string],
): (string | number | null)[] {
  const fragments = one ? sum(one.means.n) : key.n;
  const total = one ? sum(one.means.raw) : key.total_ns;
  const ranks = one ? rankFragments(one.means).filter((n) => n > 0).length : key.ranks;
  const vector = [key.bytes, key.before_bytes, key.communicator, key.requests];
  const mode = [one?.fromNs ?? 0, one?.toNs ?? FOREVER];
  const reference = one && lost !== null ? meanReference(one) : null;
  return [
    number,
    key.kind,
    key.snippet,
    ...vector,
    ...mode,
    key.evidence,
    status,
    fragments,
    ranks,
    total,
    reference,
    one && lost !== null ? one.means.spread : null,
    lost,
    key.first_ns,
    key.block_ns,
    key.blocks,
    key.context,
    one && one.modes > 1 ? `${key.basis} + time` : key.basis,
    reference === null ? null : one!.fit.pooled.mean.low,
    reference === null ? null : one!.fit.pooled.mean.high,
    ...trust,
  ];
}

/** Mean over ranks, weighted by fragments. */
function meanReference({ means, fit }: WorkClass): number {
  let weighted = 0;
  let weight = 0;
  rankFragments(means).forEach((n, r) => {
    weighted += n * (fit.reference[r] ?? 0);
    weight += n;
  });
  return weighted / weight;
}

function sum(values: Float64Array): number {
  return values.reduce((a, b) => a + b, 0);
}
