import type { BlockMeans } from "./block-means.ts";
import { quantile } from "./statistics.ts";

/** Blocks on each side that are looked at together: a disturbance lasts. */
const AROUND = 3;

/**
 * Where a block of a rank has more of an upper mode than it should, the surplus are fragments of the mode
 * below, slowed into its range. Returns, per rank and block, the factor (at most 1) by which the upper
 * mode's reference must be multiplied so that the surplus is judged by the lower mode's reference.
 *
 * @param below all fragments of the modes up to the lower one
 * @param upper those of the upper mode
 */
export function surplusFactors(
  below: BlockMeans,
  upper: BlockMeans,
  lowerReference: Float64Array,
  upperReference: Float64Array,
): Float64Array {
  const { ranks, blocks } = upper;
  const out = new Float64Array(ranks * blocks).fill(1);
  const usual = Array.from({ length: ranks }, (_, r) => usualShare(below, upper, r));
  const common = Float64Array.from({ length: blocks }, (_, t) => commonShare(below, upper, t));
  for (let r = 0; r < ranks; r++) {
    for (let t = 0; t < blocks; t++) {
      const i = r * blocks + t;
      const p = Math.max(usual[r]!, common[t]!);
      const k = upper.n[i]!;
      const expected = p * (below.n[i]! + k);
      if (k <= 1.5 * expected || !isSurplus(below, upper, r, t, p)) continue;
      const ratio = lowerReference[r]! / upperReference[r]!;
      out[i] = (expected + (k - expected) * ratio) / k;
    }
  }
  return out;
}

/** Whether the blocks around one have more of the upper mode than chance (3 sigma) makes of share `p`. */
function isSurplus(
  below: BlockMeans,
  upper: BlockMeans,
  rank: number,
  block: number,
  p: number,
): boolean {
  let k = 0;
  let n = 0;
  const from = rank * upper.blocks + Math.max(0, block - AROUND);
  const to = rank * upper.blocks + Math.min(upper.blocks, block + AROUND + 1);
  for (let i = from; i < to; i++) {
    k += upper.n[i]!;
    n += below.n[i]! + upper.n[i]!;
  }
  const expected = n * p;
  return k > 1.5 * expected && k - expected > 2 + 3 * Math.sqrt(expected * (1 - p));
}

/** Share of the upper mode on a rank in a typical block. */
function usualShare(below: BlockMeans, upper: BlockMeans, rank: number): number {
  let all = 0;
  let above = 0;
  const from = rank * upper.blocks;
  const shares: number[] = [];
  for (let i = from; i < from + upper.blocks; i++) {
    const n = below.n[i]! + upper.n[i]!;
    if (n === 0) continue;
    all += n;
    above += upper.n[i]!;
    shares.push(upper.n[i]! / n);
  }
  const mean = all > 0 ? above / all : 0;
  return Math.min(mean, Math.max(quantile(shares, 0.5), mean / 2));
}

/** Share of the upper mode in a block that three quarters of the ranks reach: a phase of the program. */
function commonShare(below: BlockMeans, upper: BlockMeans, block: number): number {
  const shares: number[] = [];
  for (let i = block; i < upper.n.length; i += upper.blocks) {
    const n = below.n[i]! + upper.n[i]!;
    if (n > 0) shares.push(upper.n[i]! / n);
  }
  if (shares.length < 2) return 0;
  return shares.toSorted((a, b) => a - b)[Math.floor((shares.length - 1) / 4)]!;
}
