/**
 * JSON that people can read and tools can diff: objects are indented, lists of plain values stay on one
 * line (a heat map has a row per rank and a thousand values in it).
 */
export function formatJson(value: unknown): string {
  return `${format(value, "")}\n`;
}

function format(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    if (items.every((item) => typeof item !== "object" || item === null)) {
      return JSON.stringify(items);
    }
    return list(
      "[",
      items.map((item) => format(item, deeper)),
      "]",
      indent,
    );
  }
  const fields = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${format(item, deeper)}`,
  );
  return fields.length === 0 ? "{}" : list("{", fields, "}", indent);
}

function list(open: string, items: string[], end: string, indent: string): string {
  return `${open}\n${items.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}${end}`;
}
