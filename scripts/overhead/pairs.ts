import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../../src/launch/installation.ts";
import { runDirectory } from "../../src/trace/run-directory.ts";
import { TraceReader } from "../../src/trace/reader.ts";

const environment = {
  ...process.env,
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
};

/** What a traced run says of itself. */
export interface Account {
  /** Own cost of rank 0, s. */
  ownSeconds: number;
  intercepted: number;
  recorded: number;
  /** Of rank 0. */
  calls: number;
  bytes: number;
}

export interface Run {
  output: string;
  /** Of a traced run. */
  account: Account | undefined;
}

/** One way of running a program: untraced, or traced with these options of `varscope run`. */
export type Variant = "untraced" | readonly string[];

/** @throws Error if the program fails, or a traced one leaves nothing */
export function runOnce(command: readonly string[], variant: Variant): Run {
  const folder = mkdtempSync(join(tmpdir(), "varscope-bench-"));
  const directory = join(folder, "run");
  const varscope = [process.execPath, join(packageRoot(), "bin/varscope.js"), "run", "-q"];
  const [file = "", ...words] =
    variant === "untraced" ? command : [...varscope, "-o", directory, ...variant, "--", ...command];
  try {
    const { stdout, stderr, status } = spawnSync(file, words, {
      encoding: "utf8",
      env: environment,
      cwd: folder,
    });
    if (status !== 0) throw new Error(`${command.join(" ")} failed: ${stderr}`);
    const account = variant === "untraced" ? undefined : accountOf(directory);
    return { output: stdout, account };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function accountOf(directory: string): Account {
  const account: Account = { ownSeconds: 0, intercepted: 0, recorded: 0, calls: 0, bytes: 0 };
  const { traceDirectory } = runDirectory(directory);
  for (const name of readdirSync(traceDirectory)) {
    const { description } = new TraceReader(join(traceDirectory, name));
    if (description.rank === 0)
      account.ownSeconds = (description.callsNs + description.toolNs) / 1e9;
    account.bytes += description.traceBytes;
    for (const thread of description.threads) {
      account.intercepted += thread.intercepted;
      if (description.rank === 0) account.calls += thread.intercepted;
      account.recorded += thread.written;
    }
  }
  if (account.intercepted === 0) throw new Error("nothing was recorded; see: varscope doctor");
  return account;
}

/** Results of the same program run by turns in several variants; one value per round and variant. */
export interface Rounds {
  values: number[][];
  /** Of the last traced run of each variant. */
  accounts: (Account | undefined)[];
  /** Own cost of rank 0 in every round, s; 0 for untraced. */
  own: number[][];
}

/**
 * Runs all variants in every round, so that slow changes of the machine meet them alike; who begins goes
 * round.
 * @param read takes the measured value from a run
 */
export function interleave(
  command: readonly string[],
  variants: readonly Variant[],
  rounds: number,
  read: (run: Run) => number,
): Rounds {
  const result: Rounds = {
    values: variants.map(() => []),
    accounts: variants.map(() => undefined),
    own: variants.map(() => []),
  };
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < variants.length; turn++) {
      const at = (round + turn) % variants.length;
      const run = runOnce(command, variants[at]!);
      result.values[at]!.push(read(run));
      result.own[at]!.push(run.account?.ownSeconds ?? 0);
      result.accounts[at] = run.account;
    }
  }
  return result;
}
