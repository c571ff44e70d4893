import { completesRequests } from "./emit-requests.ts";
import {
  countBody,
  type Language,
  mayBeQuick,
  onlyLooks,
  quickBody,
  wrapperBody,
} from "./emit-wrapper.ts";
import type { Argument, Call } from "./parse.ts";
import { ROLES, RULES } from "./roles.ts";
import { NOTICE } from "./text.ts";

/** Roles whose C parameter points at the value a work helper wants. */
const POINTERS = new Set(
  "flag index outcount newcomm freecomm newwin freewin newfile freefile newrequest freerequest startrequest request".split(
    " ",
  ),
);

/** wrappers_c.c: the wrappers of the C bindings, compiled once per MPI against its mpi.h. */
export function emitCWrappers(calls: readonly Call[]): string {
  const table = calls.map(
    ({ name }) => `  [VS_CALL_${name}] = VS_WHERE_FITS(${name}, vs_${name}),`,
  );
  return `${NOTICE}#include "prototypes.h"
#include "work.h"

#define NOINLINE __attribute__((noinline))
#define REAL(name) ((name##_prototype *)vs_real[VS_CALL_##name].forms[VS_FORM_C])

${calls.map(wrapper).join("\n")}
const vs_function vs_c_wrappers[VS_MPI_CALL_COUNT] = {
${table.join("\n")}
};
`;
}

function wrapper(call: Call): string {
  const parameters = call.arguments.map(({ role, name }) => {
    if (role === ROLES["varargs"]) return role.c;
    return role.c.endsWith("*") ? `${role.c}${name}` : `${role.c} ${name}`;
  });
  const list = parameters.join(", ");
  if (!mayBeQuick(call)) {
    return `static int vs_${call.name}(${list || "void"}) {\n${indented(wrapperBody(call, LANGUAGE))}}\n`;
  }
  const names = [...call.arguments.map(({ name }) => name), LANGUAGE.site].join(", ");
  // The usual way is a function of its own, so that the quick one need not save registers for it.
  return `static NOINLINE int usual_${call.name}(${[...parameters, "const void *site"].join(", ")}) {
${indented(wrapperBody(call, { ...LANGUAGE, site: "site" }))}}

static int vs_${call.name}(${list || "void"}) {
${indented(onlyLooks(call) ? countBody(call, LANGUAGE) : quickBody(call, LANGUAGE))}  return usual_${call.name}(${names});
}
`;
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join("");
}

/** What the real function gets: varargs cannot be passed on. */
function passedOn(call: Call): Argument[] {
  return call.arguments.filter(({ role }) => role !== ROLES["varargs"]);
}

/** A local status replaces MPI_STATUS_IGNORE where the record needs one. */
function readsStatus(call: Call): boolean {
  return (RULES[call.work] ?? []).includes("status");
}

function realCall(call: Call): string {
  return `REAL(${call.name})(${passedOn(call)
    .map(({ name }) => name)
    .join(", ")})`;
}

const LANGUAGE: Language = {
  site: "__builtin_return_address(0)",
  handleArraySuffix: "",
  requests: { suffix: "", firstIndex: () => "0", statusType: "MPI_Status *", statusExtra: "" },
  finish: ["return result;"],
  callReal: (call) => {
    const replaced = readsStatus(call) || completesRequests(call);
    const names = passedOn(call).map(({ name }) =>
      replaced && (name === "status" || name === "statuses") ? "seen_status" : name,
    );
    return [
      `const int result = REAL(${call.name})(${names.join(", ")});`,
      "const bool succeeded = result == MPI_SUCCESS;",
    ];
  },
  passThrough: (call) => `return ${realCall(call)};`,
  leaveOut: (call, leave) =>
    `{ const int left_out = ${realCall(call)}; ${leave} return left_out; }`,
  prepareStatus: () => [
    "MPI_Status own_status;",
    "MPI_Status *const seen_status = vs_ignored(status) ? &own_status : status;",
  ],
  value: ({ roleName, name }: Argument) => {
    if (roleName === "status") return "seen_status";
    return POINTERS.has(roleName) ? `*${name}` : name;
  },
};
