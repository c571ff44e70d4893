/** How the wrapper of a Fortran call turns an argument (always a pointer) into its C value. */
export type FortranRead =
  | "none"
  | "integer"
  | "count"
  | "communicator"
  | "type"
  | "request"
  | "window"
  | "file"
  | "array"
  | "status";

export interface Role {
  /** C type of the parameter, as in the C prototype of the MPI standard. */
  c: string;
  fortran: FortranRead;
  /** The C binding has it and the Fortran binding does not. */
  cOnly?: boolean;
  /** A choice buffer: its mpi_f08 form takes a descriptor where the implementation uses TS 29113. */
  buffer?: boolean;
  /** Text: Fortran adds its length, by value, behind the last argument. */
  text?: boolean;
  /** C type in the large-count form of the call (MPI 4.0, section 2.5.8), where that is another one. */
  large?: string;
}

const integer: Role = { c: "int", fortran: "integer" };
const count: Role = { ...integer, large: "MPI_Count" };
const counts: Role = { c: "const int *", fortran: "array", large: "const MPI_Count *" };
const type: Role = { c: "MPI_Datatype", fortran: "type" };
const types: Role = { c: "const MPI_Datatype *", fortran: "array" };
const pointer = (c: string): Role => ({ c, fortran: "none" });

/** Roles of arguments in mpi-calls.txt. */
export const ROLES: Readonly<Record<string, Role>> = {
  argc: { c: "int *", fortran: "none", cOnly: true },
  argv: { c: "char ***", fortran: "none", cOnly: true },
  sendbuf: { c: "const void *", fortran: "none", buffer: true },
  recvbuf: { c: "void *", fortran: "none", buffer: true },
  count,
  sendcount: count,
  recvcount: count,
  type,
  sendtype: type,
  recvtype: type,
  dest: integer,
  source: integer,
  root: integer,
  tag: integer,
  sendtag: integer,
  recvtag: integer,
  comm: { c: "MPI_Comm", fortran: "communicator" },
  /** Peer communicator of an intercommunicator; means something on the leader only. */
  comm2: { c: "MPI_Comm", fortran: "none" },
  newcomm: { c: "MPI_Comm *", fortran: "communicator" },
  freecomm: { c: "MPI_Comm *", fortran: "communicator" },
  sendcounts: counts,
  recvcounts: counts,
  sendtypes: types,
  recvtypes: types,
  displs: { ...pointer("const int *"), large: "const MPI_Aint *" },
  adispls: pointer("const MPI_Aint *"),
  ints: pointer("const int *"),
  int: { c: "int", fortran: "none" },
  intout: pointer("int *"),
  op: { c: "MPI_Op", fortran: "none" },
  info: { c: "MPI_Info", fortran: "none" },
  group: { c: "MPI_Group", fortran: "none" },
  message: pointer("MPI_Message *"),
  request: { c: "MPI_Request *", fortran: "request" },
  requests: pointer("MPI_Request *"),
  /** Length of the request array. */
  n: integer,
  status: { c: "MPI_Status *", fortran: "status" },
  statuses: pointer("MPI_Status *"),
  indices: pointer("int *"),
  flag: { c: "int *", fortran: "integer" },
  index: { c: "int *", fortran: "integer" },
  outcount: { c: "int *", fortran: "integer" },
  /** A persistent request: made, freed, started, or looked at. */
  newrequest: { c: "MPI_Request *", fortran: "request" },
  freerequest: { c: "MPI_Request *", fortran: "request" },
  startrequest: { c: "MPI_Request *", fortran: "request" },
  startrequests: { c: "MPI_Request *", fortran: "array" },
  partrequest: { c: "MPI_Request", fortran: "request" },
  /** A request that nothing is read from. */
  anyrequest: { c: "MPI_Request", fortran: "none" },
  partitions: integer,
  /** Elements of one partition: large in all forms. */
  partcount: { c: "MPI_Count", fortran: "count" },
  intlist: pointer("int *"),
  win: { c: "MPI_Win", fortran: "window" },
  newwin: { c: "MPI_Win *", fortran: "window" },
  freewin: { c: "MPI_Win *", fortran: "window" },
  target: integer,
  origincount: count,
  origintype: type,
  targetcount: { c: "int", fortran: "none", large: "MPI_Count" },
  targettype: { c: "MPI_Datatype", fortran: "none" },
  resultcount: count,
  resulttype: type,
  aint: { c: "MPI_Aint", fortran: "none" },
  dispunit: { c: "int", fortran: "none", large: "MPI_Aint" },
  /** Where a call puts the address of memory that it allocated. */
  baseptr: pointer("void *"),
  file: { c: "MPI_File", fortran: "file" },
  newfile: { c: "MPI_File *", fortran: "file" },
  freefile: { c: "MPI_File *", fortran: "file" },
  offset: { c: "MPI_Offset", fortran: "none" },
  offsetout: pointer("MPI_Offset *"),
  anytype: { c: "MPI_Datatype", fortran: "none" },
  string: { ...pointer("const char *"), text: true },
  stringout: { ...pointer("char *"), text: true },
  strings: { ...pointer("char **"), text: true },
  stringlists: { ...pointer("char ***"), text: true },
  infos: pointer("const MPI_Info *"),
  errhandler: { c: "MPI_Errhandler", fortran: "none" },
  pointer: pointer("void *"),
  bufsize: { ...pointer("int *"), large: "MPI_Count *" },
  /** What MPI_Pcontrol is asked for, and what may follow: never looked at, and not passed on. */
  level: integer,
  varargs: { c: "...", fortran: "none", cOnly: true },
  oldstatus: pointer("const MPI_Status *"),
};

/**
 * Work rules: the helper `vs_work_RULE` in interceptor/mpi/work.h gets the record, the communicator,
 * and the values of these roles, in this order. Rules with `statement` code of their own in the
 * wrapper (lifetime, creation, freeing) have an empty list.
 */
export const RULES: Readonly<Record<string, readonly string[]>> = {
  none: [],
  init: [],
  finalize: [],
  create: [],
  idup: [],
  free: [],
  free_request: [],
  create_alone: [],
  window: [],
  open: [],
  put: ["origincount", "origintype", "target"],
  fetch: ["resultcount", "resulttype", "target"],
  fetch_one: ["type", "target"],
  target: ["target"],
  window_test: ["flag"],
  file: ["count", "type", "status"],
  start: ["startrequest"],
  startall: ["n", "startrequests"],
  ready: ["partrequest"],
  partitioned_send: ["partitions", "partcount", "type", "dest", "tag"],
  partitioned_receive: ["partitions", "partcount", "type", "source", "tag"],
  send: ["count", "type", "dest", "tag"],
  receive: ["count", "type", "source", "tag", "status"],
  ireceive: ["count", "type", "source", "tag"],
  mreceive: ["count", "type", "status"],
  imreceive: ["count", "type"],
  sendrecv: "sendcount sendtype dest sendtag recvcount recvtype source recvtag status".split(" "),
  isendrecv: "sendcount sendtype dest sendtag recvcount recvtype source".split(" "),
  iexchange: ["count", "type", "dest", "sendtag", "source"],
  exchange: ["count", "type", "dest", "sendtag", "source", "recvtag", "status"],
  probe: ["source", "tag", "status"],
  iprobe: ["source", "tag", "flag", "status"],
  wait: [],
  waitall: ["n"],
  waitany: ["n", "index"],
  waitsome: ["n", "outcount"],
  test: ["flag"],
  testall: ["n", "flag"],
  testany: ["n", "index", "flag"],
  rooted: ["count", "type", "root"],
  local: ["count", "type"],
  gather: ["sendcount", "sendtype", "recvcount", "recvtype", "root"],
  gatherv: ["sendcount", "sendtype", "recvcounts", "recvtype", "root"],
  scatter: ["sendcount", "sendtype", "recvcount", "recvtype", "root"],
  scatterv: ["sendcounts", "sendtype", "recvcount", "recvtype", "root"],
  all: ["recvcount", "recvtype"],
  allv: ["recvcounts", "recvtype"],
  allw: ["recvcounts", "recvtypes"],
  reduce_scatter: ["recvcounts", "type"],
  reduce_scatter_block: ["recvcount", "type"],
  neighbours: ["recvcount", "recvtype"],
  neighboursv: ["recvcounts", "recvtype"],
  neighboursw: ["recvcounts", "recvtypes"],
  phase: ["level"],
};

/** Names of enum vst_category in interceptor/include/trace_format.h, in lower case. */
export const CATEGORIES: readonly string[] = [
  ..."lifetime send receive sendrecv isend ireceive wait test probe iprobe".split(" "),
  ..."collective icollective communicator request start".split(" "),
  ..."window rma window_sync file file_meta phase".split(" "),
];

/** The same for calls outside MPI. */
export const OTHER_CATEGORIES: readonly string[] =
  "io_open io_read io_write io_seek io_sync io_meta io_map thread lock openmp".split(" ");
