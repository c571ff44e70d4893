import { BASE_TABLES, BASE_VIEWS } from "../../src/trace/schema.ts";
import { ColumnAppender } from "../../src/trace/append-columns.ts";
import { Store } from "../../src/trace/store.ts";
import { type RankCalls, STATES } from "./simulate.ts";

/** What stands in a store besides calls: names of states, of which the first and the last frame the run, and ranks on a host. */
export interface Setting {
  states?: readonly string[];
  perHost?: number;
}

function categoryOf(call: string): string {
  if (call === "MPI_Init" || call === "MPI_Finalize") return "lifetime";
  return call === "MPI_Sendrecv" ? "sendrecv" : "collective";
}

/** A store in memory with the tables of ingest, filled with simulated calls. */
export async function storeOf(
  ranks: readonly RankCalls[],
  { states = STATES, perHost = 8 }: Setting = {},
): Promise<Store> {
  const store = await Store.open(":memory:", { threads: 1 });
  await store.execute(BASE_TABLES + BASE_VIEWS);
  const members = ranks.map((_, r) => r).join(", ");
  await store.execute(`
    INSERT INTO modules VALUES (0, '/opt/program', '');
    INSERT INTO communicators VALUES (0, ${ranks.length}, 0, [${members}], 0);
    INSERT INTO states VALUES ${states.map((call, i) => `(${i}, '${call}', '${categoryOf(call)}', 0, ${i * 64}, -1)`).join(", ")};
    INSERT INTO edges SELECT 16 * a + b, a, b FROM range(${states.length}) x(a), range(${states.length}) y(b);`);
  const appender = await ColumnAppender.open(store, "irregular_calls");
  for (const [r, rank] of ranks.entries())
    appender.append(columnsOf(r, rank, states.length), rank.state.length);
  appender.close();
  await store.execute(`
    INSERT INTO ranks SELECT rank, 'host' || rank // ${perHost}, 100 + rank, 'program', 1, 0, max(end_ns), true,
           count(*), count(*), 0, 0, 40 * count(*), 4 * count(*) FROM calls GROUP BY rank ORDER BY rank`);
  return store;
}

function big(values: readonly number[]): BigInt64Array<ArrayBuffer> {
  return BigInt64Array.from(values, BigInt);
}

function columnsOf(r: number, { state, startNs, endNs, bytes, peer }: RankCalls, states: number) {
  const n = state.length;
  const before = startNs.map((start, i) => (i === 0 ? 0 : start - endNs[i - 1]!));
  const same = (value: number) => new Int32Array(n).fill(value);
  return [
    same(r),
    new Int16Array(n),
    Int32Array.from(state),
    Int32Array.from(state, (to, i) => (i === 0 ? -1 : 16 * state[i - 1]! + to)),
    big(before),
    big(startNs),
    big(endNs),
    big(bytes),
    big(bytes.map((_, i) => (i === 0 ? 0 : bytes[i - 1]!))),
    Int32Array.from(peer),
    Int32Array.from(state, (s) => (s === 0 || s === states - 1 ? -1 : 0)),
    same(-1),
    same(0),
    same(0),
    same(-1),
  ];
}
