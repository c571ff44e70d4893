import { argument, type Call } from "./parse.ts";

/** Statements around a real call that starts or completes requests; see interceptor/mpi/transfers.h. */
export interface RequestStatements {
  /** Before the real call. */
  before: string[];
  /** After it where it succeeded, before and after its work is known. */
  first: string[];
  succeeded: string[];
  /** After it in any case, at the end. */
  after: string[];
}

export interface RequestLanguage {
  /** Of functions that get arrays of handles. */
  suffix: string;
  /** What the first request's index is, in a call that completed `count` at `indices`. */
  firstIndex: (count: string, indices: string) => string;
  /** Type of a status argument, and what its function gets beside it. */
  statusType: string;
  statusExtra: string;
}

/** By work rule: whether all requests were completed, or the function that takes what the call tells. */
const COMPLETIONS: Readonly<
  Record<string, (value: Value, first: RequestLanguage["firstIndex"]) => string>
> = {
  wait: () => "vs_waited_all(&waiting, &scope);",
  waitall: () => "vs_waited_all(&waiting, &scope);",
  test: (value) => `if (${value("flag")}) vs_waited_all(&waiting, &scope);`,
  testall: (value) => `if (${value("flag")}) vs_waited_all(&waiting, &scope);`,
  waitany: (value, first) =>
    `vs_waited_one(&waiting, &scope, ${value("index")} - ${first("1", "index")});`,
  testany: (value, first) =>
    `if (${value("flag")}) vs_waited_one(&waiting, &scope, ${value("index")} - ${first("1", "index")});`,
  waitsome: (value, first) =>
    `vs_waited_some(&waiting, &scope, ${value("outcount")}, indices, ${first(value("outcount"), "indices")});`,
};

type Value = (role: string) => string;

/** Whether the call completes requests, and its status may have to be replaced. */
export function completesRequests(call: Call): boolean {
  return (
    call.work in COMPLETIONS && Boolean(argument(call, "request") ?? argument(call, "requests"))
  );
}

/** Whether the status of what the call makes or starts will tell what came. */
export function isReceive(call: Call): boolean {
  return call.work === "ireceive" || call.work === "imreceive";
}

export function requestStatements(
  call: Call,
  value: Value,
  language: RequestLanguage,
): RequestStatements {
  if (completesRequests(call)) return completing(call, value, language);
  if (call.work === "start" || call.work === "startall") return starting(call, value, language);
  const none = { before: [], first: [], succeeded: [], after: [] };
  const messages = messageStatements(call, value, language);
  if (call.work === "free_request") {
    const freed = `const MPI_Request freed = ${value("freerequest")};`;
    return { ...none, before: [freed], succeeded: ["vs_freed(&scope, freed);"] };
  }
  if (!argument(call, "request")) return { ...none, ...messages };
  if (call.category === "request") {
    return { ...none, succeeded: [`vs_cancelling(&scope, ${value("request")});`] };
  }
  const values = ["&scope", value("request"), "&work", "&communicator", String(isReceive(call))];
  const posted = `vs_posted(${values.join(", ")});`;
  // Posted as from anyone: then the status tells what came, whether the program looks at it or not.
  return { ...none, ...messages, succeeded: [posted, ...messages.succeeded] };
}

/** Statements around calls that find or receive a message; see interceptor/mpi/messages.h. */
function messageStatements(
  call: Call,
  value: Value,
  { suffix }: RequestLanguage,
): Pick<RequestStatements, "before" | "first" | "succeeded"> {
  const message = argument(call, "message")?.name;
  if (!message) return { before: [], first: [], succeeded: [] };
  if (call.work === "mreceive" || call.work === "imreceive") {
    return {
      before: [`const struct vs_message taken = vs_taken${suffix}(&scope, ${message});`],
      first: ["communicator = taken.comm;"],
      succeeded: ["vs_work_of_message(&work, &taken);"],
    };
  }
  const probed = `vs_probed${suffix}(&scope, ${message}, &work, &communicator);`;
  const found = call.work === "iprobe" ? `if (${value("flag")}) ` : "";
  return { before: [], first: [], succeeded: [`${found}${probed}`] };
}

function completing(call: Call, value: Value, language: RequestLanguage): RequestStatements {
  const { suffix, statusType, statusExtra } = language;
  const array = argument(call, "requests") ? "requests" : "request";
  const count = argument(call, "requests") ? value("n") : "1";
  const status = argument(call, "statuses") ? "statuses" : "status";
  return {
    before: [
      "struct vs_waiting waiting;",
      `vs_waiting_open${suffix}(&waiting, ${count}, ${array});`,
      `${statusType}const seen_status = vs_waiting_statuses${suffix}(&waiting, ${status}${statusExtra});`,
    ],
    first: [],
    succeeded: [COMPLETIONS[call.work]!(value, language.firstIndex)],
    after: [
      `if (!succeeded) vs_waited_failed${suffix}(&waiting, &scope, ${array});`,
      "vs_waiting_close(&waiting);",
    ],
  };
}

function starting(call: Call, value: Value, { suffix }: RequestLanguage): RequestStatements {
  const array = argument(call, "startrequests") ? "startrequests" : "startrequest";
  const count = argument(call, "startrequests") ? value("n") : "1";
  return {
    before: [
      "struct vs_waiting waiting;",
      `vs_waiting_open${suffix}(&waiting, ${count}, ${array});`,
    ],
    first: [`vs_restarted${suffix}(&waiting, ${array});`],
    succeeded: ["vs_posted_again(&waiting, &scope, &work, &communicator);"],
    after: ["vs_waiting_close(&waiting);"],
  };
}
