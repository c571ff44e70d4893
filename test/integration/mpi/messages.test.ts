import { beforeAll, describe, expect, test } from "vitest";
import { matchMessages } from "../../../src/analyze/waits/match-messages.ts";
import { MESSAGE_TABLES } from "../../../src/analyze/waits/message-schema.ts";
import { buildInterceptor, compile, MPIS } from "./support/jobs.ts";
import { runForTransfers } from "./support/transfers.ts";

beforeAll(() => {
  buildInterceptor();
});

/** Lines "SENDER NUMBER" of what a rank received, in the order of posting, from the table `messages`. */
const received = (rank: number): string => `
  WITH sent AS (
    SELECT *, row_number() OVER (PARTITION BY send_rank ORDER BY send_start_ns) - 1 AS number FROM messages)
  SELECT send_rank || ' ' || number AS line FROM sent WHERE receive_rank = ${rank} ORDER BY receive_posted_ns`;

describe.each(MPIS)("%s", (mpi) => {
  test("every message is matched with what was sent", async () => {
    const traced = await runForTransfers(mpi, [compile(mpi, "messages.c")], async (store) => {
      await store.execute(MESSAGE_TABLES);
      await matchMessages(store);
    });
    expect(traced.stdout).toBe("messages: done\n");
    const [first, second] = traced.truth;
    const counts = await traced.query("FROM message_counts ORDER BY rank");
    const missing = { sampled_out: 0, not_recorded: 0, other: 0, violations: 0 };
    const sent = [0, 1].map((rank) =>
      traced.truth.flat().filter((line) => line.startsWith(`${rank} `)),
    );
    expect(counts).toEqual(
      [first!, second!].map((truth, rank) => {
        const all = { sent: sent[rank]!.length, received: truth.length };
        return Object.assign(
          { rank, matched_sends: all.sent, matched_receives: all.received },
          all,
          missing,
        );
      }),
    );
    for (const rank of [0, 1]) {
      const lines = (await traced.query(received(rank))).map(({ line }) => line);
      expect(lines).toEqual(traced.truth[rank]);
    }
    traced.remove();
  });
});
