/** Ranks in words: "rank 3", "ranks 0-2, 5". `ranks` are in rising order. */
export function nameRanks(ranks: readonly number[]): string {
  const runs: string[] = [];
  for (let i = 0; i < ranks.length; ) {
    let last = i;
    while (ranks[last + 1] === ranks[last]! + 1) last++;
    runs.push(last === i ? `${ranks[i]}` : `${ranks[i]}-${ranks[last]}`);
    i = last + 1;
  }
  const shown = runs.length > 12 ? [...runs.slice(0, 12), `${runs.length - 12} more`] : runs;
  return `${ranks.length === 1 ? "rank" : "ranks"} ${shown.join(", ")}`;
}
