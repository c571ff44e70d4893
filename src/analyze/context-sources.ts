/**
 * What can tell one work from another at one place beside its work vector. All evidence has this one form: a number
 * per fragment, made from its call `c`, the call before it `p` and the call after it `s` (rows like `works`; `p` and
 * `s` may be missing), `position`, the calls since the last start of a period, and `turn`, the iteration modulo a period.
 */
export interface ContextSource {
  /** As it appears in work_classes.basis. */
  name: string;
  kinds: readonly ("compute" | "io")[];
  /** The number; NULL where it is not known. Without it a column that is added: see withInstructions, withTurns. */
  sql?: string;
  /** An amount: time may grow with it. Else a name: equal or not. */
  amount: boolean;
}

const BOTH = ["compute", "io"] as const;

/** In the order in which they are preferred where they tell the same. */
export const CONTEXT_SOURCES: readonly ContextSource[] = [
  { name: "instructions", kinds: ["compute"], amount: true },
  { name: "tag", kinds: BOTH, sql: "nullif(c.tag, -1)", amount: true },
  { name: "requests", kinds: ["compute"], sql: "c.requests", amount: true },
  { name: "completed", kinds: BOTH, sql: "c.completed", amount: true },
  { name: "tag before", kinds: ["compute"], sql: "nullif(p.tag, -1)", amount: true },
  { name: "completed before", kinds: ["compute"], sql: "p.completed", amount: true },
  { name: "bytes after", kinds: BOTH, sql: "s.bytes", amount: true },
  {
    // Neighbours in a grid: which direction, seen from this rank.
    name: "partner",
    kinds: ["compute"],
    sql: "if(c.peer >= 0, c.peer - c.rank, c.peer)",
    amount: false,
  },
  { name: "file", kinds: ["io"], sql: "c.file", amount: false },
  { name: "edge before", kinds: BOTH, sql: "p.edge", amount: false },
  { name: "edge after", kinds: BOTH, sql: "s.edge", amount: false },
  { name: "position", kinds: BOTH, sql: "position", amount: false },
  { name: "turn", kinds: BOTH, amount: false },
];

/** What stands for a number that is not known. */
export const UNKNOWN_VALUE = -(2 ** 40);

/**
 * Columns v0, v1, ...: the numbers of all sources that are in the calls.
 *
 * @param position SQL for the source of that name
 */
export function sourceColumns(position: string): string {
  return CONTEXT_SOURCES.flatMap(({ sql }, i) => {
    if (sql === undefined) return [];
    return [`coalesce(${sql === "position" ? position : sql}, ${UNKNOWN_VALUE})::DOUBLE AS v${i}`];
  }).join(", ");
}

/** Those that are added. */
export const INSTRUCTIONS = CONTEXT_SOURCES.findIndex(({ name }) => name === "instructions");
export const TURN = CONTEXT_SOURCES.findIndex(({ name }) => name === "turn");
