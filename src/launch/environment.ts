import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The loader splits LD_PRELOAD at spaces and colons and expands `$ORIGIN` and the like. */
const SPLITS_PRELOAD = /[\s:$]/;
/** Words that a shell on another host and Open MPI's own splitting leave alone. */
const PLAIN_WORD = /^[\w./:=+@%,~-]*$/;

/**
 * The variables that put a job under the interceptor; the launcher and everything between it and the
 * program inherit them, so no launcher's options need to be known.
 *
 * MPICH's hydra and Slurm's srun hand their environment on to other hosts. Open MPI hands on only
 * names that start with OMPI_, so its daemons there are started through env(1); that is what the
 * parameter orte_launch_agent is for. So variables of ours that the user has set go the same way. (The parameter mca_base_env_list would be simpler, but Open MPI
 * aborts when it meets the option -x.)
 */
export function tracingEnvironment(
  library: string,
  traceDirectory: string,
  given: Environment,
  options: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const before = given["LD_PRELOAD"] ?? "";
  const preload = before.split(/[\s:]+/).includes(library)
    ? before
    : [library, before].filter((part) => part !== "").join(":");
  const variables: Record<string, string> = {
    LD_PRELOAD: preload,
    ...ownOptions(given),
    ...options,
    VARSCOPE_TRACE_DIR: traceDirectory,
  };
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  if (settings.every((setting) => PLAIN_WORD.test(setting))) {
    const agent = given["OMPI_MCA_orte_launch_agent"] ?? "orted";
    variables["OMPI_MCA_orte_launch_agent"] = ["env", ...settings, agent].join(" ");
  }
  return variables;
}

/** Options of the interceptor that the user's own environment holds. */
function ownOptions(given: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).filter(
      (entry): entry is [string, string] =>
        entry[0].startsWith("VARSCOPE_") && entry[1] !== undefined,
    ),
  );
}

/** A way to name the interceptor in LD_PRELOAD, and how to take it back after the job. */
export interface PreloadPath {
  library: string;
  release: () => void;
}

/**
 * The library's own path, or, where LD_PRELOAD could not hold that, the same through a link to its
 * folder: in the run directory, which other hosts are likely to see, or else in a private temporary one.
 * @returns undefined if there is no place for such a link
 */
export function preloadPath(library: string, runPath: string): PreloadPath | undefined {
  if (!SPLITS_PRELOAD.test(library)) return { library, release: () => undefined };
  const inRun = !SPLITS_PRELOAD.test(runPath);
  if (!inRun && SPLITS_PRELOAD.test(tmpdir())) return undefined;
  try {
    const folder = inRun ? runPath : mkdtempSync(join(tmpdir(), "varscope-"));
    const link = join(folder, ".interceptor");
    symlinkSync(dirname(library), link);
    return {
      library: join(link, basename(library)),
      release: () => rmSync(inRun ? link : folder, { recursive: true, force: true }),
    };
  } catch {
    return undefined;
  }
}
