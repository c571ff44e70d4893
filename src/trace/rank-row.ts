import { processValue } from "./place-ranks.ts";
import type { DecodeResult, TraceReader } from "./reader.ts";

/** A row of the table `ranks`, and what the warnings need. */
export interface RankRow {
  rank: number;
  host: string;
  pid: number;
  program: string;
  threads: number;
  initNs: bigint;
  endNs: bigint;
  complete: boolean;
  intercepted: number;
  recorded: number;
  sampledOut: number;
  lost: number;
  toolNs: bigint;
  traceBytes: number;
  finalized: boolean;
}

/** @param zeroNs CLOCK_MONOTONIC of the rank's host at time 0 of the job */
export function makeRankRow(reader: TraceReader, result: DecodeResult, zeroNs: bigint): RankRow {
  const { description } = reader;
  const calls = countCalls(reader, result.rows);
  const initNs = description.initExitNs - zeroNs;
  const endNs = result.rows > 0 ? result.lastEndNs : description.lastNs - zeroNs;
  const damaged = description.damage.length > 0 || result.damage.length > 0;
  return {
    rank: description.rank,
    host: processValue(reader, "host") ?? "unknown",
    pid: Math.min(description.pid, 2 ** 31 - 1),
    program: processValue(reader, "program") ?? "unknown",
    threads: description.threads.length,
    initNs,
    endNs,
    complete: description.finalized && !description.stopped && !damaged && calls.lost === 0,
    ...calls,
    recorded: result.rows,
    toolNs: BigInt(Math.round(ownCost(reader, result.rows, Number(endNs - initNs)))),
    traceBytes: description.traceBytes,
    finalized: description.finalized,
  };
}

/** So that intercepted = recorded + sampled out + lost, whatever is missing. */
function countCalls(
  reader: TraceReader,
  recorded: number,
): { intercepted: number; sampledOut: number; lost: number } {
  let [told, sampledOut, lost] = [0, 0, 0];
  for (const thread of reader.description.threads) {
    told += thread.counted ? thread.intercepted : thread.sealed + thread.damaged;
    sampledOut += thread.sampledOut;
    lost += thread.lost;
  }
  const intercepted = Math.max(told, recorded + sampledOut + lost);
  return { intercepted, sampledOut, lost: intercepted - recorded - sampledOut };
}

/** Cannot be more than the time there was: then the numbers are damaged and tell nothing. */
function ownCost(reader: TraceReader, recorded: number, mostNs: number): number {
  const { toolNs, callsNs, callCostNs, threads } = reader.description;
  const cost = (callsNs > 0 ? callsNs : recorded * callCostNs) + toolNs;
  return cost <= Math.max(0, mostNs) * Math.max(1, threads.length) ? cost : 0;
}
