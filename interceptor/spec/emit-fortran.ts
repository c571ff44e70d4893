import { completesRequests } from "./emit-requests.ts";
import { type Language, mayBeQuick, quickBody, wrapperBody } from "./emit-wrapper.ts";
import type { Argument, Call } from "./parse.ts";
import { NOTICE, numbered } from "./text.ts";

/** Symbol forms of a Fortran binding; the numbers are VS_FORM_* in interceptor/mpi/abi.h. */
const FORMS = [
  { suffix: "f", form: "VS_FORM_F" },
  { suffix: "f08", form: "VS_FORM_F08" },
  { suffix: "f08ts", form: "VS_FORM_F08TS" },
  { suffix: "cptr", form: "VS_FORM_CPTR" },
] as const;

/**
 * wrappers_fortran.c: one body per call, which reads its arguments by reference and calls the real
 * Fortran entry with the caller's own pointers, and one wrapper around it per symbol form.
 */
export function emitFortranWrappers(calls: readonly Call[]): string {
  const tables = FORMS.map(({ suffix }) => {
    const rows = calls
      .filter((call) => hasForm(call, suffix))
      .map(({ name }) => `  [VS_CALL_${name}] = VS_WHERE_FITS(${name}, vs_${suffix}_${name}),`);
    return `const vs_function vs_${suffix}_wrappers[VS_MPI_CALL_COUNT] = {\n${rows.join("\n")}\n};\n`;
  });
  return `${NOTICE}#include "prototypes.h"
#include "work.h"

#define REAL_FORTRAN(name) ((name##_f *)vs_real[VS_CALL_##name].forms[form])

${calls.map(wrappers).join("\n")}
${tables.join("\n")}`;
}

/**
 * Only calls with choice buffers have a form for descriptors (TS 29113), and large-count calls are
 * forms of mpi_f08 alone. Windows allocated through the mpi module may have a form of their own for
 * C pointers.
 */
export function hasForm(call: Call, suffix: string): boolean {
  if (suffix === "f") return !call.large;
  if (suffix === "cptr") {
    return !call.large && call.arguments.some(({ roleName }) => roleName === "baseptr");
  }
  return suffix !== "f08ts" || call.arguments.some(({ role }) => role.buffer);
}

function parametersOf(call: Call): Argument[] {
  return call.arguments.filter(({ role }) => !role.cOnly);
}

function parameterType({ role }: Argument): string {
  if (role.fortran === "none" || role.fortran === "status") return "void *";
  return role.c.includes("MPI_Count") ? "const MPI_Count *" : "const MPI_Fint *";
}

/** The binding of MPI_Pcontrol alone has no error code. */
function hasError(call: Call): boolean {
  return !call.arguments.some(({ roleName }) => roleName === "varargs");
}

/** Lengths of texts, which the compiler adds behind the last argument. */
function lengthsOf(call: Call): string[] {
  const texts = call.arguments.filter(({ role }) => role.text).length;
  return numbered("length", texts);
}

function wrappers(call: Call): string {
  const parameters = parametersOf(call);
  const list = [
    ...parameters.map((parameter) => `${parameterType(parameter)}${parameter.name}`),
    ...(hasError(call) ? ["MPI_Fint *ierror"] : []),
    ...lengthsOf(call).map((name) => `size_t ${name}`),
  ].join(", ");
  const names = namesOf(call);
  const quick = mayBeQuick(call) ? quickBody(call, LANGUAGE) : [];
  const body = [...quick, ...wrapperBody(call, LANGUAGE)].map((line) => `  ${line}`);
  const forms = FORMS.filter(({ suffix }) => hasForm(call, suffix)).map(
    ({ suffix, form }) => `static void vs_${suffix}_${call.name}(${list}) {
  vs_fortran_${call.name}(${form}, __builtin_return_address(0), ${names});
}
`,
  );
  return `typedef void ${call.name}_f(${list});
static void vs_fortran_${call.name}(enum vs_form form, const void *site, ${list}) {
  MPI_Fint own_error = MPI_SUCCESS;
  ${errorPlace(call)}
${body.join("\n")}
}
${forms.join("")}`;
}

function errorPlace(call: Call): string {
  if (!hasError(call)) return "const MPI_Fint *const ierror = &own_error;";
  return "if (!ierror) ierror = &own_error; /* an absent optional argument of mpi_f08 */";
}

function namesOf(call: Call): string {
  const names = parametersOf(call).map(({ name }) => name);
  return [...names, ...(hasError(call) ? ["ierror"] : []), ...lengthsOf(call)].join(", ");
}

function callReal(call: Call): string {
  return `REAL_FORTRAN(${call.name})(${namesOf(call)});`;
}

/** The same, with the status that a call completing requests is to get. */
function callRealWithStatus(call: Call): string {
  const text = callReal(call);
  return completesRequests(call) ? text.replace(/\bstatus(es)?\b/, "seen_status") : text;
}

const LANGUAGE: Language = {
  site: "site",
  handleArraySuffix: "_fortran",
  requests: {
    suffix: "_fortran",
    firstIndex: (count, indices) =>
      `vs_first_index(&waiting, requests, ${count}, ${indices}, form)`,
    statusType: "void *",
    statusExtra: ", form",
  },
  finish: [],
  callReal: (call) => [callRealWithStatus(call), "const bool succeeded = *ierror == MPI_SUCCESS;"],
  passThrough: (call) => `{ ${callReal(call)} return; }`,
  leaveOut: (call, leave) => `{ ${callReal(call)} ${leave} return; }`,
  prepareStatus: () => ["MPI_Status own_status;"],
  value: ({ role, name }: Argument) => {
    switch (role.fortran) {
      case "integer":
      case "count":
        return `*${name}`;
      case "communicator":
        return `vs_comm_f2c(*${name})`;
      case "type":
        return `vs_type_f2c(*${name})`;
      case "request":
        return `vs_request_f2c(*${name})`;
      case "window":
        return `vs_win_f2c(*${name})`;
      case "file":
        return `vs_file_f2c(*${name})`;
      case "status":
        return `vs_fortran_status(${name}, form, &own_status)`;
      default:
        return name;
    }
  },
};
