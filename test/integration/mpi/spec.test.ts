import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { emitCallsHeader } from "../../../interceptor/spec/emit-calls.ts";
import { parseLocal, unknownFunctions } from "../../../interceptor/spec/local.ts";
import { parseOtherCalls } from "../../../interceptor/spec/other-calls.ts";
import { parseCalls } from "../../../interceptor/spec/parse.ts";
import { buildInterceptor, GENERATED, INTERCEPTOR, MPIS } from "./support/jobs.ts";

const TABLE = readFileSync(
  new URL("../../../interceptor/spec/mpi-calls.txt", import.meta.url),
  "utf8",
);

const LOCAL = readFileSync(
  new URL("../../../interceptor/spec/mpi-local.txt", import.meta.url),
  "utf8",
);

/** The calls that must be there, from the lists of the MPI 3.1 standard (chapters 3, 5 to 8, 10, 11, 13). */
const REQUIRED = `
  Init Init_thread Finalize Pcontrol
  Send Bsend Ssend Rsend Recv Mrecv Sendrecv Sendrecv_replace
  Isend Ibsend Issend Irsend Irecv Imrecv Probe Iprobe Mprobe Improbe
  Wait Waitall Waitany Waitsome Test Testall Testany Testsome
  Barrier Bcast Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv Alltoallw
  Reduce Allreduce Reduce_scatter Reduce_scatter_block Scan Exscan
  Ibarrier Ibcast Igather Igatherv Iscatter Iscatterv Iallgather Iallgatherv Ialltoall Ialltoallv
  Ialltoallw Ireduce Iallreduce Ireduce_scatter Ireduce_scatter_block Iscan Iexscan
  Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw
  Ineighbor_allgather Ineighbor_allgatherv Ineighbor_alltoall Ineighbor_alltoallv
  Ineighbor_alltoallw
  Comm_dup Comm_dup_with_info Comm_idup Comm_split Comm_split_type Comm_create Comm_create_group
  Comm_free Comm_disconnect Cart_create Cart_sub Graph_create Dist_graph_create
  Dist_graph_create_adjacent Intercomm_create Intercomm_merge
  Send_init Bsend_init Ssend_init Rsend_init Recv_init Start Startall
  Request_free Request_get_status Cancel Test_cancelled Buffer_detach
  Win_create Win_allocate Win_allocate_shared Win_create_dynamic Win_attach Win_detach Win_free
  Put Get Accumulate Get_accumulate Fetch_and_op Compare_and_swap Rput Rget Raccumulate
  Rget_accumulate Win_fence Win_start Win_complete Win_post Win_wait Win_test Win_lock Win_unlock
  Win_lock_all Win_unlock_all Win_flush Win_flush_local Win_flush_all Win_flush_local_all Win_sync
  File_open File_close File_delete File_set_size File_preallocate File_get_size File_set_info
  File_set_view File_seek File_seek_shared File_get_position_shared File_set_atomicity File_sync
  File_read_at File_read_at_all File_write_at File_write_at_all File_iread_at File_iread_at_all
  File_iwrite_at File_iwrite_at_all File_read File_read_all File_write File_write_all File_iread
  File_iread_all File_iwrite File_iwrite_all File_read_shared File_write_shared File_iread_shared
  File_iwrite_shared File_read_ordered File_write_ordered File_read_at_all_begin
  File_read_at_all_end File_write_at_all_begin File_write_at_all_end File_read_all_begin
  File_read_all_end File_write_all_begin File_write_all_end File_read_ordered_begin
  File_read_ordered_end File_write_ordered_begin File_write_ordered_end
  Comm_spawn Comm_spawn_multiple Comm_accept Comm_connect Comm_join Open_port Close_port
  Publish_name Unpublish_name Lookup_name`;

/** From MPI 4.0: chapters 3.10, 4, 6.13, 7.4 and 8.9. */
const REQUIRED_4 = `
  Comm_idup_with_info Comm_create_from_group Intercomm_create_from_groups
  Isendrecv Isendrecv_replace Psend_init Precv_init Pready Pready_range Pready_list Parrived
  Barrier_init Bcast_init Gather_init Gatherv_init Scatter_init Scatterv_init Allgather_init
  Allgatherv_init Alltoall_init Alltoallv_init Alltoallw_init Reduce_init Allreduce_init
  Reduce_scatter_init Reduce_scatter_block_init Scan_init Exscan_init
  Neighbor_allgather_init Neighbor_allgatherv_init Neighbor_alltoall_init
  Neighbor_alltoallv_init Neighbor_alltoallw_init`;

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Calls that have no large-count form: nothing in them counts elements. */
const WITHOUT_LARGE = new Set(
  words(`
  Init Init_thread Finalize Pcontrol Probe Iprobe Mprobe Improbe
  Wait Waitall Waitany Waitsome Test Testall Testany Testsome Barrier Ibarrier Barrier_init
  Psend_init Precv_init Pready Pready_range Pready_list Parrived Start Startall
  Request_free Request_get_status Cancel Test_cancelled
  Win_create_dynamic Win_attach Win_detach Win_free Fetch_and_op Compare_and_swap Win_fence
  Win_start Win_complete Win_post Win_wait Win_test Win_lock Win_unlock
  Win_lock_all Win_unlock_all Win_flush Win_flush_local Win_flush_all Win_flush_local_all Win_sync
  File_open File_close File_delete File_set_size File_preallocate File_get_size File_set_info
  File_set_view File_seek File_seek_shared File_get_position_shared File_set_atomicity File_sync
  File_read_at_all_end File_write_at_all_end File_read_all_end File_write_all_end
  File_read_ordered_end File_write_ordered_end
  Comm_spawn Comm_spawn_multiple Comm_accept Comm_connect Comm_join Open_port Close_port
  Publish_name Unpublish_name Lookup_name Comm_idup_with_info Comm_create_from_group
  Intercomm_create_from_groups
  Comm_dup Comm_dup_with_info Comm_idup Comm_split Comm_split_type Comm_create Comm_create_group
  Comm_free Comm_disconnect Cart_create Cart_sub Graph_create Dist_graph_create
  Dist_graph_create_adjacent Intercomm_create Intercomm_merge`),
);

const SMALL = [...words(REQUIRED), ...words(REQUIRED_4)];
const LARGE = SMALL.filter((name) => !WITHOUT_LARGE.has(name)).map((name) => `${name}_c`);
const ALL = [...SMALL, ...LARGE].map((name) => `MPI_${name}`);

beforeAll(buildInterceptor);

describe("the table of calls", () => {
  test("holds just the calls that it should", () => {
    const names = parseCalls(TABLE).map(({ name }) => name);
    expect(names.toSorted()).toEqual(ALL.toSorted());
  });

  test("numbers calls by position", () => {
    for (const [index, { number }] of parseCalls(TABLE).entries()) expect(number).toBe(index);
  });

  test.each([
    ["MPI_Send send", "mpi-calls.txt:1: wants: call category work roles..."],
    ["mpi_send send send", "mpi-calls.txt:1: odd call name mpi_send"],
    ["\nMPI_Send sent send", "mpi-calls.txt:2: unknown category sent"],
    ["MPI_Send send sent", "mpi-calls.txt:1: unknown work sent"],
    [
      "MPI_Bcast collective local count",
      "mpi-calls.txt:1: work local needs the role type just once",
    ],
    ["MPI_Barrier collective none comn", "mpi-calls.txt:1: unknown role comn"],
    [
      "MPI_Comm_free communicator free comm",
      "mpi-calls.txt:1: work free needs the role freecomm|freewin|freefile just once",
    ],
    [
      "MPI_Barrier collective none comm\nMPI_Barrier collective none comm",
      "mpi-calls.txt:2: MPI_Barrier comes twice",
    ],
  ])("refuses %j", (text, message) => {
    expect(() => parseCalls(text)).toThrow(message);
  });
});

describe("the table of local calls", () => {
  const intercepted = new Set(parseCalls(TABLE).map(({ name }) => name));

  test.each(MPIS)("with the other, has every function of the header of %s", (mpi) => {
    const declared = readFileSync(join(GENERATED, `${mpi}.names`), "utf8").split("\n");
    expect(declared).toContain("MPI_Comm_rank");
    expect(unknownFunctions(declared, intercepted, parseLocal(LOCAL, intercepted))).toEqual([]);
  });

  test("a function in neither is found, one of an intercepted or local call is not", () => {
    const declared = ["MPI_Send", "MPI_Send_c", "MPI_Pack_c", "MPI_Teleport", "MPI_Wtime", ""];
    const local = parseLocal("pack MPI_Pack\nclock  MPI_Wtime # now\n", intercepted);
    expect(unknownFunctions(declared, intercepted, local)).toEqual(["MPI_Teleport"]);
  });

  test.each([
    ["clock MPI_Wtime\nclock MPI_Wtime", "mpi-local.txt:2: MPI_Wtime comes twice"],
    ["\npack MPI_Send", "mpi-local.txt:2: MPI_Send is in mpi-calls.txt too"],
    ["pack MPI_Pack,", "mpi-local.txt:1: odd call name MPI_Pack,"],
  ])("refuses %j", (text, message) => {
    expect(() => parseLocal(text, intercepted)).toThrow(message);
  });
});

/** Exported names of a library of the interceptor. */
function symbols(library: string): string[] {
  return dynamicSymbols(join(INTERCEPTOR, library));
}

/** Exported names of a library, without their versions. */
function dynamicSymbols(file: string): string[] {
  return execFileSync("nm", ["-D", "--defined-only", file], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => (line.split(" ").at(-1) ?? "").replace(/@.*/, ""));
}

describe("the preloaded library", () => {
  test("exports the forms of every call, and nothing else", () => {
    const buffers = /sendbuf|recvbuf/;
    // Open MPI's mpi module has these for bases that are C pointers.
    const withPointer = new Set(["MPI_Win_allocate", "MPI_Win_allocate_shared"]);
    const expected = parseCalls(TABLE).flatMap((call) => {
      const withBuffer = call.arguments.some(({ roleName }) => buffers.test(roleName));
      const large = call.name.endsWith("_c");
      const lower = call.name.toLowerCase().replace(/_c$/, "");
      const end = large ? "large_" : "";
      const descriptors = withBuffer ? [`${lower}_f08ts_${end}`] : [];
      const old = large ? [] : [`${lower}_`];
      return [call.name, `${lower}_f08_${end}`].concat(
        old,
        descriptors,
        withPointer.has(call.name) ? [`${lower}_cptr_`] : [],
      );
    });
    const exported = symbols("libvarscope.so");
    expect(exported.filter((name) => /^p?mpi_/i.test(name)).toSorted()).toEqual(
      expected.toSorted(),
    );
    // The rest stands before functions that the system and the OpenMP runtimes have, but for entries of tools and of a linked varscope.
    const others = exported.filter((name) => !/^p?mpi_/i.test(name));
    const libraries = ["libc.so.6", "libgomp.so.1"].map((file) => `/lib/x86_64-linux-gnu/${file}`);
    const known = new Set(
      libraries
        .flatMap((file) => dynamicSymbols(file))
        .concat("ompt_start_tool", "varscope_stands_aside"),
    );
    expect(others.length).toBeGreaterThan(50);
    expect(others.filter((name) => !known.has(name))).toEqual([]);
  });

  test.each(["libvarscope-openmpi.so", "libvarscope-mpich.so"])("%s exports one symbol", (name) => {
    expect(symbols(name)).toEqual(["varscope_abi"]);
  });

  test.each(["libvarscope.so", "libvarscope-openmpi.so", "libvarscope-mpich.so"])(
    "%s needs no MPI library",
    (name) => {
      const dynamic = execFileSync("readelf", ["-d", join(INTERCEPTOR, name)], {
        encoding: "utf8",
      });
      expect(dynamic).toContain("NEEDED");
      expect(dynamic).not.toMatch(/NEEDED.*mpi/);
    },
  );
});

test.each([
  ["read", "io-calls.txt:1: wants: call category"],
  ["Read io_read", "io-calls.txt:1: odd call name Read"],
  ["# only a comment\nread send", "io-calls.txt:2: unknown category send"],
  ["read io_read\nread io_read", "io-calls.txt:2: read comes twice"],
])("a mistake in a list of other calls is told with its line: %j", (text, message) => {
  expect(() => parseOtherCalls(text, "io-calls.txt")).toThrow(message);
});

test("libraries that number calls differently have different fingerprints", () => {
  const others = [{ name: "read", category: "io_read" }];
  const fingerprint = (calls: ReturnType<typeof parseCalls>, more = others) =>
    /VS_SPEC_FINGERPRINT (0x[0-9a-f]{16})u/.exec(emitCallsHeader(calls, more, TABLE))?.[1];
  const calls = parseCalls(TABLE);
  const fewer = calls.slice(1).map((call, number) => Object.assign({}, call, { number }));
  expect(fingerprint(calls)).toBeDefined();
  expect(fingerprint(calls)).toBe(fingerprint(parseCalls(TABLE)));
  expect(fingerprint(fewer)).not.toBe(fingerprint(calls));
  expect(fingerprint(calls, [])).not.toBe(fingerprint(calls));
});
