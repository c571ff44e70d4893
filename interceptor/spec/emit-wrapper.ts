import { type Argument, type Call, argument } from "./parse.ts";
import { RULES } from "./roles.ts";

/** What differs between the wrappers of the two languages. */
export interface Language {
  /** Statement that calls the real function and leaves `succeeded`. */
  callReal(call: Call): string[];
  /** Statement that calls the real function and returns, when nothing is recorded. */
  passThrough(call: Call): string;
  /** Expression for the value of an argument after the call. */
  value(argument: Argument): string;
  /** Expression for the address the call is made from. */
  site: string;
  /** Statements before the call that make the status readable after it. */
  prepareStatus(): string[];
  /** Suffix of work helpers that get an array of handles. */
  handleArraySuffix: string;
  /** Statement at the end. */
  finish: string[];
}

/** The statements of a wrapper; see interceptor/core/recorder.h for their order. */
export function wrapperBody(call: Call, language: Language): string[] {
  switch (call.work) {
    case "init":
      return initBody(call, language);
    case "finalize":
      return finalizeBody(call, language);
    default:
      return recordedBody(call, language);
  }
}

function initBody(call: Call, language: Language): string[] {
  return [
    "const uint64_t entered = vs_before_init();",
    ...language.callReal(call),
    `vs_after_init(entered, VS_CALL_${call.name}, ${language.site}, succeeded);`,
    ...language.finish,
  ];
}

function finalizeBody(call: Call, language: Language): string[] {
  return [
    "struct vs_scope scope;",
    "const bool recorded = vs_core.begin(&scope);",
    ...language.callReal(call),
    `vs_after_finalize(recorded ? &scope : NULL, VS_CALL_${call.name}, ${language.site}, succeeded);`,
    ...language.finish,
  ];
}

function recordedBody(call: Call, language: Language): string[] {
  const roles = RULES[call.work] ?? [];
  const handle = argument(call, call.work === "free" ? "freecomm" : "comm");
  const value = handle && language.value(handle);
  return [
    "struct vs_scope scope;",
    `if (!vs_core.begin(&scope)) ${language.passThrough(call)}`,
    ...(roles.includes("status") ? language.prepareStatus() : []),
    ...(value
      ? [`const MPI_Comm handle = ${value};`, "struct vs_comm communicator = vs_find(handle);"]
      : ["const struct vs_comm communicator = vs_no_comm();"]),
    ...(call.work === "free" ? ["vs_forget(handle);"] : []),
    ...language.callReal(call),
    "vs_core.stop(&scope);",
    "struct vs_arguments work = vs_no_work();",
    "if (succeeded) {",
    ...(value && call.work !== "free" ? ["  vs_know(&communicator, handle);"] : []),
    ...workStatements(call, language).map((line) => `  ${line}`),
    "}",
    "work.communicator = communicator.number;",
    `vs_core.end(&scope, VS_CALL_${call.name}, ${language.site}, &work);`,
    ...language.finish,
  ];
}

function workStatements(call: Call, language: Language): string[] {
  const value = (role: string): string => {
    const found = argument(call, role);
    if (!found) throw new Error(`${call.name} lacks ${role}`);
    return language.value(found);
  };
  if (call.work === "none" || call.work === "free") return [];
  if (call.work === "create") return [`vs_made(${value("newcomm")});`];
  if (call.work === "idup") return [`vs_made_like(${value("newcomm")}, &communicator);`];
  const roles = RULES[call.work] ?? [];
  const suffix = roles.includes("recvtypes") ? language.handleArraySuffix : "";
  const values = ["&work", "&communicator", ...roles.map(value)];
  return [`vs_work_${call.work}${suffix}(${values.join(", ")});`];
}
