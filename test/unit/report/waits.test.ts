import { afterEach, describe, expect, it } from "vitest";
import { buildReport } from "../../../src/report/build-report.ts";
import type { Report } from "../../../src/report/model.ts";
import { renderText } from "../../../src/report/text/text.ts";
import { runDirectory } from "../../../src/trace/run-directory.ts";
import type { Store } from "../../../src/trace/store.ts";
import { DISTURBED_RUN, storeWith } from "./hand-made.ts";

/** Of 20 s of rank-time rank 0 waited 2.9 s and rank 1 0.1 s. */
const WAITS = `
INSERT INTO wait_states VALUES
  ('wait at n-to-n', 0, 0, 1, 0, 200, 2500000000), ('wait at n-to-n', 1, 0, 0, 0, 20, 100000000),
  ('late root', 0, 0, 1, 0, 4, 400000000);
INSERT INTO message_counts VALUES (0, 30, 40, 25, 39, 6, 0, 0, 0), (1, 40, 30, 39, 25, 6, 0, 0, 0);
INSERT INTO collective_counts VALUES (0, 2, 900, 450, 450, 0), (1, 2, 100, 60, 10, 80);`;

let store: Store | undefined;
afterEach(() => {
  store?.close();
  store = undefined;
});

async function reportOf(rows: string): Promise<Report> {
  store = await storeWith(DISTURBED_RUN + rows);
  return buildReport({ store, directory: runDirectory("/runs/one"), record: undefined });
}

const textOf = (report: Report) =>
  renderText(report, { width: 80, color: false }).replaceAll(/\n +/g, " ");

describe("waiting in the report", () => {
  it("is summed by kind and by the rank waited for", async () => {
    const { waiting, quality } = await reportOf(WAITS);
    expect(waiting).toEqual({
      seconds: 3,
      percent: 15,
      kinds: [
        { kind: "wait at n-to-n", calls: 220, waitingSeconds: 2.6 },
        { kind: "late root", calls: 4, waitingSeconds: 0.4 },
      ],
      causes: [
        { rank: 1, waitingSeconds: 2.9 },
        { rank: 0, waitingSeconds: 0.1 },
      ],
    });
    expect(quality.matching).toEqual({
      collectives: { calls: 1000, matched: 920, unmatched: 80 },
      messages: { ends: 140, matched: 128, unmatched: 12 },
    });
  });

  it("is listed with call, place, who and for whom", async () => {
    const { waits } = await reportOf(WAITS);
    expect(
      waits.map(({ kind, ranks, causeRank, calls, waitingSeconds }) => ({
        kind,
        ranks,
        causeRank,
        calls,
        waitingSeconds,
      })),
    ).toEqual([
      { kind: "wait at n-to-n", ranks: [0], causeRank: 1, calls: 200, waitingSeconds: 2.5 },
      { kind: "late root", ranks: [0], causeRank: 1, calls: 4, waitingSeconds: 0.4 },
      { kind: "wait at n-to-n", ranks: [1], causeRank: 0, calls: 20, waitingSeconds: 0.1 },
    ]);
    expect(waits[0]).toMatchObject({ call: "MPI_Allreduce", site: "stencil+0x1234", source: null });
  });

  it("joins ranks that waited for the same one in the same call", async () => {
    const { waits } = await reportOf(`INSERT INTO wait_states VALUES
      ('wait at barrier', 3, 0, 1, 0, 2, 3000), ('wait at barrier', 0, 0, 1, 0, 1, 1000), ('wait at barrier', 2, 0, 1, 0, 1, 500);`);
    expect(waits).toMatchObject([{ ranks: [0, 2, 3], calls: 4, waitingSeconds: 4.5e-6 }]);
  });

  it("is told in words", async () => {
    const text = textOf(await reportOf(WAITS));
    expect(text).toContain("Waiting in calls: 3.00 s, 15 % of rank-time");
    expect(text).toContain("waited for most: rank 1 (97 %)");
    expect(text).toContain(
      "- rank 0 waited 2.50 s for rank 1 in MPI_Allreduce (wait at n-to-n, 200 calls) stencil+0x1234",
    );
    expect(text).toContain("8.0 % of the collective calls are without their partners");
  });

  it("leaves out what is not there", async () => {
    const report = await reportOf("");
    expect(report.waits).toEqual([]);
    expect(textOf(report)).not.toContain("Waiting");
    const unknown = textOf(
      await reportOf("INSERT INTO collective_counts VALUES (0, 2, 10, 10, 0, 10);"),
    );
    expect(unknown).toContain("Waiting: unknown 100 % of the collective calls");
  });
});
