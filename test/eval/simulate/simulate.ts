import { advance, type Disturbance } from "../../accuracy/machine.ts";
import { type Noise, noiseFactor, Random, spike, wanderOf } from "../../accuracy/noise.ts";
import type { InjectedKind, Injection, Program, Stage } from "./program.ts";
import { ticksFor, type Ticks } from "./ticks.ts";

/** Noise of the kit: a shape of test/accuracy/noise.ts, or ticks of the operating system. */
export interface EvalNoise extends Omit<Noise, "shape"> {
  shape: Noise["shape"] | "periodic";
}

export interface Scenario {
  seed: number;
  program: Program;
  noise: EvalNoise;
  injections?: Injection[];
}

/** One rank's calls in order, in columns, and what is true of each. */
export interface SimulatedRank {
  /** Index into Program.calls; of MPI_Init and MPI_Finalize the two behind them. */
  state: number[];
  startNs: number[];
  endNs: number[];
  bytes: number[];
  peer: number[];
  /** Of the computation before the call: number of its work (Simulation.labels), -1 none. */
  label: number[];
  /** Its amount of work, in ns that it takes undisturbed and without noise. */
  workNs: number[];
  /** Index of its stage, -1 none. */
  stage: number[];
  /** What a disturbance added to it, and to the call, ns. */
  lostBeforeNs: number[];
  lostCallNs: number[];
}

export interface Simulation {
  program: Program;
  injections: Injection[];
  ranks: SimulatedRank[];
  labels: string[];
}

/** About how long MPI_Init and MPI_Finalize take. */
const FRAME_NS = 1e6;

/**
 * Runs a program on a simulated machine. Waiting is not put in: a call ends its transfer's time after the last of those
 * it waits for has come. Ranks form an open chain. All numbers come from the seed; each rank has a generator of its own.
 */
export function simulate({ seed, program, noise, injections = [] }: Scenario): Simulation {
  return new Machine(seed, program, noise, injections).run();
}

class Machine {
  private readonly program: Program;
  private readonly noise: EvalNoise;
  private readonly injections: Injection[];
  private readonly randoms: Random[];
  private readonly wanders: ((share: number) => number)[];
  private readonly ticks: Ticks[] | undefined;
  private readonly disturbed: Record<InjectedKind, Disturbance[][]>;
  private readonly ranks: SimulatedRank[];
  private readonly labels = new Map<string, number>();
  private readonly clock: Float64Array;

  constructor(seed: number, program: Program, noise: EvalNoise, injections: Injection[]) {
    this.program = program;
    this.noise = noise;
    this.injections = injections;
    this.randoms = Array.from({ length: program.ranks }, (_, r) => new Random(seed * 4099 + r));
    this.wanders = this.randoms.map((random) => wanderOf({ ...noise, shape: "none" }, random));
    this.ticks =
      noise.shape === "periodic"
        ? this.randoms.map((random) => ticksFor(longestWork(program), noise.share, random))
        : undefined;
    const of = (kind: InjectedKind) =>
      this.randoms.map((_, r) => disturbances(injections, kind, r));
    this.disturbed = {
      compute: of("compute"),
      communication: of("communication"),
      io: of("io"),
    };
    this.ranks = this.randoms.map(emptyRank);
    this.clock = new Float64Array(program.ranks);
  }

  run(): Simulation {
    const { program } = this;
    for (let r = 0; r < program.ranks; r++) this.frame(r, program.calls.length, -FRAME_NS, 0);
    for (let step = 0; step < program.steps; step++) {
      for (const [i, stage] of program.stages.entries()) {
        if (stage.when && !stage.when(step)) continue;
        for (let r = 0; r < program.ranks; r++) this.compute(r, step, i, stage);
        this.call(step, stage);
      }
    }
    for (let r = 0; r < program.ranks; r++) {
      const end = this.clock[r]! + FRAME_NS;
      this.frame(r, program.calls.length + 1, this.clock[r]! + 5000, end);
    }
    return {
      program,
      injections: this.injections,
      ranks: this.ranks,
      labels: [...this.labels.keys()],
    };
  }

  /** MPI_Init or MPI_Finalize. */
  private frame(r: number, state: number, start: number, end: number): void {
    this.before(r, -1, 0, -1, 0);
    this.record(r, state, start, end, 0, -1, 0);
  }

  private compute(r: number, step: number, i: number, stage: Stage): void {
    const random = this.randoms[r]!;
    const work = stage.work?.({ rank: r, step, random }) ?? { label: `stage ${i}`, factor: 1 };
    const usual = stage.workNs * work.factor * this.wanders[r]!(step / this.program.steps);
    const start = this.clock[r]!;
    const { shape } = this.noise;
    const noisy =
      shape === "periodic"
        ? this.ticks![r]!.stretch(start, usual)
        : usual * noiseFactor({ ...this.noise, shape }, random);
    const undisturbed = noisy + spike({ ...this.noise, shape: "none" }, random);
    const end = advance(start, undisturbed, this.disturbed.compute[r]!);
    this.clock[r] = end;
    let label = this.labels.get(work.label);
    if (label === undefined) this.labels.set(work.label, (label = this.labels.size));
    this.before(r, label, stage.workNs * work.factor, i, end - start - undisturbed);
  }

  private call(step: number, stage: Stage): void {
    const { clock, program } = this;
    const came = Float64Array.from(clock);
    const last = stage.waitsFor === "all" ? came.reduce((a, b) => Math.max(a, b)) : 0;
    const usual = typeof stage.callNs === "number" ? stage.callNs : stage.callNs(step);
    const kind = stage.waitsFor === "nobody" ? "io" : "communication";
    for (let r = 0; r < program.ranks; r++) {
      const from =
        stage.waitsFor === "neighbours"
          ? Math.max(came[r]!, came[r - 1] ?? 0, came[r + 1] ?? 0)
          : Math.max(came[r]!, last);
      const undisturbed = usual * (0.9 + 0.2 * this.randoms[r]!.uniform());
      const end = advance(from, undisturbed, this.disturbed[kind][r]!);
      clock[r] = end;
      const peer = stage.waitsFor === "neighbours" ? (r > 0 ? r - 1 : 1) : -1;
      const bytes = stage.bytes?.({ rank: r, step }) ?? 8192;
      this.record(r, stage.call, came[r]!, end, bytes, peer, end - from - undisturbed);
    }
  }

  private before(r: number, label: number, workNs: number, stage: number, lost: number): void {
    const rank = this.ranks[r]!;
    rank.label.push(label);
    rank.workNs.push(workNs);
    rank.stage.push(stage);
    rank.lostBeforeNs.push(lost);
  }

  private record(
    r: number,
    state: number,
    start: number,
    end: number,
    bytes: number,
    peer: number,
    lost: number,
  ): void {
    const rank = this.ranks[r]!;
    rank.state.push(state);
    rank.startNs.push(Math.round(start));
    rank.endNs.push(Math.round(end));
    rank.bytes.push(bytes);
    rank.peer.push(peer);
    rank.lostCallNs.push(lost);
  }
}

function emptyRank(): SimulatedRank {
  return {
    state: [],
    startNs: [],
    endNs: [],
    bytes: [],
    peer: [],
    label: [],
    workNs: [],
    stage: [],
    lostBeforeNs: [],
    lostCallNs: [],
  };
}

function longestWork(program: Program): number {
  return Math.max(...program.stages.map((stage) => stage.workNs));
}

function disturbances(
  injections: readonly Injection[],
  kind: InjectedKind,
  rank: number,
): Disturbance[] {
  return injections
    .filter((one) => one.kind === kind && one.ranks.includes(rank))
    .map((one) => disturbanceOf(one, rank))
    .toSorted((a, b) => a.startNs - b.startNs);
}

function disturbanceOf(
  { startNs, endNs, form, factor, sliceNs }: Injection,
  rank: number,
): Disturbance {
  const one: Disturbance = { rank, startNs, endNs, kind: form };
  if (factor !== undefined) one.factor = factor;
  if (sliceNs !== undefined) one.sliceNs = sliceNs;
  return one;
}
