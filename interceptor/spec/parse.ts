import { CATEGORIES, type FortranRead, ROLES, type Role, RULES } from "./roles.ts";

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
  /** A large-count form: MPI_Send_c, in Fortran mpi_send_f08_large_. */
  large: boolean;
}

/** A mistake in the table, with its line. */
export class SpecError extends Error {
  constructor(line: number, message: string, file = "mpi-calls.txt") {
    super(`${file}:${line}: ${message}`);
    this.name = "SpecError";
  }
}

/**
 * Reads the table of calls, and adds the large-count form of every call that has counts.
 * @throws SpecError at the first row that cannot be right
 */
export function parseCalls(text: string): Call[] {
  const calls: Call[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const row = raw.replace(/#.*/, "").trim();
    if (row === "") continue;
    calls.push(parseRow(row.split(/\s+/), index + 1, calls));
  }
  const large = calls.filter((call) => call.arguments.some(({ role }) => role.large !== undefined));
  return [...calls, ...large.map((call, index) => largeForm(call, calls.length + index))];
}

function parseRow(words: string[], line: number, before: readonly Call[]): Call {
  const [name, category, work, ...roles] = words;
  if (!name || !category || !work) throw new SpecError(line, "wants: call category work roles...");
  if (!/^MPI_[A-Z][a-z_]*$/.test(name)) throw new SpecError(line, `odd call name ${name}`);
  if (before.some((call) => call.name === name)) throw new SpecError(line, `${name} comes twice`);
  if (!CATEGORIES.includes(category)) throw new SpecError(line, `unknown category ${category}`);
  const needed = RULES[work];
  if (!needed) throw new SpecError(line, `unknown work ${work}`);
  for (const role of [...needed, ...(NEEDED[work] ?? [])]) {
    if (roles.filter((other) => role.split("|").includes(other)).length !== 1) {
      throw new SpecError(line, `work ${work} needs the role ${role} just once`);
    }
  }
  const parsed = parseRoles(roles, line);
  return { name, number: before.length, category, work, arguments: parsed, large: false };
}

/** Roles that a rule with code of its own needs; one of several stands as a|b. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  free: ["freecomm|freewin|freefile"],
  free_request: ["freerequest"],
  create: ["comm", "newcomm"],
  create_alone: ["newcomm"],
  idup: ["comm", "newcomm"],
  window: ["comm", "newwin"],
  open: ["comm", "newfile"],
};

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

function largeForm(call: Call, number: number): Call {
  return {
    ...call,
    name: `${call.name}_c`,
    number,
    large: true,
    arguments: call.arguments.map((one) => ({ ...one, role: largeRole(one.role) })),
  };
}

function largeRole(role: Role): Role {
  if (role.large === undefined) return role;
  const fortran: FortranRead = role.fortran === "integer" ? "count" : role.fortran;
  return { ...role, c: role.large, fortran };
}

/** The argument with this role, if the call has one. */
export function argument(call: Call, roleName: string): Argument | undefined {
  return call.arguments.find((candidate) => candidate.roleName === roleName);
}
