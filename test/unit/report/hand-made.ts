import { ANALYSIS_TABLES, ANALYSIS_VERSION } from "../../../src/analyze/schema.ts";
import { BASE_TABLES, BASE_VIEWS, STORE_VERSION } from "../../../src/trace/schema.ts";
import { Store } from "../../../src/trace/store.ts";

/**
 * A run of two ranks over 10 s, made by hand. Rank 1 took twice its time from 4 s to 6 s, and rank 0
 * waited for it. All numbers in the tests follow from the rows here.
 */
export const DISTURBED_RUN = `
INSERT INTO meta VALUES ('store_version', '${STORE_VERSION}'), ('job_id', '2a'),
  ('started_at', '2026-03-04T05:06:07.250Z'), ('wall_ns', '10000000000'), ('world_size', '2'),
  ('complete', 'true'), ('mpi', 'Open MPI'), ('mpi_version', '4.1.4'), ('trace_bytes', '2400');
INSERT INTO ranks VALUES
  (0, 'node1', 100, '/opt/app/stencil', 1, 0, 10000000000, true, 300, 300, 0, 0, 2000000, 1200),
  (1, 'node2', 101, '/opt/app/stencil', 1, 0, 10000000000, true, 310, 300, 6, 4, 4000000, 1200);
INSERT INTO modules VALUES (0, '/opt/app/stencil', 'abcd');
INSERT INTO states VALUES (0, 'MPI_Allreduce', 'collective', 0, 4660, -1), (1, 'MPI_Waitall', 'wait', 0, 4096, -1);
INSERT INTO edges VALUES (0, 0, 1), (1, 1, 0);
INSERT INTO irregular_calls VALUES
  (0, 0, 0, -1, 0, 0, 1000000, 8, 0, -1, 0, -1, 0, 0, -1),
  (0, 0, 1, 0, 20000000, 21000000, 22000000, 0, 8, -1, -1, -1, 4, 4, -1);
INSERT INTO work_classes(class, kind, snippet, bytes, before_bytes, communicator, requests, from_ns,
    to_ns, evidence, status, fragments, ranks, total_ns, reference_ns, lost_ns, first_ns, block_ns, blocks) VALUES
  (0, 'compute', 0, 0, 8, -1, 0, 0, 1000000000, 'inferred', 'vsensor', 400, 2, 14000000000, 30000000, 2000000000, 0, 1, 1),
  (1, 'communication', 1, 0, 0, -1, 4, 0, 1000000000, 'inferred', 'vsensor', 200, 2, 2000000000, 8000000, 400000000, 0, 1, 1),
  (2, 'compute', 1, 0, 0, -1, 0, 0, 1000000000, 'inferred', 'too_few_repeats', 2, 2, 50000000, NULL, NULL, 0, 1, 1);
UPDATE work_classes SET basis = 'arguments', confidence = 0.75, reference_low_ns = 29000000, reference_high_ns = 31000000 WHERE class = 0;
INSERT INTO unusual_paths VALUES ('compute', 1, 0, 0, 2, 2, 50000000, 30000000, 1, 9000000000);
INSERT INTO regions(region, kind, start_ns, end_ns, performance, lost_ns,
    lost_low_ns, lost_high_ns, significance, scope, event) VALUES (1, 'compute', 4000000000, 6000000000, 0.5, 1000000000, 900000000, 1100000000, 0.0001, 'ranks', 1);
INSERT INTO region_ranks(region, rank, role, observed_ns, reference_ns, lost_ns) VALUES (1, 1, 'slow', 2000000000, 1000000000, 1000000000),
  (1, 0, 'waiting', 1500000000, 500000000, 1000000000);
INSERT INTO region_evidence(region, source, kind, against, inside_count, outside_count, inside, outside, ratio, low, high, share, verdict) VALUES
  (1, 'kernel', 'run_delay', 'self', NULL, NULL, 2e8, 5e7, 4, 0.1, 0.3, 0.2, 'does_not_explain'),
  (1, 'probes', 'compute', 'self', 8, 24, 24000, 16000, 1.5, 1.4, 1.6, 0.58, 'slower');
INSERT INTO imbalances(kind, ranks, excess_percent, cost_ns, verdict, reason) VALUES ('compute', [1], 12.5, 700000000, 'undecided', 'probes would decide it');
INSERT INTO ledger(rank, kind, part, ns) VALUES
  (0, 'compute', 'vsensor', 6000000000), (0, 'communication', 'vsensor', 1200000000),
  (0, 'communication', 'waiting', 2500000000), (0, 'compute', 'too_few_repeats', 25000000),
  (0, '', 'tool', 2000000), (0, '', 'untraced', 273000000),
  (1, 'compute', 'vsensor', 8000000000), (1, 'communication', 'vsensor', 800000000),
  (1, 'compute', 'varying_work', 1000000000), (1, '', 'sampled_out', 100000000),
  (1, '', 'tool', 4000000), (1, '', 'untraced', 96000000);
INSERT INTO analysis_meta VALUES ('analysis_version', '${ANALYSIS_VERSION}'), ('bin_ns', '1000000000'), ('bins', '10');
INSERT INTO bins(kind, rank, bin, observed_ns, reference_ns, allowed_ns) SELECT 'compute', r, b, CASE WHEN r = 1 AND b IN (4, 5) THEN 8e8 ELSE 4e8 END, 4e8, 4.4e8
  FROM range(2) AS ranks(r), range(10) AS bins(b) WHERE b < 9;
INSERT INTO bins(kind, rank, bin, observed_ns, reference_ns, allowed_ns) SELECT 'communication', 0, b, 2e8, 1.5e8, 1.6e8 FROM range(10) AS bins(b);
`;

/** An in-memory store with all tables and `rows` in them; the caller closes it. */
export async function storeWith(rows: string, path = ":memory:"): Promise<Store> {
  const store = await Store.open(path);
  await store.execute(BASE_TABLES + ANALYSIS_TABLES + BASE_VIEWS);
  if (rows !== "") await store.execute(rows);
  return store;
}
