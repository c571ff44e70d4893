/** Durations (logs) of one rank, or of anything else that is compared with itself, in two groups. */
export interface Stratum {
  inside: ArrayLike<number>;
  outside: ArrayLike<number>;
}

/** How much longer (log) things took inside than outside. */
export interface Shift {
  /** Median of all differences between one inside and one outside (Hodges & Lehmann, Ann. Math. Statist. 34, 1963). */
  shift: number;
  /** Limits, each of which the shift passes with no more than the chance asked for; infinite if there are too few. */
  low: number;
  high: number;
}

/** Up to so many pairs the distribution is computed, beyond it the normal one is close enough. */
const EXACT_PAIRS = 2000;

/**
 * Exact confidence limits of a shift from ranks alone (Mann & Whitney, Ann. Math. Statist. 18, 1947), whatever the
 * distribution of the times and however heavy its tail. Only members of the same stratum are compared; the count of
 * pairs in order is summed over strata. Equal values count against either limit.
 *
 * @param chance that a limit is passed, for each of the two
 * @returns undefined if no stratum has values in both groups
 */
export function shiftOf(strata: readonly Stratum[], chance: number): Shift | undefined {
  const both = strata.filter(({ inside, outside }) => inside.length > 0 && outside.length > 0);
  const pairs = both.reduce((sum, one) => sum + one.inside.length * one.outside.length, 0);
  if (pairs === 0) return undefined;
  const differences = new Float64Array(pairs);
  let n = 0;
  for (const { inside, outside } of both)
    for (let i = 0; i < inside.length; i++)
      for (let j = 0; j < outside.length; j++) differences[n++] = inside[i]! - outside[j]!;
  differences.sort();
  const sizes = both.map(({ inside, outside }): [number, number] => [
    inside.length,
    outside.length,
  ]);
  const rank = pairs <= EXACT_PAIRS ? exactRank(sizes, chance) : normalRank(sizes, chance);
  return {
    shift: (differences[(pairs - 1) >> 1]! + differences[pairs >> 1]!) / 2,
    low: rank > 0 ? differences[rank - 1]! : -Infinity,
    high: rank > 0 ? differences[pairs - rank]! : Infinity,
  };
}

/** Largest k for which fewer than k pairs are in order with no more than this chance if nothing differs; 0 if there is none. */
function exactRank(sizes: readonly [number, number][], chance: number): number {
  let all: Float64Array = Float64Array.of(1);
  for (const [m, n] of sizes) all = convolve(all, countDistribution(m, n));
  let below = 0;
  let k = 0;
  while (k < all.length && below + all[k]! <= chance) below += all[k++]!;
  return k;
}

function normalRank(sizes: readonly [number, number][], chance: number): number {
  const sum = (of: (m: number, n: number) => number) =>
    sizes.reduce((all, [m, n]) => all + of(m, n), 0);
  const middle = sum((m, n) => (m * n) / 2);
  const sigma = Math.sqrt(sum((m, n) => (m * n * (m + n + 1)) / 12));
  return Math.max(0, Math.floor(middle - normalReach(chance) * sigma));
}

/** So many standard deviations a normal value falls short of its mean by with this chance (< 0.5), by bisection. */
function normalReach(chance: number): number {
  let [low, high] = [0, 40];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (tail(middle) > chance) low = middle;
    else high = middle;
  }
  return high;
}

/** Chance of a normal value above z >= 0, by Simpson's rule. */
function tail(z: number): number {
  const steps = 2000;
  const h = 12 / steps;
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
    sum += weight * Math.exp(-((z + i * h) ** 2) / 2);
  }
  return (sum * h) / 3 / Math.sqrt(2 * Math.PI);
}

/**
 * Distribution of the count of pairs in order between m and n values of the same kind. Of all values the largest is one of
 * the m with chance m / (m + n), and then in order with all n.
 */
function countDistribution(m: number, n: number): Float64Array {
  let rows: Float64Array[] = Array.from({ length: n + 1 }, () => Float64Array.of(1));
  for (let i = 1; i <= m; i++) {
    const next: Float64Array[] = [Float64Array.of(1)];
    for (let j = 1; j <= n; j++) {
      const own = new Float64Array(i * j + 1);
      const [fewer, shorter] = [rows[j]!, next[j - 1]!];
      for (const [u, p] of fewer.entries()) own[u + j]! += (p * i) / (i + j);
      for (const [u, p] of shorter.entries()) own[u]! += (p * j) / (i + j);
      next.push(own);
    }
    rows = next;
  }
  return rows[n]!;
}

function convolve(a: Float64Array, b: Float64Array): Float64Array {
  const out = new Float64Array(a.length + b.length - 1);
  for (const [i, p] of a.entries()) for (const [j, q] of b.entries()) out[i + j]! += p * q;
  return out;
}
