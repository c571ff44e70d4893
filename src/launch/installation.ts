import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** MPI families that an interceptor can be built for. */
export const MPI_ABIS = ["openmpi", "mpich"] as const;
export type MpiAbi = (typeof MPI_ABIS)[number];

export const MPI_NAMES: Record<MpiAbi, string> = { openmpi: "Open MPI", mpich: "MPICH" };

export interface Interceptor {
  directory: string;
  /** What LD_PRELOAD names; undefined if it is not built. */
  library: string | undefined;
  /** The MPI families whose wrappers are built. */
  abis: MpiAbi[];
}

/** Folder of package.json, which lies at another height above src/ than above build/js/. */
export function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json")) || folder === dirname(folder)) return folder;
  }
}

/** What is built of the interceptor, by default in this installation. */
export function findInterceptor(
  directory: string = join(packageRoot(), "build", "interceptor"),
): Interceptor {
  const library = join(directory, "libvarscope.so");
  return {
    directory,
    library: existsSync(library) ? library : undefined,
    abis: MPI_ABIS.filter((abi) => existsSync(join(directory, `libvarscope-${abi}.so`))),
  };
}
