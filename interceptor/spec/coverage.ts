import { symbolNames } from "./emit-trampolines.ts";
import type { LocalCall } from "./local.ts";
import type { Call } from "./parse.ts";
import type { Language, Program } from "./programs.ts";
import { RULES } from "./roles.ts";

/** One MPI of this machine. */
export interface Mpi {
  /** As the interceptor's libraries name it. */
  name: string;
  title: string;
  /** Functions that its mpi.h declares. */
  declared: ReadonlySet<string>;
  /** Fortran entry points of its libraries; empty: not known. */
  fortran: ReadonlySet<string>;
}

interface Sources {
  calls: readonly Call[];
  local: readonly LocalCall[];
  mpis: readonly Mpi[];
  programs: readonly Program[];
}

const ABSENT = "not in this MPI";
/** Programs named in a cell; of MPI_Init there would be dozens. */
const NAMED = 3;

/** mpi-coverage.md: every MPI function, what is recorded of it, and the programs that test it with each MPI. */
export function emitCoverage({ calls, local, mpis, programs }: Sources): string {
  const tests = (call: Call, mpi: Mpi): string[] =>
    (["C", "Fortran"] as const).map((language) => testsOf(call, { mpi, language, programs }));
  const recorded = calls.map((call) => {
    const cells = mpis.flatMap((mpi) => tests(call, mpi));
    return `| ${[call.name, call.category, keyOf(call), ...cells].join(" | ")} |`;
  });
  const passed = local.map(({ name, group }) => {
    const cells = mpis.map(({ declared }) => (declared.has(name) ? "yes" : "no"));
    return `| ${[name, group, ...cells].join(" | ")} |`;
  });
  const columns = mpis.flatMap(({ title }) => [`${title}, C`, `${title}, Fortran`]);
  return `# MPI coverage

Generated when the interceptor is built; docs/mpi-coverage.md explains the columns.

${calls.length} functions are recorded, ${local.length} local functions pass through. Recorded functions that an MPI of
this machine has, and those that a test program calls:

${mpis.map((mpi) => countsOf(mpi, calls, tests)).join("\n")}

## Recorded

${table(["function", "category", "key", ...columns], recorded)}

## Local: passed through

${table(["function", "group", ...mpis.map(({ title }) => title)], passed)}
`;
}

function table(columns: readonly string[], rows: readonly string[]): string {
  return [`| ${columns.join(" | ")} |`, `|${" --- |".repeat(columns.length)}`, ...rows].join("\n");
}

/** How much of an MPI is tested, in words. */
function countsOf(
  mpi: Mpi,
  calls: readonly Call[],
  tests: (call: Call, mpi: Mpi) => string[],
): string {
  const parts = ["C", "Fortran"].map((language, column) => {
    const cells = calls.map((call) => tests(call, mpi)[column] ?? "");
    const present = cells.filter((cell) => cell !== ABSENT);
    return `${present.filter((cell) => cell !== "").length} of ${present.length} in ${language}`;
  });
  return `- ${mpi.title}: ${parts.join(", ")}`;
}

/** Whether an MPI has a function in a language. */
export function isIn(mpi: Mpi, call: Call, language: Language): boolean {
  if (!mpi.declared.has(call.name)) return false;
  if (language === "C" || mpi.fortran.size === 0) return true;
  return symbolNames(call).some(({ name, form }) => form !== "C" && mpi.fortran.has(name));
}

interface Place {
  mpi: Mpi;
  language: Language;
  programs: readonly Program[];
}

function testsOf(call: Call, { mpi, language, programs }: Place): string {
  if (!isIn(mpi, call, language)) return ABSENT;
  const name = call.name.toLowerCase();
  const files = programs
    .filter((program) => program.language === language && program.calls.has(name))
    .filter(({ only }) => only === undefined || only === mpi.name)
    .map(({ file }) => file);
  const more = files.length - NAMED;
  const named = files.slice(0, NAMED).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}

/** What a record holds beside call, site and time. */
function keyOf(call: Call): string {
  const roles = RULES[call.work] ?? [];
  const names = new Set(call.arguments.map(({ roleName }) => roleName));
  const has = (...some: string[]): boolean => some.some((role) => roles.includes(role));
  const any = (...some: string[]): boolean => some.some((role) => names.has(role));
  const starts = ["start", "startall"].includes(call.work);
  const started = starts || call.work === "ready";
  const matched = call.work === "mreceive" || call.work === "imreceive";
  const key = [
    ["bytes", starts || (!any("newrequest") && (has("type") || roles.some(isTyped)))],
    ["peer", started || matched || has("dest", "source", "root", "target")],
    ["tag", started || matched || has("tag", "sendtag")],
    ["communicator", started || matched || any("comm", "freecomm")],
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
