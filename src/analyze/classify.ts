import type { Store } from "../trace/store.ts";
import { blockMeans } from "./block-means.ts";
import { readColumns } from "./columns.ts";
import { surplusFactors } from "./contamination.ts";
import { fitClass } from "./fit.ts";
import { keyCells } from "./key-cells.ts";
import { findCuts } from "./modes.ts";
import type { KeyModel } from "./model-keys.ts";
import { BINS_PER_E, type Settings } from "./settings.ts";
import { type Course, takeOutShared } from "./shared-course.ts";
import { FOREVER, type Key, type WorkClass } from "./work-class.ts";
import { writeClasses } from "./write-classes.ts";

/**
 * Pass 3. Makes work classes out of keys, and their references.
 *
 * Reads `work_keys`, `key_map`, `work_cells`; writes `work_classes`, `class_works`, `rank_references`,
 * `reference_factors`, `class_models`, and temporary `class_ranks` (time of every class per rank, judged or not).
 */
export async function classify(
  store: Store,
  settings: Settings,
  wallNs: number,
  models: readonly KeyModel[],
): Promise<void> {
  const keys = await store.rows<Record<string, unknown> & Key>("FROM work_keys ORDER BY key");
  const classes = await fitKeys(store, keys, settings);
  for (const kind of ["compute", "communication", "io"]) {
    const courses = classes
      .filter((one) => one.key.kind === kind && !one.fit.varying)
      .map(courseOf);
    takeOutShared(courses, wallNs);
  }
  await writeClasses(store, keys, classes, settings, models);
}

async function fitKeys(store: Store, keys: Key[], settings: Settings): Promise<WorkClass[]> {
  const [key, ...cells] = await readColumns(
    store,
    "SELECT key, rank, block, bin, n, total_ns, raw_ns FROM work_cells ORDER BY key, rank, block, bin",
  );
  const byNumber = new Map(keys.map((one) => [one.key, one]));
  const classes: WorkClass[] = [];
  for (let from = 0; from < key!.length; ) {
    let to = from + 1;
    while (to < key!.length && key![to] === key![from]) to++;
    classes.push(...fitKey(byNumber.get(key![from]!)!, cells, from, to, settings));
    from = to;
  }
  return classes;
}

function fitKey(
  key: Key,
  columns: Float64Array[],
  from: number,
  to: number,
  settings: Settings,
): WorkClass[] {
  const cells = keyCells(columns, from, to, key.blocks);
  const cuts = findCuts(cells);
  const limits = [Number.NEGATIVE_INFINITY, ...cuts, Number.POSITIVE_INFINITY];
  const classes: WorkClass[] = limits.slice(1).map((limit, i) => {
    const means = blockMeans(cells, limits[i]!, limit);
    return {
      key,
      ranks: cells.ranks,
      fromNs: i === 0 ? 0 : durationAt(limits[i]!),
      toNs: limit === Number.POSITIVE_INFINITY ? FOREVER : durationAt(limit),
      modes: cuts.length + 1,
      means,
      fit: fitClass(means, settings),
      surplus: new Float64Array(means.n.length).fill(1),
    };
  });
  for (let i = 1; i < classes.length; i++) {
    const below = blockMeans(cells, limits[0]!, limits[i]!);
    const { means, fit } = classes[i]!;
    classes[i]!.surplus = surplusFactors(
      below,
      means,
      classes[i - 1]!.fit.reference,
      fit.reference,
    );
  }
  return classes;
}

/** The shortest whole duration in a bin. */
function durationAt(bin: number): number {
  return Math.ceil(Math.exp(bin / BINS_PER_E));
}

/** The common course itself is handed over, so that what is taken out of it is gone from the fit. */
function courseOf({ key, means, fit }: WorkClass): Course {
  return {
    snippet: key.snippet,
    totalNs: means.total.reduce((a, b) => a + b, 0),
    firstNs: key.first_ns,
    blockNs: key.block_ns,
    common: fit.common,
  };
}
