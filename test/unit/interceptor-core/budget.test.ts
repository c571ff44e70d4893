import { expect, test } from "vitest";
import { decodeTrace } from "./decode.ts";
import { buildDriver, runDriver, temporaryFolder } from "./run-driver.ts";

const folder = temporaryFolder();

/** Share of the run that the recorder says it took itself, in percent. */
function ownShare(budget: Record<string, string>): number {
  const run = runDriver(buildDriver("plain"), folder, "govern-often", 800_000, budget);
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const trace = decodeTrace(run.trace);
  const last = trace.staging.flatMap(({ slots }) => slots.map(({ exit }) => exit));
  const ends = [...trace.clocks.map(({ tick }) => tick), ...last.map(BigInt)];
  const ran = ends.reduce((latest, tick) => (tick > latest ? tick : latest)) - trace.initExitTick;
  return (100 * Number(trace.callTicks + trace.toolTicks)) / Number(ran);
}

// Both numbers are the recorder's: its account, and ticks from its start to its last record or clock. On an idle machine the
// share is 3 to 5 % where everything is recorded.
test("the budget is kept by the tool's own account", { timeout: 120_000 }, () => {
  expect(ownShare({ VARSCOPE_BUDGET: "1" })).toBeLessThan(1.5);
});
