import { expect, test } from "vitest";
import { randomFrom } from "../../../../src/analyze/statistics.ts";
import { type MessageCall, messagesOf, messageStore, type Transfer } from "./message-store.ts";

const ANY = -2;

interface Sent {
  from: number;
  to: number;
  tag: number;
  at: number;
}
interface Posted {
  rank: number;
  source: number;
  tag: number;
  at: number;
}

const accepts = (posted: Posted, sent: Sent): boolean =>
  posted.rank === sent.to &&
  (posted.source === ANY || posted.source === sent.from) &&
  (posted.tag === ANY || posted.tag === sent.tag);

/**
 * What an MPI does: messages that come are given to the oldest receive that takes them, or kept; a receive takes the oldest message kept that it
 * can. Each message comes some time after it was sent, but in order.
 */
function deliver(sends: readonly Sent[], posts: readonly Posted[], delay: () => number) {
  const arrival = new Map<string, number>();
  const events = sends.map((sent) => {
    const way = `${sent.from} ${sent.to}`;
    const at = Math.max(sent.at + delay(), (arrival.get(way) ?? 0) + 0.001);
    arrival.set(way, at);
    return { at, sent };
  });
  const all = [...events, ...posts.map((posted) => ({ at: posted.at, posted }))];
  const kept: Sent[] = [];
  const open: Posted[] = [];
  const pairs: [Sent, Posted][] = [];
  for (const event of all.toSorted((a, b) => a.at - b.at)) {
    if ("sent" in event) {
      const i = open.findIndex((posted) => accepts(posted, event.sent));
      if (i < 0) kept.push(event.sent);
      else pairs.push([event.sent, open.splice(i, 1)[0]!]);
    } else {
      const i = kept.findIndex((sent) => accepts(event.posted, sent));
      if (i < 0) open.push(event.posted);
      else pairs.push([kept.splice(i, 1)[0]!, event.posted]);
    }
  }
  return pairs;
}

test("random messages to receives from anyone and with any tag: pairs are those that an MPI makes", async () => {
  const random = randomFrom(5);
  const whole = (limit: number): number => Math.floor(random() * limit);
  let matched = 0;
  let wild = 0;
  for (let round = 0; round < 15; round++) {
    const ranks = 2 + whole(3);
    const sends = Array.from({ length: 60 }, (_, i) => ({
      from: whole(ranks),
      to: whole(ranks),
      tag: whole(3),
      at: 10 * i,
    }));
    const posts = Array.from({ length: 60 }, (_, i) => ({
      rank: whole(ranks),
      source: random() < 0.4 ? ANY : whole(ranks),
      tag: random() < 0.4 ? ANY : whole(3),
      at: 10 * i + 5,
    }));
    const pairs = deliver(sends, posts, () => 60 * random());
    const calls: MessageCall[][] = Array.from({ length: ranks }, () => []);
    for (const { from, to, tag, at } of sends) calls[from]!.push(["Send", at, at + 1, to, tag]);
    // Receives that got nothing were cancelled at the end.
    const transfers = posts.map((posted): Transfer => {
      const sent = pairs.find(([, one]) => one === posted)?.[0];
      calls[posted.rank]!.push(["Irecv", posted.at, posted.at + 1, posted.source, posted.tag]);
      return {
        rank: posted.rank,
        start: "Irecv",
        posted: posted.at + 1,
        wait: "Wait",
        completed: 5000 + whole(1000),
        waited: 1,
        peer: sent?.from ?? posted.source,
        tag: sent?.tag ?? posted.tag,
        receive: 1,
        outcome: sent ? 0 : 1,
      };
    });
    const store = await messageStore(calls, transfers);
    const found = (await messagesOf(store)).pairs;
    store.close();
    expect(found.toSorted()).toEqual(
      pairs
        .map(([{ from, at }, posted]) => `${from}@${at} > ${posted.rank}@${posted.at + 1}`)
        .toSorted(),
    );
    matched += pairs.length;
    wild += pairs.filter(([, { source, tag }]) => source === ANY || tag === ANY).length;
  }
  expect(matched).toBeGreaterThan(300);
  expect(wild).toBeGreaterThan(150);
});
