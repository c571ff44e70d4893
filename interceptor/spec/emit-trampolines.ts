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

#define EXPORT __attribute__((visibility("default")))
#define COLD __attribute__((cold, noinline))

${symbols.map(binder).join("")}
_Atomic(vs_function) vs_slots[VS_SLOT_COUNT] = {
${slots.join("\n")}
};

${symbols.map(trampoline).join("\n")}`;
}

function symbolsOf(call: Call): Symbol[] {
  const lower = call.name.toLowerCase();
  const inC = call.arguments.length;
  const inFortran = call.arguments.filter(({ role }) => !role.cOnly).length + 1;
  const slot = (form: string): string => `VS_SLOT(VS_CALL_${call.name}, VS_FORM_${form})`;
  const symbols: Symbol[] = [
    { name: call.name, slot: slot("C"), arguments: inC },
    {
      name: `${lower}_`,
      slot: slot("F"),
      arguments: inFortran,
    },
    { name: `${lower}_f08_`, slot: slot("F08"), arguments: inFortran },
  ];
  if (hasForm(call, "f08ts")) {
    symbols.push({
      name: `${lower}_f08ts_`,

      slot: slot("F08TS"),
      arguments: inFortran,
    });
  }
  return symbols;
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
