import { BASE_TABLES, BASE_VIEWS } from "../../../src/trace/schema.ts";
import { Store } from "../../../src/trace/store.ts";

/** A call of thread 0: state, entry and exit in ns, bytes. Edges are numbered 100 * from + to. */
export type Call = [state: number, start: number, end: number, bytes?: number];

/**
 * A store in memory with these calls per rank; the first of each rank is its MPI_Init, exit at 0. States are
 * collective calls, but for those whose category is given.
 */
export async function storeWith(
  ranks: readonly (readonly Call[])[],
  toolNs = 0,
  categories: Readonly<Record<number, string>> = {},
): Promise<Store> {
  const store = await Store.open(":memory:", { threads: 1 });
  await store.execute(BASE_TABLES + BASE_VIEWS);
  for (const [rank, calls] of ranks.entries()) {
    const rows = calls.map(([state, start, end, bytes = 0], i) => {
      const before = calls[i - 1];
      const edge = before ? 100 * before[0] + state : -1;
      return `(${rank}, 0, ${state}, ${edge}, ${before ? start - before[2] : 0}, ${start}, ${end}, ${bytes}, ${before?.[3] ?? 0}, -1, 0, -1, 0, 0, -1)`;
    });
    await store.execute(`
      INSERT INTO irregular_calls VALUES ${rows.join(", ")};
      INSERT INTO ranks VALUES (${rank}, 'host', ${rank}, 'program', 1, 0, ${calls.at(-1)![2]}, true,
        ${calls.length}, ${calls.length}, 0, 0, ${toolNs}, 0);`);
  }
  const states = [...new Set(ranks.flat().map(([state]) => state))];
  const rows = states.map((state) => {
    const category = categories[state] ?? (state === 0 ? "lifetime" : "collective");
    return `(${state}, 'call ${state}', '${category}', 0, ${state})`;
  });
  if (rows.length > 0)
    await store.execute(
      `INSERT INTO states(state, call, category, module, "offset") VALUES ${rows.join(", ")}`,
    );
  await numberWorks(store);
  return store;
}

/** Moves all calls to where regular programs have them: each is an execution of a numbered work. */
export async function numberWorks(store: Store): Promise<void> {
  const columns =
    "rank, thread, state, edge, bytes, before_bytes, peer, communicator, tag, requests, completed, file";
  await store.execute(`
    INSERT INTO works SELECT row_number() OVER (ORDER BY ${columns}) - 1, *
      FROM (SELECT DISTINCT ${columns} FROM irregular_calls) ORDER BY 1;
    INSERT INTO executions SELECT work, before_ns, start_ns, end_ns
      FROM irregular_calls JOIN works USING (${columns}) ORDER BY irregular_calls.rowid;
    DELETE FROM irregular_calls;`);
}

export interface Step {
  ns: number;
  bytes?: number;
  state?: number;
  callNs?: number;
}

/** Init, then `count` steps of work and a call, 10 us long unless said. */
export function steps(count: number, work: (step: number) => Step): Call[] {
  const calls: Call[] = [[0, -1000, 0]];
  let now = 0;
  for (let step = 0; step < count; step++) {
    const { ns, bytes = 8, state = 1, callNs = 10_000 } = work(step);
    const start = now + Math.round(ns);
    now = start + Math.round(callNs);
    calls.push([state, start, now, bytes]);
  }
  return calls;
}
