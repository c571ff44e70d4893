export interface LocalCall {
  name: string;
  /** What it is about; the head of mpi-local.txt explains groups. */
  group: string;
}

/** A mistake in the table of local calls, with its line. */
export class LocalError extends Error {
  constructor(line: number, message: string) {
    super(`mpi-local.txt:${line}: ${message}`);
    this.name = "LocalError";
  }
}

/**
 * Reads mpi-local.txt: the MPI functions that are left alone on purpose.
 * @param intercepted names that must not be there
 * @throws LocalError at the first name that cannot be right
 */
export function parseLocal(text: string, intercepted: ReadonlySet<string>): LocalCall[] {
  const calls: LocalCall[] = [];
  const known = new Set<string>();
  for (const [index, raw] of text.split("\n").entries()) {
    const [group, ...names] = raw.replace(/#.*/, "").trim().split(/\s+/);
    for (const name of names) {
      if (!/^MPI_\w+$/.test(name)) throw new LocalError(index + 1, `odd call name ${name}`);
      if (known.has(name)) throw new LocalError(index + 1, `${name} comes twice`);
      if (intercepted.has(name)) {
        throw new LocalError(index + 1, `${name} is in mpi-calls.txt too`);
      }
      known.add(name);
      calls.push({ name, group: group ?? "" });
    }
  }
  return calls;
}

/**
 * Functions that a header declares and neither table has, in order.
 * @param declared names as interceptor/mpi/list-mpi.sh lists them
 */
export function unknownFunctions(
  declared: Iterable<string>,
  intercepted: ReadonlySet<string>,
  local: readonly LocalCall[],
): string[] {
  const known = new Set(local.map(({ name }) => name));
  return [...declared]
    .filter((name) => name !== "" && !intercepted.has(name))
    .filter((name) => !known.has(name) && !known.has(name.replace(/_c$/, "")))
    .toSorted();
}
