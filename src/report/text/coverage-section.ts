import type { Quality } from "../model.ts";
import { formatPercent, roundToSum, formatCount } from "./numbers.ts";
import { layoutTable } from "./table.ts";

type Part = keyof Quality["coverage"]["parts"];

/** Order and words of the ledger's parts. */
const PARTS: readonly [Part, string][] = [
  ["vsensor", "judged by v-sensors"],
  ["waiting", "waiting for other ranks"],
  ["varyingWork", "work that varies"],
  ["tooFewRepeats", "too few repeats"],
  ["sampledOut", "sampled out"],
  ["tool", "varscope itself"],
  ["untraced", "not traced"],
];

/** The ledger: where rank-time went, as parts that add up to all of it in both columns. */
export function coverageSection(quality: Quality, width: number): string[] {
  const { totalRankSeconds, parts, percent } = quality.coverage;
  if (totalRankSeconds <= 0) return ["Coverage: no time was recorded"];
  const decimals = totalRankSeconds < 10 ? 3 : totalRankSeconds < 1000 ? 1 : 0;
  const values = PARTS.map(([part]) => parts[part]);
  const seconds = roundToSum(values, 10 ** -decimals);
  const shares = roundToSum(
    values.map((value) => (100 * value) / totalRankSeconds),
    0.1,
  );
  const rows = PARTS.map(([, words], at) => [
    words,
    `${withThousands(seconds[at] ?? 0, decimals)} s`,
    `${(shares[at] ?? 0).toFixed(1)} %`,
  ]);
  const sum = seconds.reduce((total, part) => total + part, 0);
  const shareSum = shares.reduce((total, part) => total + part, 0);
  rows.push(["total", `${withThousands(sum, decimals)} s`, `${shareSum.toFixed(1)} %`]);
  const columns = [{ title: "" }, { title: "", right: true }, { title: "", right: true }];
  return [
    `Coverage: v-sensors judge ${formatPercent(percent)} of rank-time`,
    ...layoutTable(columns, rows, width),
  ];
}

function withThousands(value: number, decimals: number): string {
  const [whole = "0", fraction] = value.toFixed(decimals).split(".");
  const grouped = formatCount(Number(whole));
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
