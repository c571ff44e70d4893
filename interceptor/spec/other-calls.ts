import { SpecError } from "./parse.ts";
import { OTHER_CATEGORIES } from "./roles.ts";

/** A call as states name it. */
export interface NamedCall {
  name: string;
  category: string;
}

/**
 * Reads a list of calls outside MPI, one `name category` per line. Their wrappers are written by hand; the
 * list gives them numbers behind those of the MPI calls, and names and categories in traces.
 * @throws SpecError at the first row that cannot be right
 */
export function parseOtherCalls(text: string, file: string): NamedCall[] {
  const calls: NamedCall[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const row = raw.replace(/#.*/, "").trim();
    if (row === "") continue;
    const [name = "", category = "", ...more] = row.split(/\s+/);
    const fail = (message: string) => new SpecError(index + 1, message, file);
    if (more.length > 0 || category === "") throw fail("wants: call category");
    if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw fail(`odd call name ${name}`);
    if (!OTHER_CATEGORIES.includes(category)) throw fail(`unknown category ${category}`);
    if (calls.some((call) => call.name === name)) throw fail(`${name} comes twice`);
    calls.push({ name, category });
  }
  return calls;
}
