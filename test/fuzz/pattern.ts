import type { RowCheck } from "./check-trace.ts";

/* As in pattern.c. */
const MOST_BYTES = 4096;
const TAGS_OF_A_THREAD = 4096;

function mix(thread: number, call: number): number {
  let x = (Math.imul(call + 1, 2654435761) + Math.imul(thread, 40503)) >>> 0;
  x ^= x >>> 15;
  x = Math.imul(x, 2246822519) >>> 0;
  return (x ^ (x >>> 13)) >>> 0;
}

/** Call, bytes, tag of the n-th call that pattern.c makes in a thread. */
function expected(thread: number, n: number): [call: string, bytes: number, tag: number] {
  const number = mix(thread, n);
  const value = Math.floor(number / 4);
  if (thread === 0 && number % 4 === 0) return ["MPI_Allreduce", value % MOST_BYTES, -1];
  return ["MPI_Iprobe", 0, thread * TAGS_OF_A_THREAD + (value % TAGS_OF_A_THREAD)];
}

/**
 * Checks each MPI call of a fully recorded pattern.c. Threads come in any order; the tag of the first call tells
 * which one it is, and all further rows must agree.
 * @param calls that each thread makes
 */
export function patternCheck(calls: number): RowCheck {
  let [current, program, next] = [-1, 0, 0];
  return (columns, i, { states }) => {
    const thread = columns.thread[i]!;
    const tag = columns.tag[i]!;
    const call = states[columns.state[i]!]?.call ?? "an unknown call";
    if (thread !== current) {
      current = thread;
      program = thread === 0 ? 0 : Math.floor(tag / TAGS_OF_A_THREAD);
      next = thread === 0 ? -1 : 0;
    }
    if (!call.startsWith("MPI_") && call !== "an unknown call") return undefined;
    const n = next++;
    const found = [call, Number(columns.bytes[i]), tag].join(" ");
    const wanted = wantedCall(program, n, calls).join(" ");
    return found === wanted ? undefined : `call ${n} is ${found} instead of ${wanted}`;
  };
}

/** The first thread also makes MPI_Init_thread, as call -1, and MPI_Finalize. */
function wantedCall(thread: number, n: number, calls: number): readonly unknown[] {
  if (n < 0) return ["MPI_Init_thread", 0, -1];
  if (n < calls) return expected(thread, n);
  return thread === 0 && n === calls ? ["MPI_Finalize", 0, -1] : ["nothing"];
}
