/** Random numbers of the simulator: own generator (xorshift32), so that it shares nothing with the analysis. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = (Math.imul(seed, 2654435761) ^ 0x9e3779b9) >>> 0 || 1;
    for (let i = 0; i < 8; i++) this.uniform();
  }

  /** In (0, 1). */
  uniform(): number {
    let x = this.state;
    x ^= x << 13;
    x >>>= 0;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x >>> 0;
    return (this.state + 0.5) / 4294967296;
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }
}

export type NoiseShape = "none" | "normal" | "lognormal" | "heavy";

/** What disturbs every fragment a little, everywhere. */
export interface Noise {
  shape: NoiseShape;
  /** Relative standard deviation (heavy: scale of a Student t with 3 degrees of freedom, positive side only). */
  share: number;
  /** Chance that an operating system spike hits a computation, and its length in ns. */
  spikeChance: number;
  spikeNs: [number, number];
  /** Slow wander of a rank's speed: largest relative deviation. */
  wander: number;
}

/** Like the idle virtual machine that stack.md section 13 measured. */
export const VM_NOISE: Noise = {
  shape: "lognormal",
  share: 0.02,
  spikeChance: 0.008,
  spikeNs: [0.3e6, 11e6],
  wander: 0.03,
};

export function noiseFactor(noise: Noise, random: Random): number {
  if (noise.shape === "normal") return Math.max(0.5, 1 + noise.share * random.normal());
  if (noise.shape === "lognormal") return Math.exp(noise.share * random.normal());
  if (noise.shape === "heavy") {
    const chi = random.normal() ** 2 + random.normal() ** 2 + random.normal() ** 2;
    return 1 + noise.share * Math.abs(random.normal() / Math.sqrt(chi / 3));
  }
  return 1;
}

/** Log-uniform length of a spike, 0 where none hits. */
export function spike(noise: Noise, random: Random): number {
  if (random.uniform() >= noise.spikeChance) return 0;
  const [low, high] = noise.spikeNs;
  return low * (high / low) ** random.uniform();
}

/** Piecewise linear speed of a rank over the run, around 1. */
export function wanderOf(noise: Noise, random: Random): (share: number) => number {
  const knots = Array.from({ length: 16 }, () => 1 + noise.wander * (2 * random.uniform() - 1));
  return (share) => {
    const at = Math.min(14.999, Math.max(0, share * 15));
    const k = Math.floor(at);
    return knots[k]! + (at - k) * (knots[k + 1]! - knots[k]!);
  };
}
