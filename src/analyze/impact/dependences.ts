/** Lists of numbers, one per call: those of call `i` are items[offsets[i]] up to items[offsets[i + 1]]. */
export interface Lists {
  offsets: Int32Array;
  items: Int32Array;
}

/**
 * What waits for what in a run. Lanes are threads of ranks. A call ends when its own work is done after it has begun and after all
 * groups that it waits for are complete; a group is complete when the last of its sources has begun. A message is a group with one source,
 * the send, and one call that waits for it; a barrier is one whose members are all both.
 */
export interface Dependences {
  /** First call of each lane, and the number of calls: calls of a lane lie together, in order of time. */
  laneStarts: Int32Array;
  /** When the lane began and ended, ns. */
  laneBegins: Float64Array;
  laneEnds: Float64Array;
  /** Per call, ns. */
  enter: Float64Array;
  exit: Float64Array;
  /** Per call: groups that it is a source of, and groups that it waits for. */
  sourceOf: Lists;
  waitsFor: Lists;
  groups: number;
}

/** Rows (call, group) as lists; each list in the order of its rows. */
export function listsOf(calls: number, call: ArrayLike<number>, group: ArrayLike<number>): Lists {
  const offsets = new Int32Array(calls + 1);
  for (let i = 0; i < call.length; i++) offsets[call[i]! + 1]! += 1;
  for (let i = 0; i < calls; i++) offsets[i + 1]! += offsets[i]!;
  const next = offsets.slice(0, calls);
  const items = new Int32Array(call.length);
  for (let i = 0; i < call.length; i++) items[next[call[i]!]!++] = group[i]!;
  return { offsets, items };
}

/** When each group was complete as measured, ns; -Infinity without sources. */
export function completions({ sourceOf, enter, groups }: Dependences): Float64Array {
  const complete = new Float64Array(groups).fill(Number.NEGATIVE_INFINITY);
  for (let call = 0; call < enter.length; call++) {
    for (let k = sourceOf.offsets[call]!; k < sourceOf.offsets[call + 1]!; k++) {
      const group = sourceOf.items[k]!;
      if (enter[call]! > complete[group]!) complete[group] = enter[call]!;
    }
  }
  return complete;
}
