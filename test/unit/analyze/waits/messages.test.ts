import { describe, expect, test } from "vitest";
import { matchMessages } from "../../../../src/analyze/waits/match-messages.ts";
import {
  type MessageCall,
  messagesOf,
  messageStore,
  stateOf,
  type Transfer,
} from "./message-store.ts";

const ANY = -2;
const NULL = -3;

/** A receive of rank 1 from rank 0. */
const receiveOf = (posted: number, completed: number, tag: number): Transfer => ({
  rank: 1,
  start: "Irecv",
  posted,
  wait: "Wait",
  completed,
  waited: 0,
  peer: 0,
  tag,
  receive: 1,
});
/** One half of an exchange of two ranks; of a persistent one. */
const half = (rank: number, receive: 0 | 1): Transfer => ({
  rank,
  start: "Sendrecv",
  posted: 60 + rank,
  wait: "Sendrecv",
  completed: 60 + rank,
  waited: 0,
  peer: 1 - rank,
  tag: receive ? 1 + rank : 2 - rank,
  receive,
});
const started = (rank: number, receive: 0 | 1): Transfer => ({
  ...half(rank, receive),
  start: "Startall",
  posted: 80 + rank,
  wait: "Waitall",
  completed: 90,
  waited: 5,
  tag: 5,
});

/** Calls of one of two ranks that exchange both ways; the first one's threads send at the same time. */
const exchange = (self: number): MessageCall[] => [
  ["Sendrecv", 50 + self, 60 + self, 1 - self, 2 - self],
  ["Startall", 70 + self, 80 + self, 1 - self, 5],
  ["Waitall", 85, 90],
  self === 0 ? ["Send", 20, 25, 1, 9, 1] : ["Recv", 30, 40, 0, 9],
  self === 0 ? ["Send", 10, 15, 1, 9, 2] : ["Recv", 42, 45, 0, 9],
];

describe("matching", () => {
  test("the k-th send of a channel goes with its k-th receive, by posting and not by completion", async () => {
    const store = await messageStore(
      [
        [
          ["Send", 100, 110, 1, 7],
          ["Send", 120, 130, 1, 8],
          ["Send", 140, 150, 1, 7],
          ["Send", 160, 170, NULL, 7],
        ],
        [
          ["Irecv", 10, 12, ANY, ANY],
          ["Irecv", 14, 16, 0, 7],
          ["Irecv", 18, 20, 0, 8],
          ["Irecv", 22, 24, 0, 9],
        ],
      ],
      // The first took tag 7, and was waited for last; the fourth was cancelled.
      [
        receiveOf(16, 200, 7),
        receiveOf(20, 210, 8),
        receiveOf(12, 220, 7),
        { ...receiveOf(24, 230, 9), outcome: 1 },
      ],
    );
    const { pairs } = await messagesOf(store);
    expect(pairs).toEqual(["0@100 > 1@12", "0@120 > 1@20", "0@140 > 1@16"]);
    expect(await store.rows("FROM message_counts ORDER BY rank")).toEqual([
      counts({ rank: 0, sent: 3, matched_sends: 3 }),
      counts({ rank: 1, received: 3, matched_receives: 3 }),
    ]);
    store.close();
  });

  test("halves of MPI_Sendrecv, two sides of persistent requests with one tag, and threads", async () => {
    const both = [0, 1].flatMap((r) => [half(r, 0), half(r, 1), started(r, 0), started(r, 1)]);
    const store = await messageStore([exchange(0), exchange(1)], both);
    const { pairs } = await messagesOf(store);
    expect(pairs).toEqual([
      "0@10 > 1@30",
      "0@20 > 1@42",
      "0@50 > 1@51",
      "0@70 > 1@81",
      "1@51 > 0@50",
      "1@71 > 0@80",
    ]);
    store.close();
  });

  test("behind the first gap a channel with thinned states or unequal counts is left unmatched", async () => {
    const receives = [10, 20, 30, 40].map((at): MessageCall => ["Recv", at + 2, at + 4, 0, 1]);
    const store = await messageStore(
      [
        [
          ["Send", 10, 12, 1, 1],
          ["Send", 20, 22, 1, 1],
          ["Send", 40, 42, 1, 1],
          ["Bsend", 50, 51, 1, 2],
        ],
        [...receives, ["Recv", 55, 56, 0, 2]],
      ],
      [],
      `INSERT INTO gaps VALUES (0, 0, 22, 40, 1);
       INSERT INTO sampled_out VALUES (0, 0, ${stateOf("Send")}, 1, 1, 2);
       UPDATE ranks SET sampled_out = 1 WHERE rank = 0;`,
    );
    const { pairs } = await messagesOf(store);
    // Sends at 10 and 20 come before the gap. That of tag 2 is another state's, of which nothing is missing.
    expect(pairs).toEqual(["0@10 > 1@12", "0@20 > 1@22", "0@50 > 1@55"]);
    expect(await store.rows("FROM message_counts ORDER BY rank")).toEqual([
      counts({ rank: 0, sent: 4, matched_sends: 3, sampled_out: 1 }),
      counts({ rank: 1, received: 5, matched_receives: 3, sampled_out: 2 }),
    ]);
    store.close();
  });

  test("equal counts of a thinned state prove nothing; a receive without a source hides which", async () => {
    const thinned = await messageStore(
      [[["Send", 10, 12, 1, 1]], [["Recv", 1, 20, 0, 1]]],
      [],
      `INSERT INTO gaps VALUES (0, 0, 0, 10, 3), (1, 0, 0, 1, 3);
       INSERT INTO sampled_out VALUES (0, 0, ${stateOf("Send")}, 3, 3, 6), (1, 0, ${stateOf("Recv")}, 3, 3, 6);`,
    );
    expect((await messagesOf(thinned)).pairs).toEqual([]);
    thinned.close();
    const vague = await messageStore([
      [
        ["Send", 10, 12, 1, 1],
        ["Send", 20, 22, 1, 1],
        ["Send", 30, 32, 1, 1],
      ],
      [
        ["Recv", 5, 13, 0, 1],
        ["Recv", 15, 23, ANY, ANY],
        ["Recv", 25, 33, 0, 1],
      ],
    ]);
    expect((await messagesOf(vague)).pairs).toEqual(["0@10 > 1@5"]);
    expect(await vague.rows("FROM message_counts ORDER BY rank")).toEqual([
      counts({ rank: 0, sent: 3, matched_sends: 1, not_recorded: 2 }),
      counts({ rank: 1, received: 3, matched_receives: 1, not_recorded: 2 }),
    ]);
    vague.close();
  });

  test("contradictions are kept and counted; too many are left out with a line", async () => {
    const calls = [[["Send", 100, 110, 1, 1]], [["Recv", 10, 20, 0, 1]]] as const;
    const store = await messageStore(calls);
    expect((await messagesOf(store)).pairs).toEqual(["0@100 > 1@10"]);
    expect(await store.rows("SELECT violations FROM message_counts ORDER BY rank")).toEqual([
      { violations: 0 },
      { violations: 1 },
    ]);
    store.close();
    const crowded = await messageStore(calls);
    await matchMessages(crowded, 1);
    await matchMessages(crowded, 1);
    expect(await crowded.rows("FROM warnings")).toEqual([
      {
        text: "messages are not matched: 2 calls send or receive, and at most 1 are matched; who waited for whom is not known",
      },
    ]);
    expect(await crowded.rows("FROM messages")).toEqual([]);
    crowded.close();
  });
});

describe("waits", () => {
  test("late sender, late receiver, and neither", async () => {
    const store = await messageStore([
      [
        ["Send", 500, 520, 1, 1], // the receiver has waited since 100
        ["Send", 600, 900, 1, 1], // lasts until the receive is posted at 880
        ["Bsend", 1000, 1400, 1, 1], // needs nobody
        ["Send", 1500, 1510, 1, 1], // was gone when the receive came
      ],
      [
        ["Recv", 100, 530, 0, 1],
        ["Recv", 880, 910, 0, 1],
        ["Recv", 1300, 1410, 0, 1],
        ["Recv", 1600, 1610, 0, 1],
      ],
    ]);
    expect((await messagesOf(store)).waits).toEqual([
      ["late receiver", 0, "Send", 1, "Recv", 1, 280],
      ["late sender", 1, "Recv", 0, "Send", 1, 400],
    ]);
    store.close();
  });

  test("a wait for several waited once, for the partner that came last; the rest is completion", async () => {
    const wait = {
      rank: 2,
      start: "Irecv",
      wait: "Waitall",
      completed: 1000,
      waited: 800,
      tag: 1,
      receive: 1,
    } as const;
    const store = await messageStore(
      [
        [["Send", 400, 410, 2, 1]],
        [["Send", 700, 710, 2, 1]],
        [
          ["Irecv", 100, 110, 0, 1],
          ["Irecv", 120, 130, 1, 1],
          ["Waitall", 200, 1000],
        ],
      ],
      [
        { ...wait, posted: 110, peer: 0 },
        { ...wait, posted: 130, peer: 1 },
      ],
    );
    expect((await messagesOf(store)).waits).toEqual([
      ["late sender", 2, "Waitall", 1, "Send", 1, 500],
      ["wait for completion", 2, "Waitall", -1, "", 1, 300],
    ]);
    expect(await store.rows("FROM message_call_waits")).toEqual([
      {
        rank: 2,
        thread: 0,
        state: stateOf("Waitall"),
        start_ns: 200,
        end_ns: 1000,
        waiting_ns: 500,
        kind: "late sender",
        cause_rank: 1,
        cause_state: stateOf("Send"),
      },
    ]);
    store.close();
  });

  test("a send's wait for a late receiver, a probe for a late sender; a test waits for nobody", async () => {
    const store = await messageStore(
      [
        [
          ["Isend", 10, 12, 1, 1],
          ["Wait", 20, 320],
          ["Isend", 330, 332, 1, 2],
          ["Test", 340, 345],
          ["Send", 700, 701, 1, 3],
        ],
        [
          ["Recv", 300, 330, 0, 1],
          ["Recv", 342, 346, 0, 2],
          ["Probe", 400, 705, 0, 3],
          ["Recv", 706, 707, 0, 3],
        ],
      ],
      [
        {
          rank: 0,
          start: "Isend",
          posted: 12,
          wait: "Wait",
          completed: 320,
          waited: 300,
          peer: 1,
          tag: 1,
          receive: 0,
        },
        {
          rank: 0,
          start: "Isend",
          posted: 332,
          wait: "Test",
          completed: 345,
          waited: 0,
          peer: 1,
          tag: 2,
          receive: 0,
        },
      ],
    );
    expect((await messagesOf(store)).waits).toEqual([
      ["late receiver", 0, "Wait", 1, "Recv", 1, 280],
      ["late sender", 1, "Probe", 0, "Send", 1, 300],
      ["wait for completion", 0, "Wait", 1, "", 1, 20],
    ]);
    store.close();
  });

  test("a wait that completes a collective, too, is not a wait for messages' completion", async () => {
    const wait = { rank: 1, wait: "Waitall", completed: 90, waited: 60 } as const;
    const store = await messageStore(
      [
        [["Send", 20, 21, 1, 1]],
        [
          ["Irecv", 10, 12, 0, 1],
          ["Ibarrier", 14, 16],
          ["Waitall", 30, 90],
        ],
      ],
      [
        { ...wait, start: "Irecv", posted: 12, peer: 0, tag: 1, receive: 1 },
        { ...wait, start: "Ibarrier", posted: 16, peer: -1, tag: -1, receive: 0 },
      ],
    );
    expect((await messagesOf(store)).waits).toEqual([]);
    store.close();
  });
});

/** A row of `message_counts`: what is not given is 0. */
function counts(given: Record<string, number>): Record<string, number> {
  return {
    sent: 0,
    received: 0,
    matched_sends: 0,
    matched_receives: 0,
    sampled_out: 0,
    not_recorded: 0,
    other: 0,
    violations: 0,
    ...given,
  };
}
