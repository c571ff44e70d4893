import type { Store } from "../trace/store.ts";
import { readColumns } from "./columns.ts";
import { sourceColumns } from "./context-sources.ts";
import { CALL_MATCH, COMPUTE_MATCH } from "./work-cells.ts";

/** Calls are sampled in runs of this many, so that nearly all of them have their neighbours. */
const RUN = 2048;
/** Longest period that is looked for, in calls. */
const MAX_PERIOD = 256;
/** Share of an edge's distances that must be equal for it to start periods. */
const REGULAR = 0.9;
/** With more works than this that start a period, positions are not looked at. */
const MAX_WORKS = 5000;

/** The start of a period: an edge, and the works whose calls end it. */
export interface Anchor {
  edge: number;
  works: readonly number[];
}

/**
 * SQL of all fragments of compute and I/O whose key is in the table `candidates(key)`, with their context:
 * key, kind, rank, work vector, fragment_ns (start), ns (duration), v0, v1, ... as in CONTEXT_SOURCES.
 *
 * Tables of calls stand in order of rank, thread and time, so that the neighbour of a call is the next row: a window
 * without an order, straight over the table, which streams.
 *
 * @param every take one of so many runs of calls
 */
export function contextFragments(
  candidates: string,
  kinds: readonly ("compute" | "io")[],
  anchor: Anchor,
  every: number,
): string {
  const sample = every > 1 ? `WHERE hash(rowid // ${RUN}) % ${every} = 0` : "";
  return kinds
    .flatMap((kind) => [
      executions(kind, candidates, anchor, sample),
      irregular(kind, candidates, anchor, sample),
    ])
    .join("\nUNION ALL\n");
}

/** Columns of a fragment, given its call as `c` and times as `x`. */
function columns(kind: "compute" | "io", position: string): string {
  const [start, ns] =
    kind === "compute"
      ? ["x.start_ns - x.before_ns", "x.before_ns"]
      : ["x.start_ns", "x.end_ns - x.start_ns"];
  return `c.key, c.kind, c.snippet, c.rank, c.key_bytes, c.key_before, c.key_communicator, c.key_requests,
          c.first_ns, c.block_ns, c.blocks,
          ${start} AS fragment_ns, ${ns} AS ns, ${sourceColumns(position)}`;
}

const KEY_COLUMNS = `m.key, m.kind, m.snippet, m.bytes AS key_bytes, m.before_bytes AS key_before,
                     m.communicator AS key_communicator, m.requests AS key_requests,
                     m.first_ns, m.block_ns, m.blocks`;

/** Calls of `table` that a candidate of this kind judges. */
function matched(kind: "compute" | "io", table: string, candidates: string): string {
  return `${table} c JOIN (SELECT k.* FROM key_map k JOIN ${candidates} USING (key) WHERE k.kind = '${kind}') m
            ON ${kind === "compute" ? COMPUTE_MATCH : CALL_MATCH}
         WHERE c.thread = 0 AND c.edge >= 0`;
}

/** The last start of a period, its row and a number (below 2^31) that tells whose it was in one: a running maximum. */
function lastAnchor(isAnchor: string, owner: string): string {
  return `max(if(${isAnchor}, rowid * ${OWNERS} + ${owner}, NULL)) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;
}

const OWNERS = "2147483648";
/** Calls since then, NULL where that is too long ago. */
const DISTANCE = `if(row - anchor // ${OWNERS} < ${MAX_PERIOD}, row - anchor // ${OWNERS}, NULL)`;

function executions(
  kind: "compute" | "io",
  candidates: string,
  anchor: Anchor,
  sample: string,
): string {
  const isAnchor = anchor.works.length > 0 ? `work IN (${anchor.works.join(", ")})` : "false";
  return `
    SELECT ${columns(kind, `if(a.work IS NULL, NULL, ${DISTANCE})`)}
      FROM (SELECT *, rowid AS row, lag(work) OVER () AS before_work, lead(work) OVER () AS after_work,
                   ${lastAnchor(isAnchor, "work")} AS anchor
              FROM executions ${sample}) x
      JOIN (SELECT c.*, ${KEY_COLUMNS} FROM ${matched(kind, "works", candidates)}) c USING (work)
      LEFT JOIN works p ON p.work = x.before_work AND p.rank = c.rank AND p.thread = 0
      LEFT JOIN works s ON s.work = x.after_work AND s.rank = c.rank AND s.thread = 0
      LEFT JOIN works a ON a.work = x.anchor % ${OWNERS} AND a.rank = c.rank AND a.thread = 0`;
}

/** A column of the next (lead) or last (lag) row of the same thread. */
function neighbour(which: "lag" | "lead", name: string): string {
  return `if(${which}(rank) OVER () = rank AND ${which}(thread) OVER () = thread, ${which}(${name}) OVER (), NULL)`;
}

function irregular(
  kind: "compute" | "io",
  candidates: string,
  anchor: Anchor,
  sample: string,
): string {
  return `
    SELECT ${columns(kind, `if(anchor % ${OWNERS} = c.rank, ${DISTANCE}, NULL)`)}
      FROM (SELECT c.*, ${KEY_COLUMNS}
              FROM ${matched(
                kind,
                `(SELECT *, rowid AS row, ${lastAnchor(`edge = ${anchor.edge} AND thread = 0`, "rank")} AS anchor,
                    {'tag': ${neighbour("lag", "tag")}, 'completed': ${neighbour("lag", "completed")}, 'edge': ${neighbour("lag", "edge")}} AS p,
                    {'bytes': ${neighbour("lead", "bytes")}, 'edge': ${neighbour("lead", "edge")}} AS s
                 FROM irregular_calls ${sample})`,
                candidates,
              )}) c, LATERAL (SELECT c.start_ns, c.before_ns, c.end_ns) x`;
}

/** Calls looked at to find a period: enough for dozens of the longest. */
const PERIOD_SAMPLE = 20_000;

/**
 * The edge that starts a period of calls: comes back at equal distances, of all such edges the one with the largest distance.
 * -1 if there is none. Looks at the first calls of one rank after a tenth of its run.
 */
export async function findAnchor(store: Store): Promise<Anchor> {
  const regular = anchorOf(
    await sampleOf(store, "executions JOIN works w USING (work)", "executions"),
  );
  const works =
    regular < 0
      ? []
      : await store.rows<{ work: number }>(
          `SELECT work FROM works WHERE edge = ${regular} AND thread = 0 ORDER BY work LIMIT ${MAX_WORKS + 1}`,
        );
  const edge =
    regular >= 0 ? regular : anchorOf(await sampleOf(store, "irregular_calls", "irregular_calls"));
  return { edge, works: works.length > MAX_WORKS ? [] : works.map(({ work }) => work) };
}

async function sampleOf(store: Store, from: string, table: string): Promise<Float64Array> {
  const first = `(SELECT count(*) // 10 FROM ${table})`;
  const [edges] = await readColumns(
    store,
    `SELECT edge FROM ${from} WHERE ${table}.rowid >= ${first} AND ${table}.rowid < ${first} + ${PERIOD_SAMPLE}
      ORDER BY ${table}.rowid`,
  );
  return edges!;
}

/** See findAnchor; of a sequence of edges. */
export function anchorOf(edges: ArrayLike<number>): number {
  const last = new Map<number, number>();
  const distances = new Map<number, Map<number, number>>();
  for (let i = 0; i < edges.length; i++) {
    const edge = edges[i]!;
    const before = last.get(edge);
    last.set(edge, i);
    if (edge < 0 || before === undefined) continue;
    const counts = distances.get(edge) ?? new Map<number, number>();
    counts.set(i - before, (counts.get(i - before) ?? 0) + 1);
    distances.set(edge, counts);
  }
  let anchor = -1;
  let period = 1;
  for (const [edge, counts] of distances) {
    const total = [...counts.values()].reduce((a, b) => a + b, 0);
    for (const [distance, n] of counts) {
      if (n < 8 || n < REGULAR * total || distance > MAX_PERIOD) continue;
      if (distance > period) [anchor, period] = [edge, distance];
    }
  }
  return anchor;
}
