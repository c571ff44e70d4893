import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { judge, makeSample } from "./support/damaged.ts";
import { Random } from "./support/random.ts";

const folder = mkdtempSync(join(tmpdir(), "varscope-damage-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const finished = makeSample(folder, true);
const killed = makeSample(folder, false);
const samples = [
  ["finished", finished],
  ["killed", killed],
] as const;

test("sound copies are no damage", () => {
  for (const [, sample] of samples) {
    const { faults, lines, calls } = judge(folder, sample.bytes, sample);
    expect({ faults, lines, calls: calls.length }).toEqual({ faults: [], lines: [], calls: 600 });
  }
});

describe("files cut short", () => {
  test.each(samples)("%s process, at every kind of place", (_, sample) => {
    const { bytes, blocks, committed } = sample;
    const places = [0, 1, 7, 8, 50, 95, 4095, 4096, committed - 1];
    for (const { at, length } of blocks) places.push(at, at + 1, at + 39, at + 40, at + length - 1);
    const verdicts = places
      .filter((place) => place < committed)
      .map((place) => {
        const { faults, lines, calls } = judge(folder, bytes.subarray(0, place), sample);
        // Records sealed before the cut, if what is needed to understand them comes before it, too.
        const whole = blocks.filter((block) => block.at + block.length <= place);
        const readable = whole.some(({ type }) => type === 5);
        const sealed = readable ? whole.reduce((sum, block) => sum + recordsOf(block), 0) : 0;
        return { place, faults, silent: lines.length === 0, short: calls.length < sealed };
      });
    const wrong = verdicts.filter(
      ({ faults, silent, short }) => faults.length > 0 || silent || short,
    );
    expect(wrong).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(100);
  });
});

const recordsOf = (block: { type: number; records: number }): number =>
  block.type === 6 ? block.records : 0;

describe("flipped bits", () => {
  // The interceptor's own cost is the one thing in a finished file that nothing protects.
  const costs = { toolNs: 0, callCostNs: 0 };
  const original = { ...finished.whole.reader.description, ...costs };

  test("in a finished file: 400 seeds", () => {
    let silent = 0;
    for (let seed = 0; seed < 400; seed++) {
      const random = new Random(seed);
      const copy = Buffer.from(finished.bytes);
      for (let flips = 1 + random.below(3); flips > 0; flips--) {
        const area = random.pick([96, 4096 + 1500, copy.length]);
        copy[random.below(area)]! ^= 1 << random.below(8);
      }
      const { faults, lines, decoded } = judge(folder, copy, finished);
      expect({ seed, faults }).toEqual({ seed, faults: [] });
      const description = decoded && { ...decoded.reader.description, ...costs };
      const changed = JSON.stringify(plain(description)) !== JSON.stringify(plain(original));
      // Nothing is said only where nothing changed: padding, slots that do not count any more.
      expect({ seed, lie: lines.length === 0 && changed }).toEqual({ seed, lie: false });
      if (lines.length === 0) silent++;
    }
    expect(silent).toBeLessThan(200);
  });

  test("in the file of a killed process: 200 seeds", () => {
    // Slots of unsealed records have no checksum: damage in them cannot be seen.
    const checked = killed.blocks.filter(({ type }) => type !== 7);
    for (let seed = 0; seed < 200; seed++) {
      const random = new Random(seed);
      const copy = Buffer.from(killed.bytes);
      const { at, length } = random.pick(checked);
      copy[at + random.below(length)]! ^= 1 << random.below(8);
      copy[killed.committed + random.below(64)]! ^= 0xff;
      expect({ seed, ...judge(folder, copy, killed) }).toMatchObject({ seed, faults: [] });
    }
  });
});

const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (_, item: unknown) =>
      typeof item === "bigint" ? `${item}n` : item,
    ),
  );

describe("one damaged block costs that block only", () => {
  test.each(samples)("%s process: head or payload, whichever block", (_, sample) => {
    const { bytes, whole } = sample;
    const fragments = sample.blocks.filter(({ type }) => type === 6);
    const verdicts = fragments.flatMap(({ at, length, thread, records }) => {
      const isLast = !fragments.some((other) => other.at > at && other.thread === thread);
      return [0, 4, 8, 20, 45, length - 8].map((offset) => {
        const copy = Buffer.from(bytes);
        copy[at + offset]! ^= 0x40;
        const { faults, lines, calls } = judge(folder, copy, sample);
        const missing = whole.calls.length - calls.length;
        return {
          at,
          offset,
          faults,
          named: lines.some((line) => line.includes(`at byte ${at} `)),
          // One more can be doubtful: without the block's count, the last unsealed record. And what
          // the last block of a thread held still stands in the slots that it was packed from.
          fair: missing <= records + 1 && (isLast || missing >= records),
        };
      });
    });
    expect(
      verdicts.filter(({ faults, named, fair }) => faults.length > 0 || !named || !fair),
    ).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(40);
  });
});
