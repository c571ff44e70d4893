/** Distinct names in the order people count them: node2 before node10. */
export function hostNames(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
}
