import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { findExecutable, identifyLauncher, type Lookup } from "../command.ts";
import type { Environment } from "../environment.ts";
import { type Interceptor, MPI_ABIS, MPI_NAMES, type MpiAbi } from "../installation.ts";
import { SYMBOL_TOOLS } from "../../symbols/addr2line.ts";
import type { Finding } from "./finding.ts";

const SETUP = "npm run setup, in varscope's folder";
const OLDEST_NODE = 20;

export interface MpiLauncher {
  abi: MpiAbi;
  file: string;
  version: string;
}

export function examineNode(): Finding {
  const detail = process.versions.node;
  const base = { id: "node", subject: "Node.js", detail } as const;
  if (Number(detail.split(".")[0]) >= OLDEST_NODE) return { ...base, status: "ok" };
  return { ...base, status: "missing", fix: `install Node.js ${OLDEST_NODE} or later` };
}

export function examineInterceptor({ library, abis, directory }: Interceptor): Finding[] {
  const base = { id: "interceptor", subject: "interceptor" } as const;
  if (!library || abis.length === 0) {
    return [{ ...base, status: "missing", detail: `not built in ${directory}`, fix: SETUP }];
  }
  const detail = `built for ${abis.map((abi) => MPI_NAMES[abi]).join(" and ")}`;
  return [{ ...base, status: "ok", detail }, examineFortran(library)];
}

/** Which Fortran interfaces are covered, told by the entry points the interceptor exports. */
function examineFortran(library: string): Finding {
  const symbols = readFileSync(library);
  const interfaces = [
    { name: "mpif.h and use mpi", entry: "mpi_init_" },
    { name: "use mpi_f08 (Open MPI)", entry: "mpi_init_f08_" },
    { name: "use mpi_f08 (MPICH)", entry: "mpi_send_f08ts_" },
  ].filter(({ entry }) => symbols.includes(`\0${entry}\0`));
  const detail = interfaces.map(({ name }) => name).join(", ");
  const base = { id: "fortran", subject: "Fortran" } as const;
  if (detail !== "") return { ...base, status: "ok", detail };
  return { ...base, status: "limited", detail: "only C and C++ programs are seen" };
}

/** The launchers of the supported MPIs on PATH. */
export function findLaunchers(lookup: Lookup): MpiLauncher[] {
  return MPI_ABIS.flatMap((abi) => {
    const names = [`mpirun.${abi}`, "mpirun", "mpiexec"];
    const name = names.find((candidate) => identifyLauncher(candidate, lookup) === abi);
    const file = name === undefined ? undefined : findExecutable(name, lookup);
    return file === undefined ? [] : [{ abi, file, version: versionOf(file) }];
  });
}

function versionOf(launcher: string): string {
  const { stdout } = spawnSync(launcher, ["--version"], { encoding: "utf8", timeout: 10_000 });
  return /\b\d+\.\d+(\.\d+)?\w*/.exec(stdout ?? "")?.[0] ?? "unknown version";
}

export function examineMpi(
  launchers: readonly MpiLauncher[],
  { abis }: Interceptor,
  environment: Environment,
): Finding[] {
  if (launchers.length === 0) {
    const fix = "install an MPI and build for it: npm run setup, in varscope's folder";
    const detail = "neither Open MPI nor MPICH found on PATH";
    return [{ id: "mpi", status: "missing", subject: "MPI", detail, fix }];
  }
  const found = launchers.map(({ abi, file, version }): Finding => {
    const base = { id: `mpi-${abi}`, subject: MPI_NAMES[abi] } as const;
    const detail = `${version}, ${file}`;
    if (abis.includes(abi)) return { ...base, status: "ok", detail };
    return { ...base, status: "limited", detail: `${detail}; no interceptor for it`, fix: SETUP };
  });
  const openMpi = launchers.some(({ abi }) => abi === "openmpi");
  return openMpi && process.geteuid?.() === 0 ? [...found, examineRoot(environment)] : found;
}

function examineRoot(environment: Environment): Finding {
  const names = ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"];
  const base = { id: "root", subject: "Open MPI as root" } as const;
  if (names.every((name) => environment[name] === "1")) {
    return { ...base, status: "ok", detail: "allowed by the environment" };
  }
  const fix = `where that is wanted: export ${names.map((name) => `${name}=1`).join(" ")}`;
  return { ...base, status: "limited", detail: "its mpirun refuses to start", fix };
}

/** What names of functions and lines in reports come from. */
export function examineSymbols(lookup: Lookup): Finding {
  const base = { id: "symbols", subject: "function names" } as const;
  const tool = SYMBOL_TOOLS.map((name) => findExecutable(name, lookup)).find(Boolean);
  if (tool) return { ...base, status: "ok", detail: tool };
  const detail = "no addr2line: reports name functions without files and lines";
  return { ...base, status: "limited", detail, fix: "install the Debian package binutils" };
}

/** Call paths need the stack to be walked, which is done on one architecture alone. */
export function examineCallPaths(architecture: string = process.arch): Finding {
  const base = { id: "call-paths", subject: "call paths" } as const;
  if (architecture === "x64") return { ...base, status: "ok", detail: "can be recorded" };
  const detail = `not on ${architecture}: calls are told apart by their site alone`;
  return { ...base, status: "limited", detail };
}
