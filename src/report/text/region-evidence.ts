import type { Region, RegionEvidence } from "../model.ts";
import { formatPercent, threeDigits } from "./numbers.ts";

/** What probes use, in words. */
const USES: Readonly<Record<string, string>> = {
  compute: "the core",
  cache: "caches",
  memory: "memory",
};
/** Counters of the kernel that make up a share of a loss, in words. */
const MAKES_UP: Readonly<Record<string, string>> = {
  run_delay: "waiting for a core",
  steal_time: "time stolen by other virtual machines",
};

/** From this share of a loss on, not having the core is what it was. */
const EXPLAINS = 0.5;

/** Sentences on what the probes and the kernel say of a region; none where nothing was measured. */
export function evidenceInWords({ evidence }: Pick<Region, "evidence">): string[] {
  const probes = evidence.filter(({ source }) => source === "probes");
  const kernel = evidence.filter(({ kind, share }) => kind in MAKES_UP && share !== null);
  const lacked = kernel.some(({ share }) => share! >= EXPLAINS);
  return [...probesInWords(probes, lacked), ...kernelInWords(kernel)];
}

/** @param lacked the kernel says that the ranks did not have their cores */
function probesInWords(probes: readonly RegionEvidence[], lacked: boolean): string[] {
  if (probes.length === 0) return [];
  const having = (verdict: RegionEvidence["verdict"]) =>
    probes.filter((one) => one.verdict === verdict);
  const [slower, same] = [having("slower"), having("not_slower")];
  if (slower.length > 0) return [slowerInWords(slower, same)];
  if (same.length > 0)
    return [
      `probes of ${names(same)} took ${asLong(same[0]!)} ${counts(same[0]!)}: ${not(same, lacked)}`,
    ];
  return [`probes do not tell whether the core was slower ${counts(probes[0]!)}`];
}

/** The core first, then what was slowed most. */
function weight({ kind, ratio }: RegionEvidence): number {
  return kind === "compute" ? Infinity : (ratio ?? 0);
}

function times({ ratio }: RegionEvidence): string {
  return `${threeDigits(ratio ?? 1)} times`;
}

function slowerInWords(slower: readonly RegionEvidence[], same: readonly RegionEvidence[]): string {
  const [most, ...others] = slower.toSorted((a, b) => weight(b) - weight(a)) as [RegionEvidence];
  const where = most.against === "self" ? "meanwhile" : "as on other ranks";
  const rest = others.map((one) => `, those of ${names([one])} ${times(one)}`).join("");
  const alike = same.length > 0 ? `, those of ${names(same)} ${asLong(same[0]!)}` : "";
  return `probes of ${names([most])} took ${times(most)} as long ${where} ${counts(most)}${rest}${alike}: ${meaning(slower)}`;
}

function meaning(slower: readonly RegionEvidence[]): string {
  if (slower.some(({ kind }) => kind === "compute"))
    return "the core itself was slower: another hardware thread, a lower clock";
  return `${names(slower)} served this core more slowly: others that use the same, or where pages lie`;
}

/** What is left where these were not slower. */
function not(same: readonly RegionEvidence[], lacked: boolean): string {
  const kinds = new Set(same.map(({ kind }) => kind));
  if (!kinds.has("compute")) return "whether the core was slower, probes do not tell";
  if (lacked) return "the core itself was not slower, but it was not always to be had";
  const left = ["more work", "waiting"];
  if (!kinds.has("memory")) left.push("memory");
  return `the core itself was not slower; what is left is ${left.join(", ")} or what probes do not use`;
}

function names(probes: readonly RegionEvidence[]): string {
  const all = probes.map(({ kind }) => USES[kind] ?? kind);
  return [all.slice(0, -1).join(", "), ...all.slice(-1)]
    .filter((part) => part !== "")
    .join(" and ");
}

function asLong({ against }: RegionEvidence): string {
  return against === "self" ? "as long as elsewhere" : "as long as on other ranks";
}

function counts({ insideCount, outsideCount, against }: RegionEvidence): string {
  const where = against === "self" ? "outside" : "there";
  return `(${insideCount ?? 0} inside, ${outsideCount ?? 0} ${where})`;
}

function kernelInWords(kernel: readonly RegionEvidence[]): string[] {
  if (kernel.length === 0) return [];
  const parts = kernel.map(
    ({ kind, share }) => `${MAKES_UP[kind]} ${formatPercent(100 * Math.min(1, share ?? 0))}`,
  );
  return [`of the loss, by the kernel's account: ${parts.join(", ")}`];
}
