import { readColumns } from "../../../src/analyze/columns.ts";
import type { Store } from "../../../src/trace/store.ts";
import { upTo } from "../row.ts";

/** Stretches of the undisturbed part whose median is the usual pace: some must lie between the machine's own disturbances. */
const STRETCHES = 40;

/**
 * Seconds that a rank fell behind its usual pace in [fromNs, toNs): what the interval took, less what so many turns of its main loop take
 * outside of it (median over stretches). Turns are counted by the calls that come once per turn. Knows nothing of
 * classes and references. Undefined where too little is outside.
 */
export async function fellBehind(
  store: Store,
  rank: number,
  fromNs: number,
  toNs: number,
): Promise<number | undefined> {
  const [starts] = await readColumns(
    store,
    `WITH own AS (SELECT start_ns, state FROM calls WHERE rank = ${rank} AND thread = 0),
          counts AS (SELECT state, count(*) AS n FROM own GROUP BY state)
     SELECT start_ns::DOUBLE FROM own
      WHERE state = (SELECT state FROM counts ORDER BY n DESC, state LIMIT 1) ORDER BY start_ns`,
  );
  return behind(starts!, fromNs, toNs);
}

/** The same from the times of turns, ns. */
export function behind(turns: ArrayLike<number>, fromNs: number, toNs: number): number | undefined {
  const all = Array.from(turns);
  const before = all.filter((time) => time < fromNs);
  const after = all.filter((time) => time >= toNs);
  const inside = all.length - before.length - after.length;
  const size = Math.floor((before.length + after.length) / STRETCHES);
  if (size < 2) return undefined;
  const stretches = [before, after].flatMap((side) =>
    Array.from(
      { length: Math.floor((side.length - 1) / size) },
      (_, i) => (side[(i + 1) * size]! - side[i * size]!) / size,
    ),
  );
  return (toNs - fromNs - inside * upTo(stretches, 0.5)) / 1e9;
}
