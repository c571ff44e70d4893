import { analyze } from "../../src/analyze/analyze.ts";
import { BASE_TABLES, BASE_VIEWS } from "../../src/trace/schema.ts";
import { Store } from "../../src/trace/store.ts";
import { ColumnAppender } from "../../src/trace/append-columns.ts";
import { numberWorks } from "../unit/analyze/hand-made.ts";
import { type Noise, noiseFactor, Random, spike } from "./noise.ts";
import { vMeasure } from "../eval/score/v-measure.ts";

/** A computation and the call that ends it. */
export interface LabelledCall {
  /** What it did: equal names are one work. */
  work: string;
  /** Undisturbed time of the computation. */
  ns: number;
  /** State of the call, from 1. */
  call: number;
  callNs?: number;
  bytes?: number;
  tag?: number;
  peer?: number;
  requests?: number;
  completed?: number;
}

export interface LabelledProgram {
  ranks: number;
  steps: number;
  step: (rank: number, step: number, random: Random) => LabelledCall[];
  noise: Noise;
  /** Factor on the time of a computation that starts then (share of the steps). */
  slow?: (rank: number, share: number) => number;
  /** Categories of states; default: 'collective'. */
  categories?: Readonly<Record<number, string>>;
  seed?: number;
}

export interface LabelledFragment {
  rank: number;
  startNs: number;
  work: string;
}

/** A store with the calls of the program, where regular programs have them, and what each computation did. */
export async function labelledStore(
  program: LabelledProgram,
): Promise<{ store: Store; truth: LabelledFragment[] }> {
  const store = await Store.open(":memory:", { threads: 1 });
  await store.execute(BASE_TABLES + BASE_VIEWS);
  const truth: LabelledFragment[] = [];
  const states = new Set([0]);
  for (let rank = 0; rank < program.ranks; rank++) {
    const random = new Random((program.seed ?? 1) * 7919 + rank);
    const rows: number[][] = [[0, 0, -1000, 0, 0, -1, -1, 0, 0]];
    let now = 0;
    for (let step = 0; step < program.steps; step++) {
      for (const one of program.step(rank, step, random)) {
        const slow = program.slow?.(rank, step / program.steps) ?? 1;
        const ns =
          one.ns * slow * noiseFactor(program.noise, random) + spike(program.noise, random);
        const start = now + Math.round(ns);
        const end = start + Math.round((one.callNs ?? 5000) * (0.95 + 0.1 * random.uniform()));
        rows.push([
          one.call,
          start - now,
          start,
          end,
          one.bytes ?? 8,
          one.peer ?? -1,
          one.tag ?? -1,
          one.requests ?? 0,
          one.completed ?? 0,
        ]);
        truth.push({ rank, startNs: now, work: one.work });
        states.add(one.call);
        now = end;
      }
    }
    await append(store, rank, rows);
  }
  const listed = [...states].map((state) => {
    const category = state === 0 ? "lifetime" : (program.categories?.[state] ?? "collective");
    return `(${state}, 'call ${state}', '${category}', 0, ${state})`;
  });
  await store.execute(`
    INSERT INTO states(state, call, category, module, "offset") VALUES ${listed.join(", ")};
    INSERT INTO ranks SELECT rank, 'host', rank, 'program', 1, 0, max(end_ns), true, count(*), count(*), 0, 0, 0, 0
      FROM irregular_calls GROUP BY rank ORDER BY rank`);
  await numberWorks(store);
  return { store, truth };
}

async function append(store: Store, rank: number, rows: readonly number[][]): Promise<void> {
  const n = rows.length;
  const ints = (at: number) => Int32Array.from(rows, (row) => row[at]!);
  const longs = (at: number) => BigInt64Array.from(rows, (row) => BigInt(row[at]!));
  const appender = await ColumnAppender.open(store, "irregular_calls");
  appender.append(
    [
      new Int32Array(n).fill(rank),
      new Int16Array(n),
      ints(0),
      Int32Array.from(rows, (row, i) => (i === 0 ? -1 : 100 * rows[i - 1]![0]! + row[0]!)),
      longs(1),
      longs(2),
      longs(3),
      longs(4),
      BigInt64Array.from(rows, (_, i) => BigInt(i === 0 ? 0 : rows[i - 1]![4]!)),
      ints(5),
      new Int32Array(n).fill(-1),
      ints(6),
      ints(7),
      ints(8),
      new Int32Array(n).fill(-1),
    ],
    n,
  );
  appender.close();
}

export interface Scored {
  /** Of all computations: those without a class count as one cluster. */
  v: number;
  /** Share of computations that a v-sensor judges. */
  judged: number;
  classes: {
    basis: string;
    evidence: string;
    status: string;
    fragments: number;
    snippet: number;
  }[];
}

/** Analyses a labelled program, and compares classes with truth. */
export async function scoreClasses(program: LabelledProgram): Promise<Scored> {
  const { store, truth } = await labelledStore(program);
  try {
    await analyze(store);
    const rows = await store.rows<{ rank: number; start: number; class: number }>(
      "SELECT rank, start_ns AS start, class FROM judged_compute",
    );
    const classOf = new Map(rows.map((row) => [`${row.rank} ${row.start}`, row.class]));
    const found = truth.map(({ rank, startNs }) => classOf.get(`${rank} ${startNs}`) ?? -1);
    const works = [...new Set(truth.map(({ work }) => work))];
    const classes = await store.rows<Record<string, unknown> & Scored["classes"][number]>(
      "SELECT basis, evidence, status, fragments, snippet FROM work_classes WHERE kind = 'compute' ORDER BY class",
    );
    return {
      v: vMeasure(
        truth.map(({ work }) => works.indexOf(work)),
        found,
      ),
      judged: rows.length / truth.length,
      classes,
    };
  } finally {
    store.close();
  }
}
