/** First line of every generated C file. */
export const NOTICE =
  "/* Generated from interceptor/spec/mpi-calls.txt; changes here are lost. */\n";

/** `prefix`0, `prefix`1, ...: `count` names. */
export function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}
