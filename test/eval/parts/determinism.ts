import { analyze } from "../../../src/analyze/analyze.ts";
import { SENSITIVE_SETTINGS } from "../../../src/analyze/settings.ts";
import type { Store } from "../../../src/trace/store.ts";
import { noiseOf, routing, writer } from "../programs.ts";
import { inject } from "../programs.ts";
import { atLeast, percentOf, type Row, type Settings } from "../row.ts";
import { withRun } from "../run.ts";
import { simulate, type Simulation } from "../simulate/simulate.ts";

/** Whether two analyses of one trace leave the same rows in every table. */
export async function determinism({ seed, quick, done }: Settings): Promise<Row[]> {
  const steps = quick ? 100 : 500;
  const disturbed = writer(8, steps, 10e6);
  const simulations = [
    simulate({
      seed,
      program: disturbed,
      noise: noiseOf("vm", 0.03, 8e6),
      injections: [inject(disturbed, [0.3, 0.6], { ranks: [3] })],
    }),
    simulate({ seed, program: routing(8, steps, 10e6, seed), noise: noiseOf("heavy", 0.03, 8e6) }),
  ];
  const same: boolean[] = [];
  for (const simulation of simulations) {
    same.push(await analysesAgree(simulation));
    done("determinism");
  }
  return [
    {
      part: "determinism",
      what: "two analyses of one trace: the same tables",
      bar: "100 %",
      reaches: atLeast(100),
      values: { ours: percentOf(same, (one) => one) },
      unit: "%",
      runs: same.length,
    },
  ];
}

/** Analyses twice from the traces on, the second time with as many threads as there are. */
export async function analysesAgree(simulation: Simulation): Promise<boolean> {
  const tables: string[] = [];
  for (const threads of [1, 4]) {
    tables.push(
      await withRun(simulation, async (store) => {
        await store.execute(`SET threads = ${threads}`);
        await analyze(store, { settings: SENSITIVE_SETTINGS });
        return contentOf(store);
      }),
    );
  }
  return tables[0] === tables[1];
}

/** All rows of all tables, but for what tells of the trace files themselves. */
export async function contentOf(store: Store): Promise<string> {
  const tables = await store.rows<{ name: string }>(
    "SELECT table_name AS name FROM duckdb_tables() WHERE NOT temporary ORDER BY 1",
  );
  const out: string[] = [];
  for (const { name } of tables) {
    const where = name === "meta" ? "WHERE key <> 'sources'" : "";
    const rows = await store.connection.runAndReadAll(`FROM ${name} ${where} ORDER BY ALL`);
    out.push(name, JSON.stringify(rows.getRowsJson()));
  }
  return out.join("\n");
}
