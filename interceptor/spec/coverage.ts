import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LocalCall } from "./local.ts";
import type { Call } from "./parse.ts";
import { RULES } from "./roles.ts";

/** MPI functions that programs call: by lower-case name, the files that do. */
type Users = ReadonlyMap<string, readonly string[]>;

/** Which programs of a folder call which MPI functions, by their text: NAME( after C or Fortran rules. */
export function usersIn(folder: string): Users {
  const users = new Map<string, string[]>();
  for (const file of readdirSync(folder).toSorted()) {
    if (!/\.(c|cpp|F90|py)$/.test(file)) continue;
    const text = readFileSync(join(folder, file), "utf8").toLowerCase();
    for (const name of new Set(text.match(/\bmpi_\w+(?=\s*\()/g))) {
      const files = users.get(name) ?? [];
      users.set(name, [...files, file]);
    }
  }
  return users;
}

interface Sources {
  calls: readonly Call[];
  local: readonly LocalCall[];
  /** Names that each MPI's header declares. */
  headers: ReadonlyMap<string, ReadonlySet<string>>;
  users: Users;
}

/** mpi-coverage.md: every MPI function, what is recorded of it, and the programs that test it. */
export function emitCoverage({ calls, local, headers, users }: Sources): string {
  const mpis = [...headers.keys()];
  const has = (name: string): string =>
    mpis.map((mpi) => (headers.get(mpi)?.has(name) ? "yes" : "no")).join(" | ");
  const recorded = calls.map((call) => {
    const tests = testsOf(call, users).join(" | ");
    return `| ${call.name} | ${call.category} | ${keyOf(call)} | ${has(call.name)} | ${tests} |`;
  });
  const passed = local.map(({ name, group }) => `| ${name} | ${group} | ${has(name)} |`);
  const columns = mpis.map((mpi) => ` ${mpi} |`).join("");
  const rules = mpis.map(() => " --- |").join("");
  const tested = calls.filter((call) => testsOf(call, users).some((files) => files !== "")).length;
  return `# MPI coverage

Generated when the interceptor is built; docs/mpi-coverage.md explains the columns.

${calls.length} functions are recorded; programs of test/integration/mpi call ${tested} of them by name.
${local.length} local functions pass through.

## Recorded

| function | category | key |${columns} C | Fortran |
| --- | --- | --- |${rules} --- | --- |
${recorded.join("\n")}

## Local: passed through

| function | group |${columns}
| --- | --- |${rules}
${passed.join("\n")}
`;
}

/** What a record holds beside call, site and time. */
function keyOf(call: Call): string {
  const roles = RULES[call.work] ?? [];
  const names = new Set(call.arguments.map(({ roleName }) => roleName));
  const has = (...some: string[]): boolean => some.some((role) => roles.includes(role));
  const any = (...some: string[]): boolean => some.some((role) => names.has(role));
  const starts = ["start", "startall"].includes(call.work);
  const started = starts || call.work === "ready";
  const key = [
    ["bytes", starts || (!any("newrequest") && (has("type") || roles.some(isTyped)))],
    ["peer", started || has("dest", "source", "root", "target")],
    ["tag", started || has("tag", "sendtag") || call.work === "mreceive"],
    ["communicator", started || any("comm", "freecomm")],
    ["communicator of the window", any("win", "freewin")],
    ["communicator of the file", any("file", "freefile")],
    ["requests", starts || roles.includes("n") || ["wait", "test"].includes(call.work)],
  ] as const;
  const held = key.filter(([, present]) => present).map(([name]) => name);
  return held.join(", ") || "-";
}

function isTyped(role: string): boolean {
  return /(type|types)$/.test(role);
}

/** Programs in C and C++ (Python too), and in Fortran, where a large count is a matter of kinds. */
function testsOf(call: Call, users: Users): [string, string] {
  const name = call.name.toLowerCase();
  const files = users.get(name) ?? [];
  const fortran = files.filter((file) => file.endsWith(".F90"));
  const small = users.get(name.replace(/_c$/, "")) ?? [];
  const byKind = call.large ? small.filter((file) => file === "large.F90") : [];
  const others = files.filter((file) => !file.endsWith(".F90"));
  return [others.join(", "), [...fortran, ...byKind].join(", ")];
}
