import { createHash } from "node:crypto";
import { symbolNames } from "./emit-trampolines.ts";
import type { Call } from "./parse.ts";
import type { NamedCall } from "./other-calls.ts";
import { NOTICE } from "./text.ts";

/** calls.h: call numbers, and a fingerprint by which two libraries know that they fit together. */
export function emitCallsHeader(
  calls: readonly Call[],
  others: readonly NamedCall[],
  spec: string,
): string {
  const rows = calls.map((call) => `  VS_CALL_${call.name} = ${call.number},`);
  rows.push(`  VS_MPI_CALL_COUNT = ${calls.length},`);
  rows.push(...others.map(({ name }, index) => `  VS_CALL_${name} = ${calls.length + index},`));
  // Numbers follow from more than the table: which roles have a large-count form adds calls, too.
  const numbered = [spec, ...rows].join("\n");
  const fingerprint = createHash("sha256").update(numbered).digest("hex").slice(0, 16);
  return `${NOTICE}#ifndef VARSCOPE_CALLS_H
#define VARSCOPE_CALLS_H

#include "recorder.h"

enum vs_call {
${rows.join("\n")}
  VS_CALL_COUNT = ${calls.length + others.length}
};

#define VS_SPEC_FINGERPRINT 0x${fingerprint}u

extern const struct vs_call_info vs_calls[VS_CALL_COUNT];

#endif
`;
}

/** calls.c: name and category of every call. */
export function emitCallsTable(calls: readonly NamedCall[]): string {
  const rows = calls.map(
    (call) => `  {"${call.name}", VST_CATEGORY_${call.category.toUpperCase()}},`,
  );
  return `${NOTICE}#include "calls.h"

const struct vs_call_info vs_calls[VS_CALL_COUNT] = {
${rows.join("\n")}
};
`;
}

/** mpi-calls.json: the table for other programs. */
export function emitCallsJson(calls: readonly Call[]): string {
  const rows = calls.map((call) => ({
    name: call.name,
    number: call.number,
    category: call.category,
    work: call.work,
    arguments: call.arguments.map((argument) => argument.roleName),
    symbols: symbolNames(call).map((symbol) => symbol.name),
  }));
  return `${JSON.stringify(rows, null, 2)}\n`;
}

/** mpi-calls.md: the table for people. */
export function emitCallsMarkdown(calls: readonly Call[]): string {
  const rows = calls.map((call) => {
    const roles = call.arguments.map((argument) => argument.roleName).join(", ");
    return `| ${call.name} | ${call.category} | ${call.work} | ${roles} |`;
  });
  return `# Intercepted MPI calls

Generated from interceptor/spec/mpi-calls.txt, whose head explains each kind of work.

| call | category | work | arguments |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}
