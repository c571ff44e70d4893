import type { Random } from "../../accuracy/noise.ts";
import type { Category } from "../../../src/trace/categories.ts";

/** Where and when a fragment happens; `random` is the rank's own. */
export interface Place {
  rank: number;
  step: number;
  random: Random;
}

/** How much is computed. Fragments of one program with the same label do the same work. */
export interface Work {
  label: string;
  /** Times the stage's workNs. */
  factor: number;
}

/** A call of the program: where it is made and what it is. */
export interface CallSite {
  call: string;
  category: Category;
  /** Return addresses from the site outwards; default: known by its site alone, which is its number. */
  path?: number[];
}

/** A computation and the call that ends it. */
export interface Stage {
  /** Undisturbed time of the computation, ns. */
  workNs: number;
  /** Default: the same work always, labelled by the stage's number. */
  work?: (at: Place) => Work;
  /** Index into Program.calls. */
  call: number;
  /** Whom the call waits for: nobody, the ranks before and behind, everybody. */
  waitsFor: "nobody" | "neighbours" | "all";
  /** Time of transfer or access, ns, once everybody waited for has come; it varies by +-10 %. */
  callNs: number | ((step: number) => number);
  /** Default 8192. */
  bytes?: (at: Omit<Place, "random">) => number;
  /** Whether the step has this stage; default: each has. */
  when?: (step: number) => boolean;
  /** The work is a loop with a trip count that source shows, over a body that never changes. */
  trips?: boolean;
}

export interface Program {
  ranks: number;
  steps: number;
  calls: CallSite[];
  /** Of each step, in order. */
  stages: Stage[];
  /** Default 8. */
  ranksPerHost?: number;
}

export type InjectedKind = "compute" | "communication" | "io";

/** A known disturbance, the same on all its ranks. Those of one rank and kind must not overlap. */
export interface Injection {
  kind: InjectedKind;
  ranks: number[];
  startNs: number;
  endNs: number;
  /** As in Disturbance (test/accuracy/machine.ts). */
  form: "slow" | "hog" | "pause";
  factor?: number;
  sliceNs?: number;
}

/** Host of a rank, as the trace names it. */
export function hostOf(program: Program, rank: number): number {
  return Math.floor(rank / (program.ranksPerHost ?? 8));
}
