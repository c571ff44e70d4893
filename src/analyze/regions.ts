import type { Store } from "../trace/store.ts";
import { refineBorders } from "./borders.ts";
import { type Candidate, findCandidates, materialLoss } from "./candidates.ts";
import { insertRows } from "./columns.ts";
import { findSlowCommunication } from "./communication-regions.ts";
import { type Heat, readHeat } from "./heat.ts";
import { partsInside, total, type Worst, worstInside } from "./judged.ts";
import { type Draft, joinRanks } from "./join-ranks.ts";
import { NullRuns } from "./null-runs.ts";
import { comesPeriodically, isCommonPhase, isDrift } from "./program-doings.ts";
import type { Settings } from "./settings.ts";

/** Candidates looked at closely, largest loss first. */
const MAX_CANDIDATES = 50;
/**
 * A loss is that of spikes if SPIKES of it are carried by no more than VERY_FEW fragments, or by no more than FEW that
 * are also no more than RARE of all fragments inside.
 */
const SPIKES = 0.7;
const VERY_FEW = 2;
const FEW = 7;
const RARE = 0.05;

/**
 * Pass 5. Variance regions: where ranks' own work was slow, significantly, materially, and not by the program's
 * own doing.
 *
 * Reads `bins`, `work_classes` and the judged_compute, judged_communication and judged_io views; writes `regions` and `region_ranks` (role slow).
 */
export async function findRegions(
  store: Store,
  settings: Settings,
  wallNs: number,
  binNs: number,
): Promise<void> {
  const compute = await readHeat(store, "compute", binNs);
  const snippetOf = await snippets(store);
  for (const heat of [compute, await readHeat(store, "io", binNs)]) {
    await findSlowWork(store, heat, snippetOf, settings, wallNs);
  }
  const communication = await readHeat(store, "communication", binNs);
  const slowCalls = findSlowCommunication(communication, compute, settings, wallNs);
  await writeRegions(store, communication, slowCalls.nulls, slowCalls.drafts);
  await numberRegions(store);
}

/** Regions of a kind whose time is each rank's own: computation, and I/O. */
async function findSlowWork(
  store: Store,
  heat: Heat,
  snippetOf: ReadonlyMap<number, number>,
  settings: Settings,
  wallNs: number,
): Promise<void> {
  const candidates = findCandidates(heat, settings, wallNs);
  const nulls = new NullRuns(heat, candidates, settings);
  const drafts: Draft[] = [];
  const largest = [...candidates].toSorted((a, b) => b.loss - a.loss).slice(0, MAX_CANDIDATES);
  for (const one of largest) {
    const draft = await confirm(store, heat, one, nulls, snippetOf, settings, wallNs);
    if (draft) drafts.push(draft);
  }
  await writeRegions(store, heat, nulls, joinRanks(drafts));
}

async function snippets(store: Store): Promise<Map<number, number>> {
  const rows = await store.rows<{ class: number; snippet: number }>(
    "SELECT class, snippet FROM work_classes",
  );
  return new Map(rows.map((row) => [row.class, row.snippet]));
}

/** The candidate with exact borders, or undefined if it is noise or the program's own doing. */
async function confirm(
  store: Store,
  heat: Heat,
  one: Candidate,
  nulls: NullRuns,
  snippetOf: ReadonlyMap<number, number>,
  settings: Settings,
  wallNs: number,
): Promise<Draft | undefined> {
  const chance = nulls.chance(one.score);
  if (chance > settings.maxChance || isDrift(heat, one)) return undefined;
  const { startNs, endNs } = await refineBorders(store, heat, one);
  const rank = heat.ranks[one.rank]!;
  const all = await partsInside(store, heat.kind, startNs, endNs);
  const own = all.filter((part) => part.rank === rank);
  const { observed, reference } = total(own);
  const loss = observed - reference;
  if (loss < materialLoss(settings, wallNs)) return undefined;
  if (reference * nulls.level(one.rank) > settings.maxPerformance * observed) return undefined;
  if (isCommonPhase(heat, one, all, snippetOf)) return undefined;
  const worst = await worstInside(store, heat.kind, rank, startNs, endNs, FEW);
  if (
    areSpikes(
      worst,
      loss,
      own.reduce((sum, part) => sum + part.fragments, 0),
    )
  ) {
    if (loss < Math.max(settings.minSpikeNs, settings.minSpikeShare * wallNs)) return undefined;
    const { class: worstClass, ns } = worst[0]!;
    const snippet = snippetOf.get(worstClass)!;
    if (await comesPeriodically(store, heat.kind, rank, snippet, ns)) return undefined;
  }
  return { startNs, endNs, ranks: [rank], loss, chance };
}

function areSpikes(worst: readonly Worst[], loss: number, fragments: number): boolean {
  let carried = 0;
  for (const [i, one] of worst.entries()) {
    carried += Math.max(0, one.loss);
    if (carried >= SPIKES * loss) return i < VERY_FEW || i < RARE * fragments;
  }
  return false;
}

async function writeRegions(
  store: Store,
  heat: Heat,
  nulls: NullRuns,
  drafts: readonly Draft[],
): Promise<void> {
  const { n: before } = (await store.row<{ n: number }>("SELECT count(*) AS n FROM regions"))!;
  const regions: (number | string)[][] = [];
  const members: (number | string)[][] = [];
  for (const draft of drafts) {
    const parts = await partsInside(store, heat.kind, draft.startNs, draft.endNs);
    const slow = draft.ranks.map((rank) => ({
      rank,
      ...total(parts.filter((part) => part.rank === rank)),
    }));
    const number = before + regions.length + 1;
    regions.push([number, heat.kind, ...figures(heat, nulls, draft, slow)]);
    for (const { rank, observed, reference } of slow) {
      members.push([number, rank, "slow", observed, reference, observed - reference]);
    }
  }
  await insertRows(store, "regions", regions);
  await insertRows(store, "region_ranks", members);
}

/** Columns start_ns to significance of a region. */
function figures(
  heat: Heat,
  nulls: NullRuns,
  { startNs, endNs, chance }: Draft,
  slow: readonly { rank: number; observed: number; reference: number }[],
): number[] {
  const observed = slow.reduce((sum, one) => sum + one.observed, 0);
  const reference = slow.reduce((sum, one) => sum + one.reference, 0);
  const lost = observed - reference;
  const bins = Math.max(1, Math.round((endNs - startNs) / heat.binNs));
  const [low, high] = nulls.noise(
    slow.map((one) => ({
      rank: heat.ranks.indexOf(one.rank),
      bins,
      reference: one.reference,
    })),
  );
  const interval = [Math.min(lost, lost - high), Math.max(lost, lost - low)];
  return [startNs, endNs, reference / observed, lost, ...interval, chance];
}

/** Numbers regions by loss, largest first. */
export async function numberRegions(store: Store): Promise<void> {
  await store.execute(`
    CREATE OR REPLACE TEMP TABLE numbers AS
      SELECT region AS old, row_number() OVER (ORDER BY lost_ns DESC, region)::INTEGER AS region FROM regions;
    CREATE OR REPLACE TEMP TABLE numbered AS
      SELECT r.* REPLACE (n.region AS region) FROM regions r JOIN numbers n ON n.old = r.region;
    CREATE OR REPLACE TEMP TABLE numbered_ranks AS
      SELECT r.* REPLACE (n.region AS region) FROM region_ranks r JOIN numbers n ON n.old = r.region;
    DELETE FROM regions; DELETE FROM region_ranks;
    INSERT INTO regions SELECT * FROM numbered ORDER BY region;
    INSERT INTO region_ranks SELECT * FROM numbered_ranks ORDER BY region, rank;
    UPDATE rank_speeds SET region = n.region FROM numbers n WHERE n.old = rank_speeds.region;
    DROP TABLE numbers; DROP TABLE numbered; DROP TABLE numbered_ranks;`);
}
