/** Ranks in words. */

/** Compact ranges of ascending ranks: "0-3,7"; a stride over three or more as "0-8:2". */
export function rankRanges(ranks: readonly number[]): string {
  const sorted = [...new Set(ranks)].toSorted((a, b) => a - b);
  const parts: string[] = [];
  for (let at = 0; at < sorted.length; ) {
    const end = endOfRun(sorted, at);
    const first = sorted[at] ?? 0;
    const last = sorted[end] ?? 0;
    const stride = end > at ? (last - first) / (end - at) : 1;
    if (end - at >= (stride === 1 ? 1 : 2)) {
      parts.push(stride === 1 ? `${first}-${last}` : `${first}-${last}:${stride}`);
      at = end + 1;
    } else {
      parts.push(String(first));
      at++;
    }
  }
  return parts.join(",");
}

/** Index of the last rank that follows `sorted[at]` in equal steps. */
function endOfRun(sorted: number[], at: number): number {
  const stride = (sorted[at + 1] ?? NaN) - (sorted[at] ?? 0);
  let end = at;
  while ((sorted[end + 1] ?? NaN) - (sorted[end] ?? 0) === stride) end++;
  return end;
}

/** "rank 1", "ranks 0-3,7", "all 16 ranks", "300 ranks (0-8:2,11,...)": short whatever their number. */
export function ranksInWords(ranks: readonly number[], worldSize: number, room = 40): string {
  if (ranks.length === 1) return `rank ${ranks[0] ?? ""}`;
  if (ranks.length === worldSize) return worldSize === 2 ? "both ranks" : `all ${worldSize} ranks`;
  const ranges = rankRanges(ranks);
  if (ranges.length <= room) return `ranks ${ranges}`;
  const shown = ranges.slice(0, ranges.lastIndexOf(",", room));
  return `${ranks.length} ranks (${shown},...)`;
}

/** Names, the first few of them, and how many more. */
export function namesInWords(names: readonly string[], most = 4): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
