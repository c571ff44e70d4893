import { hasForm } from "./emit-fortran.ts";
import type { Call } from "./parse.ts";
import { NOTICE, numbered } from "./text.ts";

interface Symbol {
  name: string;
  /** C expression of the slot number. */
  slot: string;
  arguments: number;
}

/**
 * trampolines.c: every symbol that is intercepted, as a function of so many machine words that goes on
 * to wherever its slot points, and a binder as the first target of each slot.
 */
export function emitTrampolines(calls: readonly Call[]): string {
  const symbols = calls.flatMap(symbolsOf);
  const slots = symbols.map(({ name, slot }) => `  [${slot}] = (vs_function)bind_${name},`);
  return `${NOTICE}#include "slots.h"

/* Not for the thread sanitizer, whose entry and exit would make a call of the jump. */
#define EXPORT __attribute__((visibility("default"), no_sanitize("thread")))
#define COLD __attribute__((cold, noinline))

${symbols.map(binder).join("")}
_Atomic(vs_function) vs_slots[VS_SLOT_COUNT] = {
${slots.join("\n")}
};

${symbols.map(trampoline).join("\n")}`;
}

function symbolsOf(call: Call): Symbol[] {
  const inC = call.arguments.length;
  const lengths = call.arguments.filter(({ role }) => role.text).length;
  const inFortran = call.arguments.filter(({ role }) => !role.cOnly).length + 1 + lengths;
  return symbolNames(call).map(({ name, form }) => ({
    name,
    slot: `VS_SLOT(VS_CALL_${call.name}, VS_FORM_${form})`,
    arguments: form === "C" ? inC : inFortran,
  }));
}

/** Every name under which a program can call it; forms as in enum vs_form. */
export function symbolNames(call: Call): { name: string; form: string }[] {
  const lower = call.name.toLowerCase().replace(/_c$/, call.large ? "" : "_c");
  const large = call.large ? "large_" : "";
  const forms = [
    { name: `${lower}_`, form: "F", suffix: "f" },
    { name: `${lower}_f08_${large}`, form: "F08", suffix: "f08" },
    { name: `${lower}_f08ts_${large}`, form: "F08TS", suffix: "f08ts" },
    { name: `${lower}_cptr_`, form: "CPTR", suffix: "cptr" },
  ].filter(({ suffix }) => hasForm(call, suffix));
  return [{ name: call.name, form: "C" }, ...forms.map(({ name, form }) => ({ name, form }))];
}

function parts(symbol: Symbol): { parameters: string; names: string; type: string } {
  const names = numbered("a", symbol.arguments);
  const words = names.map(() => "uintptr_t").join(", ") || "void";
  return {
    parameters: names.map((name) => `uintptr_t ${name}`).join(", ") || "void",
    names: names.join(", "),
    type: `uintptr_t (*)(${words})`,
  };
}

function binder(symbol: Symbol): string {
  const { parameters, names, type } = parts(symbol);
  return `COLD static uintptr_t bind_${symbol.name}(${parameters}) {
  return ((${type})vs_bind(${symbol.slot}))(${names});
}
`;
}

function trampoline(symbol: Symbol): string {
  const { parameters, names, type } = parts(symbol);
  return `EXPORT uintptr_t ${symbol.name}(${parameters});
uintptr_t ${symbol.name}(${parameters}) {
  return ((${type})vs_target(${symbol.slot}))(${names});
}
`;
}
