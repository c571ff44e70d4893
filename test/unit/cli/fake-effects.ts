import type { Effects } from "../../../src/cli/effects.ts";

export interface FakeEffects extends Effects {
  /** What was written so far. */
  readonly written: { out: string; err: string };
}

/** Effects without a terminal that keep what was written. */
export function fakeEffects(changed: Partial<Effects> = {}): FakeEffects {
  const written = { out: "", err: "" };
  return {
    written,
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    readInput: () => Promise.resolve(""),
    inputIsTerminal: false,
    outputIsTerminal: false,
    errorIsTerminal: false,
    terminalColumns: undefined,
    environment: {},
    workingDirectory: "/",
    ...changed,
  };
}
