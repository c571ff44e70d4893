import { beforeAll, describe, expect, test } from "vitest";
import { buildCounter } from "./support/count.ts";
import { buildInterceptor, MPIS, type Mpi } from "./support/jobs.ts";
import {
  checkProgram,
  type Form,
  formsFor,
  inForm,
  type Row,
  row,
  rows,
  wait,
} from "./support/rows.ts";

/** A receive for up to 8 doubles, and the barrier after it. */
function expecting(peer: number, tag: number): Row[] {
  return [row("Irecv", { comm: 0, peer, tag, doubles: 8 }), row("Barrier", { comm: 0 })];
}

/** Of two requests, the second of which is null. */
const oneOfTwo = (call: string, completed = 1): Row => row(call, { requests: 2, completed });

/** What programs/keys_messages.c does on a rank, by hand. */
function expectedRows(rank: number, mpi: Mpi, form: Form): Row[] {
  const peer = 1 - rank;
  const message = (call: string, tag: number, doubles: number): Row =>
    row(call, { comm: 0, peer, tag, doubles });
  const modes = ["send", "bsend", "ssend", "rsend"].map((mode, index) => ({ mode, index }));
  const blocking = modes.flatMap(({ mode, index }) =>
    expecting(peer, index + 1).concat([
      message(mode.charAt(0).toUpperCase() + mode.slice(1), index + 1, index + 1),
      wait("Wait"),
    ]),
  );
  const started = modes.flatMap(({ mode, index }) =>
    expecting(peer, index + 5).concat([
      message(`I${mode}`, index + 5, index + 1),
      wait("Waitall", 2),
    ]),
  );
  const questions: [number, Row][] = [
    [30, oneOfTwo("Waitany")],
    [31, oneOfTwo("Waitsome")],
    [32, wait("Test")],
    [33, oneOfTwo("Testall", 2)], // null requests count as complete
    [34, oneOfTwo("Testany")],
    [35, oneOfTwo("Testsome")],
  ];
  return [
    row("Init"),
    ...blocking,
    ...started,
    row("Buffer_detach"),
    message("Sendrecv", 9, 4 + 4),
    message("Sendrecv_replace", 10, 2 + 2),
    ...(mpi === "mpich" ? exchangesOfMpi4(message) : []),
    ...probed(message),
    ...questions.flatMap(([tag, question]) =>
      expecting(peer, tag).concat([message("Send", tag, 1), question]),
    ),
    ...(mpi === "mpich" ? inParts(message, form) : []),
    row("Finalize"),
  ];
}

type Message = (call: string, tag: number, doubles: number) => Row;

/** What is received counts as posted: there is no status yet. */
function exchangesOfMpi4(message: Message): Row[] {
  return [
    message("Isendrecv", 11, 3 + 5),
    wait("Wait"),
    message("Isendrecv_replace", 12, 6 + 6),
    wait("Wait"),
  ];
}

/** One double comes where three were allowed. */
function probed(message: Message): Row[] {
  const found = (call: string, tag: number): Row => message(call, tag, 0);
  const foundAtOnce = (call: string, tag: number): Row => {
    const [name, bytes, peer, sent, comm] = found(call, tag);
    return [name, bytes, peer, sent, comm, 0, 1];
  };
  return [
    message("Isend", 20, 1),
    found("Probe", 20),
    message("Recv", 20, 1),
    wait("Wait"),
    message("Isend", 21, 1),
    foundAtOnce("Iprobe", 21),
    message("Recv", 21, 1),
    wait("Wait"),
    message("Isend", 22, 1),
    found("Mprobe", 22),
    // A message handle names neither communicator nor source: the probe before did.
    message("Mrecv", 22, 1),
    wait("Wait"),
    message("Isend", 23, 1),
    foundAtOnce("Improbe", 23),
    message("Imrecv", 23, 3),
    wait("Wait"),
    wait("Wait"),
  ];
}

function inParts(message: Message, { language, name }: Form): Row[] {
  const start = row("Startall", {
    comm: 0,
    peer: message("", 40, 0)[2],
    tag: 40,
    doubles: 2 * (2 * 4),
    requests: 2,
  });
  return [
    message("Psend_init", 40, 0),
    message("Precv_init", 40, 0),
    start,
    message("Pready_list", 40, 0),
    ...(language === "C" || /-3/.test(name) ? [wait("Parrived")] : []),
    wait("Waitall", 2),
    row("Request_free"),
    row("Request_free"),
  ];
}

/** Programs ask again and again until something is there. */
const isVainQuestion = ([call, , , , , , completed]: Row): boolean =>
  /^MPI_(Test|I(m?)probe|Parrived)/.test(call) && completed === 0;

let counter: string;

beforeAll(() => {
  buildInterceptor();
  counter = buildCounter();
});

describe.each(MPIS)("%s", (mpi) => {
  test.each(formsFor(mpi, "keys_messages"))("keys of all messages, $title", (form) => {
    for (const file of checkProgram(mpi, form, counter)) {
      const seen = rows(file).filter((one) => !isVainQuestion(one));
      expect(seen).toEqual(inForm(form, expectedRows(file.rank, mpi, form)));
    }
  });
});
