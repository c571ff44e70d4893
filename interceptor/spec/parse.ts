import { CATEGORIES, ROLES, RULES, type Role } from "./roles.ts";

export interface Argument {
  /** Parameter name in generated code: the role, with a number where a role comes again. */
  name: string;
  roleName: string;
  role: Role;
}

export interface Call {
  /** As in the MPI standard's C binding. */
  name: string;
  /** Call number: position in the table. */
  number: number;
  category: string;
  work: string;
  arguments: Argument[];
}

/** A mistake in the table, with its line. */
export class SpecError extends Error {
  constructor(line: number, message: string) {
    super(`mpi-calls.txt:${line}: ${message}`);
    this.name = "SpecError";
  }
}

/**
 * Reads the table of calls.
 * @throws SpecError at the first row that cannot be right
 */
export function parseCalls(text: string): Call[] {
  const calls: Call[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const row = raw.replace(/#.*/, "").trim();
    if (row === "") continue;
    calls.push(parseRow(row.split(/\s+/), index + 1, calls));
  }
  return calls;
}

function parseRow(words: string[], line: number, before: readonly Call[]): Call {
  const [name, category, work, ...roles] = words;
  if (!name || !category || !work) throw new SpecError(line, "wants: call category work roles...");
  if (!/^MPI_[A-Z][a-z_]*$/.test(name)) throw new SpecError(line, `odd call name ${name}`);
  if (before.some((call) => call.name === name)) throw new SpecError(line, `${name} comes twice`);
  if (!CATEGORIES.includes(category)) throw new SpecError(line, `unknown category ${category}`);
  const needed = RULES[work];
  if (!needed) throw new SpecError(line, `unknown work ${work}`);
  for (const role of [...needed, ...neededByStatement(work)]) {
    if (roles.filter((other) => other === role).length !== 1) {
      throw new SpecError(line, `work ${work} needs the role ${role} just once`);
    }
  }
  return { name, number: before.length, category, work, arguments: parseRoles(roles, line) };
}

function neededByStatement(work: string): string[] {
  if (work === "free") return ["freecomm"];
  if (work === "create" || work === "idup") return ["comm", "newcomm"];
  return [];
}

function parseRoles(roles: string[], line: number): Argument[] {
  return roles.map((roleName, position) => {
    const role = ROLES[roleName];
    if (!role) throw new SpecError(line, `unknown role ${roleName}`);
    const earlier = roles.slice(0, position).filter((other) => other === roleName).length;
    const parameter = roleName === "int" ? "value" : roleName === "ints" ? "values" : roleName;
    const name = earlier === 0 ? parameter : `${parameter}${earlier + 1}`;
    return { name, roleName, role };
  });
}

/** The argument with this role, if the call has one. */
export function argument(call: Call, roleName: string): Argument | undefined {
  return call.arguments.find((candidate) => candidate.roleName === roleName);
}
