import type { Store } from "../trace/store.ts";
import { type RankLoss, withBorderFragments } from "./border-fragments.ts";
import { findAlike } from "./alike.ts";
import { refineBorders } from "./borders.ts";
import { type Candidate, findCandidates, materialLoss } from "./candidates.ts";
import { insertRows } from "./columns.ts";
import { isConfirmed, waitedForCore } from "./confirmed.ts";
import { findSlowCommunication } from "./communication-regions.ts";
import { numberEvents } from "./events.ts";
import { type FineBins, readFineBins } from "./fine-bins.ts";
import { type Heat, readHeat, without } from "./heat.ts";
import { completeHosts, readHosts, scopeOf } from "./hosts.ts";
import { findMild } from "./mild-slowness.ts";
import { partsInside, total, type Worst, worstInside } from "./judged.ts";
import { type Draft, joinRanks } from "./join-ranks.ts";
import { NullRuns } from "./null-runs.ts";
import { groupRows } from "./peers.ts";
import { comesPeriodically, isCommonInside, isCommonPhase, isDrift } from "./program-doings.ts";
import type { Settings } from "./settings.ts";
import { findSlowTransfers } from "./slow-transfers.ts";
import { findStandingRanks } from "./standing-ranks.ts";
import { blameStopped } from "./stopped-ranks.ts";

/** Borders lie where slowness passes this share of the region's, as `candidates.ts` and `mild-slowness.ts` set them. */
const BORDER = 0.4;
/** The fragment next to a border is looked for in so many bins. */
const BESIDE = 2;
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
  // Calls of which transfer and waiting can be told apart first, then the time of all.
  const transfers = await findSlowTransfers(store, settings, wallNs);
  const others = without(communication, transfers);
  const slowCalls = findSlowCommunication(others, compute, settings, wallNs);
  const blamed = await blameStopped(store, communication, slowCalls.drafts);
  await writeRegions(store, communication, slowCalls.nulls, blamed, settings);
  await findStandingRanks(store, settings, wallNs);
  await numberRegions(store);
  await numberEvents(store);
}

/** Regions of a kind whose time is each rank's own: computation, and I/O. */
async function findSlowWork(
  store: Store,
  heat: Heat,
  snippetOf: ReadonlyMap<number, number>,
  settings: Settings,
  wallNs: number,
): Promise<void> {
  const drafts = await findStrong(store, heat, heat, snippetOf, settings, wallNs);
  // What is left is looked at twice more, with less slowness needed and more significance.
  const weak = { maxPerformance: settings.maxWeakPerformance, maxChance: settings.maxWeakChance };
  const rest = without(heat, drafts);
  const isReported = async (draft: Draft): Promise<boolean> =>
    (await isConfirmed(store, heat.kind, draft, settings)) &&
    !(await mayBeOwnDoing(store, heat, draft));
  for (const draft of await findStrong(
    store,
    heat,
    rest,
    snippetOf,
    { ...settings, ...weak },
    wallNs,
  ))
    if (await isReported(draft)) drafts.push(draft);
  const fine = await readFineBins(store, heat.kind, wallNs);
  for (const draft of fine ? await findMild(store, fine, drafts, settings, wallNs) : [])
    if (await isReported(draft)) drafts.push(draft);
  const bins: Heat | FineBins = fine ?? heat;
  const joined = await withHosts(store, heat, joinRanks(drafts));
  await writeRegions(store, bins, nullsOutside(bins, joined, settings), joined, settings);
}

/** Regions with all the ranks of a host where the host is slow. */
async function withHosts(store: Store, heat: Heat, drafts: readonly Draft[]): Promise<Draft[]> {
  const hosts = await readHosts(store);
  const complete: Draft[] = [];
  for (const draft of drafts) {
    const others = [...complete, ...drafts].filter(
      (one) => one !== draft && one.startNs < draft.endNs && one.endNs > draft.startNs,
    );
    const parts = await partsInside(store, heat.kind, draft.startNs, draft.endNs);
    const taken = new Set(others.flatMap(({ ranks }) => ranks));
    complete.push({ ...draft, ranks: completeHosts(draft, parts, hosts, taken) });
  }
  return complete;
}

/** Stretches of the heat map that are slow significantly and materially. `rest` is it without what is known already. */
async function findStrong(
  store: Store,
  heat: Heat,
  rest: Heat,
  snippetOf: ReadonlyMap<number, number>,
  settings: Settings,
  wallNs: number,
): Promise<Draft[]> {
  const candidates = findCandidates(rest, settings, wallNs);
  const nulls = new NullRuns(rest, candidates, settings);
  const drafts: Draft[] = [];
  const largest = [...candidates].toSorted((a, b) => b.loss - a.loss);
  for (const one of largest.slice(0, MAX_CANDIDATES)) {
    const draft = await confirm(store, heat, one, nulls, snippetOf, settings, wallNs);
    if (draft) drafts.push(draft);
  }
  const others = largest.slice(MAX_CANDIDATES).map((one) => ({
    rank: heat.ranks[one.rank]!,
    startNs: one.from * heat.binNs,
    endNs: one.to * heat.binNs,
    chance: nulls.chance(one.score),
    level: nulls.level(one.rank),
  }));
  const alike = await findAlike(
    store,
    heat.kind,
    others.filter(({ chance }) => chance <= settings.maxChance),
    drafts,
    ({ observed, reference }, { level }) =>
      observed - reference >= materialLoss(settings, wallNs) &&
      reference * level <= settings.maxPerformance * observed,
  );
  return [...drafts, ...alike];
}

/** The bins of a heat map outside of regions. */
function nullsOutside(heat: Heat, regions: readonly Draft[], settings: Settings): NullRuns {
  const taken = regions.flatMap(({ ranks, startNs, endNs, loss }) =>
    ranks.map((rank) => ({
      rank: heat.ranks.indexOf(rank),
      from: Math.max(0, Math.floor(startNs / heat.binNs)),
      to: Math.min(heat.bins, Math.ceil(endNs / heat.binNs)),
      score: 0,
      loss,
      threshold: 0,
    })),
  );
  return new NullRuns(heat, taken, settings);
}

/**
 * Whether a mild slow-down may be the program's own doing: drift, or something that nearly all ranks do. A change
 * of work too small for the classes cannot be told from a mild disturbance of all.
 */
async function mayBeOwnDoing(
  store: Store,
  heat: Heat,
  { startNs, endNs, ranks, loss }: Draft,
): Promise<boolean> {
  const from = Math.max(0, Math.floor(startNs / heat.binNs));
  const to = Math.min(heat.bins, Math.ceil(endNs / heat.binNs));
  const one = { rank: heat.ranks.indexOf(ranks[0]!), from, to, score: 0, loss, threshold: 0 };
  if (isDrift(heat, one)) return true;
  return isCommonInside(await partsInside(store, heat.kind, startNs, endNs), ranks[0]!);
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
    // A limit on processor time stops a rank after equally many executions each time, as its own doing would.
    const isOwn = await comesPeriodically(store, heat.kind, rank, snippet, ns);
    if (isOwn && !(await waitedForCore(store, rank, startNs, endNs, loss))) return undefined;
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
  { maxPerformance }: Settings,
): Promise<void> {
  const { n: before } = (await store.row<{ n: number }>("SELECT count(*) AS n FROM regions"))!;
  const hosts = await readHosts(store);
  const regions: (number | string)[][] = [];
  const members: (number | string)[][] = [];
  for (const draft of drafts) {
    const parts = await partsInside(store, heat.kind, draft.startNs, draft.endNs);
    const byRank = groupRows(parts, ({ rank }) => rank);
    const slow = draft.ranks.map((rank) => ({ rank, ...total(byRank.get(rank) ?? []) }));
    const { startNs, endNs, ranks } = draft;
    const reachNs = BESIDE * heat.binNs;
    const whole = await withBorderFragments(store, heat.kind, ranks, startNs, endNs, reachNs);
    const losses = slow.map((one) => whole.get(one.rank) ?? one);
    const numbers = figures(heat, nulls, draft, slow, losses);
    const [, , performance, , lostLow] = numbers;
    // A weak slow-down whose loss may be nothing, after all.
    if (performance! > maxPerformance && lostLow! <= 0) continue;
    const number = before + regions.length + 1;
    const scope = scopeOf(draft.ranks, heat.ranks, hosts);
    regions.push([number, heat.kind, ...numbers, scope, 0]);
    for (const [i, { rank, observed, reference }] of slow.entries()) {
      const lost = losses[i]!.observed - losses[i]!.reference;
      members.push([number, rank, "slow", observed, reference, lost]);
    }
  }
  await insertRows(store, "regions", regions);
  await insertRows(store, "region_ranks", members);
}

/** Columns start_ns to significance of a region; `slow` is what lies inside, `losses` what its loss is counted over. */
function figures(
  heat: Heat,
  nulls: NullRuns,
  { startNs, endNs, chance }: Draft,
  slow: readonly RankLoss[],
  losses: readonly RankLoss[],
): number[] {
  const { observed, reference } = total(slow);
  const counted = total(losses);
  const lost = counted.observed - counted.reference;
  const [low, high] = nulls.noise(
    losses.map((one) => ({ rank: heat.ranks.indexOf(one.rank), reference: one.reference })),
    BORDER * (observed / reference - 1),
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
