import type { Program } from "./simulate.ts";

/** A stencil of 1.2 ms per step, 90 % of it between allreduce and halo exchange. */
export function stencil(more: Partial<Program> = {}): Program {
  return { ranks: 2, steps: 2000, workNs: 1.2e6, secondShare: 0.1, ...more };
}

/** Time that the program would take undisturbed and without communication, ns. */
export function nominalNs(program: Program): number {
  return program.steps * program.workNs;
}

/** Only the first computation of a step changes, as `factor` says. */
function first(factor: (rank: number, step: number) => number): NonNullable<Program["work"]> {
  return (rank, step, part) => (part === 0 ? factor(rank, step) : 1);
}

/** Programs whose work is uneven by design: none may ever be called disturbed. */
export const UNEVEN: Record<string, Program> = {
  "every 10th step five times the work": stencil({ work: first((_, s) => (s % 10 === 0 ? 5 : 1)) }),
  "every 7th step twice the work": stencil({ work: first((_, s) => (s % 7 === 0 ? 2 : 1)) }),
  "every 100th step a checkpoint": stencil({ work: first((_, s) => (s % 100 === 0 ? 30 : 1)) }),
  "rank 0 writes every 100th step": stencil({
    work: first((r, s) => (r === 0 && s % 100 === 0 ? 30 : 1)),
  }),
  "rank 0 writes long every 400th step": stencil({
    work: first((r, s) => (r === 0 && s % 400 === 399 ? 200 : 1)),
  }),
  "all write long every 400th step": stencil({
    work: first((_, s) => (s % 400 === 399 ? 200 : 1)),
  }),
  "two phases": stencil({ work: first((_, s) => (s > 1200 ? 1.8 : 1)) }),
  "three phases": stencil({ work: first((_, s) => [1, 2, 1.4][Math.floor(s / 667)]!) }),
  "two phases of all snippets": stencil({ secondShare: 0.4, work: (_, s) => (s > 1200 ? 1.8 : 1) }),
  "a phase of unequal ranks": stencil({ work: first((r, s) => (s > 1200 ? 1.5 + 0.4 * r : 1)) }),
  "a short phase of 16 ranks": stencil({
    ranks: 16,
    steps: 800,
    work: first((r, s) => (s > 400 && s < 560 ? 1.6 + 0.02 * r : 1)),
  }),
  "growing work": stencil({ work: first((_, s) => 1 + s / 1000) }),
  "work that grows on one rank": stencil({
    ranks: 4,
    steps: 1500,
    work: first((r, s) => (r === 2 ? 1 + s / 1500 : 1)),
  }),
  "shrinking panels": stencil({ work: first((_, s) => (1 - s / 2100) ** 2 * 3 + 0.05) }),
  "shrinking uneven panels": stencil({
    ranks: 16,
    steps: 800,
    work: first((r, s) => (1 - s / 850) ** 2 * 3 * (1 + 0.2 * Math.sin(r + s / 40)) + 0.05),
  }),
  "random work": stencil({
    work: (_, __, part, random) => (part === 0 ? Math.exp(0.5 * random.normal()) : 1),
  }),
  "slightly random work": stencil({
    work: (_, __, part, random) => (part === 0 ? Math.exp(0.15 * random.normal()) : 1),
  }),
  "two works at random": stencil({
    work: (_, __, part, random) => (part === 0 && random.uniform() < 0.3 ? 3 : 1),
  }),
  "few long steps": stencil({ steps: 60, workNs: 6e7 }),
  "few long random steps": stencil({
    steps: 60,
    workNs: 6e7,
    work: (_, __, part, random) => (part === 0 ? Math.exp(0.1 * random.normal()) : 1),
  }),
  "slow first steps": stencil({ work: (_, s) => (s < 5 ? 20 : 1) }),
  "imbalanced ranks": stencil({ ranks: 4, steps: 1500, work: (r) => 1 + 0.3 * r }),
};
