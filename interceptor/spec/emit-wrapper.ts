import { isReceive, type RequestLanguage, requestStatements } from "./emit-requests.ts";
import { type Argument, type Call, argument } from "./parse.ts";
import { RULES } from "./roles.ts";

/** What differs between the wrappers of the two languages. */
export interface Language {
  /** Statement that calls the real function and leaves `succeeded`. */
  callReal(call: Call): string[];
  /** Statement that calls the real function and returns, when nothing is recorded. */
  passThrough(call: Call): string;
  /** The same for a call that is left out on purpose; `leave` is the statement that ends it. */
  leaveOut(call: Call, leave: string): string;
  /** Expression for the value of an argument after the call. */
  value(argument: Argument): string;
  /** Expression for the address the call is made from. */
  site: string;
  /** Statements before the call that make the status readable after it. */
  prepareStatus(): string[];
  requests: RequestLanguage;
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

/** Whether a call may be left out at all, and so have a quick way (interceptor/core/quick.h). */
export function mayBeQuick(call: Call): boolean {
  return call.work !== "init" && call.work !== "finalize" && !call.arguments.some(isVariable);
}

function isVariable({ roleName }: Argument): boolean {
  return roleName === "varargs";
}

/** Statements that make the call the quick way where that is allowed; the usual way follows. */
export function quickBody(call: Call, language: Language): string[] {
  return [
    "struct vs_quick_call quick;",
    `if (vs_leaves_quickly(&quick, VS_CALL_${call.name}, ${language.site}))`,
    `  ${language.leaveOut(call, "vs_quick_end(&quick);")}`,
  ];
}

/** Whether a call looks for something and comes back at once. */
export function onlyLooks({ category }: Call): boolean {
  return category === "test" || category === "iprobe";
}

/** The same as quickBody for a call that only looks: the real call comes last, in the wrapper's place. */
export function countBody(call: Call, language: Language): string[] {
  const condition = `vs_counts_quickly(VS_CALL_${call.name}, ${language.site})`;
  return [`if (${condition}) ${language.passThrough(call)}`];
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
    `const bool recorded = vs_core.begin(&scope, VS_CALL_${call.name}, ${language.site}) != VS_PASS;`,
    ...language.callReal(call),
    "vs_after_finalize(recorded ? &scope : NULL, succeeded);",
    ...language.finish,
  ];
}

/** Objects that a call can be made on; each has a communicator behind it. */
const OBJECTS: Readonly<Record<string, { type: string; find: string; know: string }>> = {
  comm: { type: "MPI_Comm", find: "vs_find", know: "vs_know" },
  win: { type: "MPI_Win", find: "vs_find_window", know: "vs_know_window" },
  file: { type: "MPI_File", find: "vs_find_file", know: "vs_know_file" },
};

/** What is freed by a call, and how it is forgotten before the real call makes the handle void. */
const FREED: Readonly<Record<string, { object?: string; forget: string }>> = {
  freecomm: { object: "comm", forget: "vs_forget(handle);" },
  freewin: { object: "win", forget: "vs_forget_window(handle);" },
  freefile: { object: "file", forget: "vs_forget_file(handle);" },
  freerequest: { forget: "vs_forget_request(freed);" },
};

/** Statements around the real call that find the communicator. */
function objectStatements(call: Call, language: Language): { before: string[]; after: string[] } {
  const freed = call.arguments.find(({ roleName }) => FREED[roleName]);
  const on = freed ?? call.arguments.find(({ roleName }) => OBJECTS[roleName]);
  const rule = freed && FREED[freed.roleName];
  const object = on && OBJECTS[rule ? (rule.object ?? "") : on.roleName];
  const forget = freed && rule ? [rule.forget] : [];
  if (!on || !object)
    return { before: ["struct vs_comm communicator = vs_no_comm();", ...forget], after: [] };
  return {
    before: [
      `const ${object.type} handle = ${language.value(on)};`,
      `struct vs_comm communicator = ${object.find}(handle);`,
      ...forget,
    ],
    after: freed ? [] : [`${object.know}(&communicator, handle);`],
  };
}

function recordedBody(call: Call, language: Language): string[] {
  const roles = RULES[call.work] ?? [];
  const object = objectStatements(call, language);
  const requests = requestStatements(call, valueIn(call, language), language.requests);
  return [
    "struct vs_scope scope;",
    `const enum vs_handling handling = vs_core.begin(&scope, VS_CALL_${call.name}, ${language.site});`,
    `if (handling == VS_PASS) ${language.passThrough(call)}`,
    `if (handling == VS_LIGHT) ${language.leaveOut(call, "vs_core.leave(&scope);")}`,
    ...(roles.includes("status") ? language.prepareStatus() : []),
    ...requests.before,
    ...object.before,
    ...language.callReal(call),
    "vs_core.stop(&scope);",
    "struct vs_arguments work = vs_no_work();",
    "if (succeeded) {",
    ...[
      ...object.after,
      ...requests.first,
      ...workStatements(call, language),
      ...requests.succeeded,
    ].map((line) => `  ${line}`),
    "}",
    ...requests.after,
    "work.communicator = communicator.number;",
    "vs_core.end(&scope, &work);",
    ...language.finish,
  ];
}

/** Rules whose code is not a helper named after them. */
const STATEMENTS: Readonly<Record<string, (value: (role: string) => string) => string[]>> = {
  none: () => [],
  free: () => [],
  free_request: () => [],
  create: (value) => [`vs_made(${value("newcomm")});`],
  create_alone: (value) => [`vs_made(${value("newcomm")});`],
  window: (value) => [`vs_made_window(${value("newwin")}, &communicator);`],
  open: (value) => [`vs_made_file(${value("newfile")}, &communicator);`],
  idup: (value) => [`vs_made_like(${value("newcomm")}, &communicator);`],
};

/** Expressions for values of arguments by role. */
function valueIn(call: Call, language: Language): (role: string) => string {
  return (role) => {
    const found = argument(call, role);
    if (!found) throw new Error(`${call.name} lacks ${role}`);
    if (role === "sendcounts" || role === "recvcounts") {
      return `vs_${call.large ? "large_" : ""}counts(${found.name})`;
    }
    return language.value(found);
  };
}

function workStatements(call: Call, language: Language): string[] {
  const value = valueIn(call, language);
  const made = argument(call, "newrequest")
    ? [`vs_made_request(${value("newrequest")}, &work, &communicator, ${isReceive(call)});`]
    : [];
  const statements = STATEMENTS[call.work];
  if (statements) return [...statements(value), ...made];
  const roles = RULES[call.work] ?? [];
  const handles = roles.includes("recvtypes") || roles.includes("startrequests");
  const suffix = handles ? language.handleArraySuffix : "";
  const scope = call.category === "sendrecv" ? ["&scope"] : []; // both halves are transfers
  const values = ["&work", "&communicator", ...scope, ...roles.map(value)];
  return [`vs_work_${call.work}${suffix}(${values.join(", ")});`, ...made];
}
