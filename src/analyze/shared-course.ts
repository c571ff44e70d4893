import { COMMON_STEP } from "./fit.ts";

/** A class as far as its common course over time matters. */
export interface Course {
  snippet: number;
  /** Time of all its fragments, ns. */
  totalNs: number;
  firstNs: number;
  blockNs: number;
  /** Log factor per block that its ranks share. */
  common: Float64Array;
}

const STEPS = 128;
/** A snippet counts with this share of all. */
const SUBSTANTIAL = 0.1;
/** Snippets slow in like proportion: logs of their factors no further apart. */
const ALIKE = Math.log(1.3);

/**
 * Takes out of each class's common course what all substantial snippets share at a time: when different
 * pieces of work on all ranks slow down in like proportion, the machine did it, not the program.
 * With only one substantial snippet nothing can be told and it stays the program's. A shared change over
 * half of the run or more stays, too: it is as likely a larger problem.
 */
export function takeOutShared(courses: Course[], wallNs: number): void {
  const all = courses.reduce((sum, course) => sum + course.totalNs, 0);
  const substantial = courses.filter((course) => course.totalNs >= SUBSTANTIAL * all);
  const step = wallNs / STEPS;
  const shared = Float64Array.from({ length: STEPS }, (_, i) =>
    sharedAt(substantial, (i + 0.5) * step),
  );
  if (shared.filter((value) => value > 0).length * 2 >= STEPS) return;
  for (const course of courses) {
    for (let t = 0; t < course.common.length; t++) {
      const middle = course.firstNs + (t + 0.5) * course.blockNs;
      const at = Math.min(STEPS - 1, Math.max(0, Math.floor(middle / step)));
      course.common[t] = Math.max(0, course.common[t]! - shared[at]!);
    }
  }
}

function sharedAt(substantial: Course[], time: number): number {
  const values: number[] = [];
  const snippets = new Set<number>();
  for (const course of substantial) {
    const block = Math.floor((time - course.firstNs) / course.blockNs);
    if (block < 0 || block >= course.common.length) continue;
    values.push(course.common[block]!);
    snippets.add(course.snippet);
  }
  if (snippets.size < 2) return 0;
  const low = Math.min(...values);
  return low > COMMON_STEP && Math.max(...values) - low < ALIKE ? low : 0;
}
