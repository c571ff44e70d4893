/** Bins [from, to) whose scores sum to `score`. */
export interface Segment {
  from: number;
  to: number;
  score: number;
}

/**
 * All maximal scoring segments, left to right: disjoint, none can grow or shrink to a higher score, and every stretch
 * of positive score lies in one. Ruzzo & Tompa, ISMB 1999, pp. 234-241.
 */
export function maximalSegments(scores: ArrayLike<number>): Segment[] {
  const list: (Segment & { left: number; right: number })[] = [];
  let sum = 0;
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i]!;
    if (score <= 0) {
      sum += score;
      continue;
    }
    const next = { from: i, to: i + 1, score, left: sum, right: sum + score };
    sum += score;
    for (;;) {
      let j = list.length - 1;
      while (j >= 0 && list[j]!.left >= next.left) j--;
      if (j < 0 || list[j]!.right >= next.right) break;
      const first = list[j]!;
      next.from = first.from;
      next.left = first.left;
      next.score = next.right - first.left;
      list.length = j;
    }
    list.push(next);
  }
  return list.map(({ from, to, score }) => ({ from, to, score }));
}

/** The highest sum of any run of consecutive scores, 0 if none is positive. */
export class RunningMaximum {
  private current = 0;
  best = 0;

  add(score: number): void {
    this.current = Math.max(0, this.current + score);
    if (this.current > this.best) this.best = this.current;
  }

  /** Starts another sequence; `best` stays. */
  restart(): void {
    this.current = 0;
  }
}
