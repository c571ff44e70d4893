/** Whom a call waits for. Definitions with drawings: docs/wait-states.md. */
export type Pattern = "barrier" | "n-to-n" | "1-to-n" | "n-to-1" | "prefix";

/** `kind` in `wait_states` of each pattern. */
export const WAIT_KINDS: Readonly<Record<Pattern, string>> = {
  barrier: "wait at barrier",
  "n-to-n": "wait at n-to-n",
  "1-to-n": "late root",
  "n-to-1": "wait at n-to-1",
  prefix: "wait at prefix",
};

export interface CollectiveCall {
  call: string;
  pattern: Pattern;
  /** Nobody who gets data (whose bytes are not 0) can leave before those that it waits for have come. */
  must: boolean;
  /** It only starts: the wait is in the call that completes its request. */
  nonBlocking: boolean;
}

/** With non-blocking forms. Of alltoallv and alltoallw a rank may get data from some and none from others. */
const DATA: readonly [name: string, pattern: Pattern, must: boolean][] = [
  ["barrier", "barrier", true],
  ["bcast", "1-to-n", true],
  ["scatter", "1-to-n", true],
  ["scatterv", "1-to-n", true],
  ["reduce", "n-to-1", true],
  ["gather", "n-to-1", true],
  ["gatherv", "n-to-1", false],
  ["allreduce", "n-to-n", true],
  ["allgather", "n-to-n", true],
  ["allgatherv", "n-to-n", false],
  ["alltoall", "n-to-n", true],
  ["alltoallv", "n-to-n", false],
  ["alltoallw", "n-to-n", false],
  ["reduce_scatter", "n-to-n", false],
  ["reduce_scatter_block", "n-to-n", true],
  ["scan", "prefix", true],
  ["exscan", "prefix", true],
];

/** Collective over the communicator that the record names; whether ranks wait in them is up to the MPI library. */
const MAKING = [
  ..."Comm_dup Comm_dup_with_info Comm_split Comm_split_type Comm_create".split(" "),
  ..."Cart_create Cart_sub Graph_create Dist_graph_create Dist_graph_create_adjacent".split(" "),
  ..."Win_create Win_allocate Win_allocate_shared Win_create_dynamic Win_fence Win_free".split(" "),
  ..."File_open File_close File_set_size File_preallocate File_set_view File_set_atomicity".split(
    " ",
  ),
  ..."File_sync File_seek_shared File_read_all File_read_at_all File_write_all".split(" "),
  "File_write_at_all",
  "Finalize",
];

/**
 * The collective calls that are matched (MPI-4.0, chapters 6, 7, 12 and 14).
 *
 * Left out: neighbourhood collectives (who is whose neighbour is not recorded), Comm_create_group (its members are not those
 * of the communicator that the record names), Comm_free (it need not wait), calls on two groups and with other jobs,
 * starts of persistent collectives (nothing tells them from other starts), and split and ordered file accesses.
 */
export const COLLECTIVE_CALLS: readonly CollectiveCall[] = [
  ...DATA.flatMap(([name, pattern, must]) => [
    { call: `MPI_${name[0]!.toUpperCase()}${name.slice(1)}`, pattern, must, nonBlocking: false },
    { call: `MPI_I${name}`, pattern, must, nonBlocking: true },
  ]),
  ...MAKING.map((name): CollectiveCall => {
    return { call: `MPI_${name}`, pattern: "n-to-n", must: false, nonBlocking: false };
  }),
];
