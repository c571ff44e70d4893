/** Calls of a state that tell nothing about a loop: fewer. */
const LEAST_TURNS = 8;
/** States looked at: the most frequent. */
const MOST_STATES = 64;
/** Loops handed over. */
const MOST_LOOPS = 3;

/**
 * States that are called exactly once per iteration of a loop, one for each loop, those with most calls in all first. Two
 * states belong to one loop if between any two calls of the one there is exactly one of the other; branches that are
 * taken now and then, and loops inside, belong to none of it. What counts iterations must not depend on branches.
 *
 * @param sequence states in order of time, of one rank
 */
export function loopStates(sequence: ArrayLike<number>): number[] {
  const counts = new Map<number, number>();
  for (let i = 0; i < sequence.length; i++)
    counts.set(sequence[i]!, (counts.get(sequence[i]!) ?? 0) + 1);
  const states = [...counts]
    .filter(([, n]) => n >= LEAST_TURNS)
    .toSorted(([a, n], [b, m]) => m - n || a - b)
    .slice(0, MOST_STATES)
    .map(([state]) => state);
  const alternate = alternating(sequence, states);
  const loops: number[][] = [];
  for (const [i, state] of states.entries()) {
    const loop = loops.find(([first]) => alternate[states.indexOf(first!)]![i]);
    if (loop) loop.push(state);
    else loops.push([state]);
  }
  const calls = (loop: number[]): number => loop.reduce((sum, one) => sum + counts.get(one)!, 0);
  return loops
    .filter((loop) => loop.length > 1)
    .toSorted((a, b) => calls(b) - calls(a) || a[0]! - b[0]!)
    .slice(0, MOST_LOOPS)
    .map(([first]) => first!);
}

/** For each pair of states whether their calls take turns. */
function alternating(sequence: ArrayLike<number>, states: readonly number[]): boolean[][] {
  const number = new Map(states.map((state, i) => [state, i]));
  const alternate = states.map(() => states.map(() => true));
  const since = states.map(() => new Int32Array(states.length));
  const seen = states.map(() => false);
  for (let i = 0; i < sequence.length; i++) {
    const own = number.get(sequence[i]!);
    if (own === undefined) continue;
    for (let other = 0; other < states.length; other++) {
      if (other === own) continue;
      if (seen[own] && since[own]![other] !== 1) alternate[own]![other] = false;
      since[own]![other] = 0;
      since[other]![own]! += 1;
    }
    seen[own] = true;
  }
  return alternate.map((row, i) => row.map((is, j) => is && alternate[j]![i]!));
}
