import type { Call } from "./parse.ts";
import { NOTICE } from "./text.ts";

/**
 * prototypes.h: the C prototype of every wrapper, and whether mpi.h agrees with it. Where it does not, the call is
 * passed through: a wrapper that takes other arguments than its caller gives would do harm.
 */
export function emitPrototypes(calls: readonly Call[]): string {
  const types = calls.map((call) => {
    const parameters = call.arguments.map(({ role }) => role.c).join(", ") || "void";
    return `typedef int ${call.name}_prototype(${parameters});`;
  });
  return `${NOTICE}#ifndef VARSCOPE_PROTOTYPES_H
#define VARSCOPE_PROTOTYPES_H

#include <mpi.h>

/* Qualifiers count: it is for mpi.h to say what may be written to. */
#define VS_FITS(name) __builtin_types_compatible_p(__typeof__(name), name##_prototype)

/* Entry of a table of wrappers; NULL leads past the wrapper. */
#define VS_WHERE_FITS(name, wrapper) \\
  __builtin_choose_expr(VS_FITS(name), (vs_function)wrapper, (vs_function)0)

${types.join("\n")}

#endif
`;
}

/** check_prototypes.c: a program that names, one a line, the calls that mpi.h declares in another way. */
export function emitPrototypeCheck(calls: readonly Call[]): string {
  const rows = calls.map(({ name }) => `    {"${name}", VS_FITS(${name})},`);
  return `${NOTICE}#include "prototypes.h"

#include <stdio.h>

static const struct {
  const char *name;
  int fits;
} calls[] = {
${rows.join("\n")}
};

int main(void) {
  for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
    if (!calls[i].fits)
      puts(calls[i].name);
  return 0;
}
`;
}
