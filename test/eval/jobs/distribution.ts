import { findProgram, type Job, readText } from "./job.ts";

/** A program of the distribution, or why it cannot be run here. */
export type Found = Job | { name: string; missing: string };

/** Where Debian's quantum-espresso-data has what atoms are made of. */
const SILICON = "/usr/share/espresso/pseudo/Si.pz-vbc.UPF";

/**
 * Liquid argon as a Lennard-Jones melt: N x N x N cells of a cubic lattice at the density and temperature of the usual benchmark
 * (reduced units 0.8442 and 3.0), so many steps, the state printed every 50.
 */
export function lammps(cells: number, steps: number): Found {
  const file = findProgram("lmp");
  if (!file) return { name: "lammps", missing: "lmp not found; install the Debian package lammps" };
  const input = [
    "units lj",
    "atom_style atomic",
    "lattice fcc 0.8442",
    `region all block 0 ${cells} 0 ${cells} 0 ${cells}`,
    "create_box 1 all",
    "create_atoms 1 box",
    "mass 1 1.0",
    "velocity all create 3.0 1234",
    "pair_style lj/cut 2.5",
    "pair_coeff 1 1 1.0 1.0 2.5",
    "neighbor 0.3 bin",
    "neigh_modify every 20 delay 0 check no",
    "fix move all nve",
    "thermo 50",
    `run ${steps}`,
  ];
  return {
    name: "lammps",
    file,
    words: ["-in", "melt.in", "-log", "none"],
    inputs: { "melt.in": `${input.join("\n")}\n` },
  };
}

/** HPC Challenge: all of its benchmarks with a matrix of N rows over a line of ranks. */
export function hpcc(rows: number, ranks: number): Found {
  const file = findProgram("hpcc");
  if (!file) return { name: "hpcc", missing: "hpcc not found; install the Debian package hpcc" };
  const values = [
    ["HPL.out", "8"],
    ["1", `${rows}`, "1", "64", "0", "1", "1", `${ranks}`, "16.0"],
    ["1", "2", "1", "4", "1", "2", "1", "1", "1", "1", "1", "0", "2", "64", "0", "0", "1", "8"],
    ["-", "0", "1200", "0", "40"],
  ].flat();
  const input = ["HPC Challenge", "varscope", ...values];
  return {
    name: "hpcc",
    file,
    words: [],
    inputs: { "hpccinf.txt": `${input.join("\n")}\n` },
  };
}

/** Quantum ESPRESSO: energy of a silicon crystal, self-consistent. */
export function quantumEspresso(cutoff: number, points: number): Found {
  const name = "quantum-espresso";
  const file = findProgram("pw.x");
  const silicon = readText(SILICON);
  if (!file) return { name, missing: `pw.x not found; install the Debian package ${name}` };
  if (!silicon) return { name, missing: `${SILICON} not found; install ${name}-data` };
  const input = `
&control
  calculation = 'scf', prefix = 'si', pseudo_dir = '.', outdir = './out'
/
&system
  ibrav = 2, celldm(1) = 10.2, nat = 2, ntyp = 1, ecutwfc = ${cutoff}
/
&electrons
  conv_thr = 1d-10
/
ATOMIC_SPECIES
  Si 28.086 Si.UPF
ATOMIC_POSITIONS alat
  Si 0.00 0.00 0.00
  Si 0.25 0.25 0.25
K_POINTS automatic
  ${points} ${points} ${points} 1 1 1
`;
  return {
    name,
    file,
    words: ["-in", "si.in"],
    inputs: { "si.in": input, "Si.UPF": silicon },
  };
}
