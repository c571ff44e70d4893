import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import type { Ending } from "./child.ts";
import { type GuessedProgram, identifyLauncher, type Lookup } from "./command.ts";
import { readExecutable } from "./elf.ts";
import type { Environment } from "./environment.ts";
import { type Interceptor, MPI_NAMES, type MpiAbi } from "./installation.ts";

/** What is known about a run that recorded nothing. */
export interface Silence {
  command: readonly string[];
  program: GuessedProgram;
  lookup: Lookup;
  environment: Environment;
  ending: Ending;
  interceptor: Interceptor;
  /** Effective user id. */
  user: number;
}

const ROOT_VARIABLES = ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"];
const SET_ID_BITS = 0o6000;

/** Library names of MPIs, and which interceptor serves them; `libmpi.so.12` is the common MPICH ABI. */
const MPI_LIBRARIES: readonly { pattern: RegExp; abi: MpiAbi | undefined; name: string }[] = [
  { pattern: /^libmpi(_mpifh|_usempif08|_cxx)?\.so\.40$/, abi: "openmpi", name: MPI_NAMES.openmpi },
  {
    pattern: /^libmpich(fort|cxx)?\.so\.12$|^libmpi(fort|cxx)?\.so\.12$/,
    abi: "mpich",
    name: MPI_NAMES.mpich,
  },
  { pattern: /^lib(mpi|mpich)\w*\.so/, abi: undefined, name: "another MPI" },
];

/** One line on why nothing was recorded, as far as the files involved tell. */
export function explainSilence(silence: Silence): string {
  return refusedAsRoot(silence) ?? unreachable(silence) ?? "no process called MPI_Init";
}

function refusedAsRoot({
  command,
  lookup,
  environment,
  ending,
  user,
}: Silence): string | undefined {
  const allowed = ROOT_VARIABLES.every((name) => environment[name] === "1");
  if (user !== 0 || allowed || ending.exitCode !== 1) return undefined;
  if (identifyLauncher(command[0] ?? "", lookup) !== "openmpi") return undefined;
  const settings = ROOT_VARIABLES.map((name) => `${name}=1`).join(" and ");
  return `Open MPI refuses to run as root; where that is wanted, as in a container, set ${settings}`;
}

/** Why the loader could not bring the interceptor into the program, or the interceptor not serve it. */
function unreachable({ program, interceptor }: Silence): string | undefined {
  if (program.file === undefined) return undefined;
  const { name } = program;
  try {
    if ((statSync(program.file).mode & SET_ID_BITS) !== 0) {
      return `${name} is set-user-id or set-group-id, and the loader keeps preloaded libraries out of those`;
    }
    if (hasCapabilities(program.file)) {
      return `${name} has file capabilities, and the loader keeps preloaded libraries out of such programs`;
    }
    const executable = readExecutable(program.file);
    if (executable.kind !== "elf") return undefined;
    if (executable.bits === 32) return `${name} is a 32-bit program, which is not supported`;
    if (!executable.dynamic) {
      return `${name} is statically linked; link it against a shared MPI library, or with varscope in it (docs/guide.md)`;
    }
    return unserved(name, executable.needed, interceptor);
  } catch {
    return undefined;
  }
}

/** False also where the system does not have getcap (Debian: libcap2-bin) to tell. */
function hasCapabilities(file: string): boolean {
  const path = `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`;
  const told = spawnSync("getcap", [file], { encoding: "utf8", env: { PATH: path } });
  return told.status === 0 && told.stdout.includes("cap_");
}

function unserved(name: string, needed: string[], interceptor: Interceptor): string | undefined {
  const library = MPI_LIBRARIES.find(({ pattern }) => needed.some((file) => pattern.test(file)));
  if (!library)
    return `no process called MPI_Init (${name} itself is not linked to an MPI library)`;
  if (!library.abi) return `${name} is linked to ${library.name} than Open MPI 4 or MPICH`;
  if (interceptor.abis.includes(library.abi)) return undefined;
  return `${name} uses ${library.name}, for which no interceptor is built; see: varscope doctor`;
}
