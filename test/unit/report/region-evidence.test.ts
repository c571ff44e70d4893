import { expect, test } from "vitest";
import type { RegionEvidence } from "../../../src/report/model.ts";
import { evidenceInWords } from "../../../src/report/text/region-evidence.ts";

function probe(
  kind: RegionEvidence["kind"],
  verdict: RegionEvidence["verdict"],
  ratio: number | null = null,
  against: RegionEvidence["against"] = "self",
): RegionEvidence {
  return {
    source: "probes",
    kind,
    against,
    insideCount: 8,
    outsideCount: 24,
    ratio,
    ratioInterval: null,
    share: null,
    shareInterval: null,
    verdict,
  };
}

function kernel(kind: RegionEvidence["kind"], share: number | null): RegionEvidence {
  return { ...probe(kind, "counted"), source: "kernel", insideCount: null, share };
}

const CORE = "the core itself was slower: another hardware thread, a lower clock";
const LEFT = "the core itself was not slower; what is left is more work, waiting";

test.each<[string, RegionEvidence[], string[]]>([
  ["nothing was recorded", [], []],
  [
    "the core",
    [probe("compute", "slower", 1.5), probe("cache", "not_slower"), probe("memory", "slower", 1.6)],
    [
      `probes of the core took 1.50 times as long meanwhile (8 inside, 24 outside), those of memory 1.60 times, those of caches as long as elsewhere: ${CORE}`,
    ],
  ],
  [
    "the core, over the whole run",
    [probe("compute", "slower", 1.5, "others")],
    [`probes of the core took 1.50 times as long as on other ranks (8 inside, 24 there): ${CORE}`],
  ],
  [
    "memory alone",
    [
      probe("compute", "unknown", 1.1),
      probe("cache", "slower", 1.07),
      probe("memory", "slower", 1.62),
    ],
    [
      "probes of memory took 1.62 times as long meanwhile (8 inside, 24 outside), those of caches 1.07 times: caches and memory served this core more slowly: others that use the same, or where pages lie",
    ],
  ],
  [
    "none of them",
    ["compute", "cache", "memory"].map((kind) =>
      probe(kind as RegionEvidence["kind"], "not_slower"),
    ),
    [
      `probes of the core, caches and memory took as long as elsewhere (8 inside, 24 outside): ${LEFT} or what probes do not use`,
    ],
  ],
  [
    "not the core, as far as known",
    [probe("compute", "not_slower"), probe("memory", "unknown")],
    [
      `probes of the core took as long as elsewhere (8 inside, 24 outside): ${LEFT}, memory or what probes do not use`,
    ],
  ],
  [
    "memory was not, of the core nothing is known",
    [probe("compute", "unknown"), probe("memory", "not_slower")],
    [
      "probes of memory took as long as elsewhere (8 inside, 24 outside): whether the core was slower, probes do not tell",
    ],
  ],
  [
    "too few",
    [probe("compute", "unknown"), probe("memory", "unknown")],
    ["probes do not tell whether the core was slower (8 inside, 24 outside)"],
  ],
  [
    "none of them, and the kernel says why",
    [
      ...["compute", "cache", "memory"].map((kind) =>
        probe(kind as RegionEvidence["kind"], "not_slower"),
      ),
      kernel("run_delay", 1.06),
    ],
    [
      "probes of the core, caches and memory took as long as elsewhere (8 inside, 24 outside): the core itself was not slower, but it was not always to be had",
      "of the loss, by the kernel's account: waiting for a core 100 %",
    ],
  ],
  [
    "the kernel",
    [kernel("run_delay", 0.45), kernel("steal_time", 0.003), kernel("involuntary_switches", null)],
    [
      "of the loss, by the kernel's account: waiting for a core 45 %, time stolen by other virtual machines 0.3 %",
    ],
  ],
])("what is said where slower were: %s", (_, evidence, words) => {
  expect(evidenceInWords({ evidence })).toEqual(words);
});
