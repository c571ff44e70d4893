import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { preloadPath, tracingEnvironment } from "../../../src/launch/environment.ts";

const LIBRARY = "/opt/varscope/libvarscope.so";

test("names the library, the trace folder, and both for Open MPI's daemons", () => {
  expect(tracingEnvironment(LIBRARY, "/data/run/trace", { PATH: "/bin" })).toEqual({
    LD_PRELOAD: LIBRARY,
    VARSCOPE_TRACE_DIR: "/data/run/trace",
    OMPI_MCA_orte_launch_agent: `env LD_PRELOAD=${LIBRARY} VARSCOPE_TRACE_DIR=/data/run/trace orted`,
  });
});

test.each([
  ["", LIBRARY],
  ["/lib/a.so", `${LIBRARY}:/lib/a.so`],
  ["/lib/a.so /lib/b.so", `${LIBRARY}:/lib/a.so /lib/b.so`],
  [`/lib/a.so:${LIBRARY}`, `/lib/a.so:${LIBRARY}`],
])("LD_PRELOAD '%s' becomes '%s'", (before, after) => {
  const { LD_PRELOAD } = tracingEnvironment(LIBRARY, "/trace", { LD_PRELOAD: before });
  expect(LD_PRELOAD).toBe(after);
});

test("keeps the user's own launch agent", () => {
  const given = { OMPI_MCA_orte_launch_agent: "valgrind orted" };
  const { OMPI_MCA_orte_launch_agent: agent } = tracingEnvironment(LIBRARY, "/trace", given);
  expect(agent).toBe(`env LD_PRELOAD=${LIBRARY} VARSCOPE_TRACE_DIR=/trace valgrind orted`);
});

test.each(["/my runs/trace", "/it's/trace", "/$HOME/trace", "/a;b/trace"])(
  "does not put %s through a shell on another host",
  (folder) => {
    expect(tracingEnvironment(LIBRARY, folder, {})).toEqual({
      LD_PRELOAD: LIBRARY,
      VARSCOPE_TRACE_DIR: folder,
    });
  },
);

test("a library whose path LD_PRELOAD cannot hold is named through a link", () => {
  const folder = mkdtempSync(join(tmpdir(), "varscope-preload-"));
  const awkward = mkdtempSync(join(folder, "a b:c"));
  const library = join(awkward, "libvarscope.so");
  writeFileSync(library, "");

  for (const runPath of [folder, awkward]) {
    const preload = preloadPath(library, runPath);
    expect(preload?.library).toMatch(/^[^\s:$]+\/libvarscope\.so$/);
    expect(realpathSync(preload?.library ?? "")).toBe(realpathSync(library));
    preload?.release();
    expect(existsSync(preload?.library ?? "")).toBe(false);
  }
  // The library itself has not been touched, and nothing is left.
  expect(readdirSync(awkward)).toEqual(["libvarscope.so"]);
  expect(readdirSync(folder)).toHaveLength(1);
  rmSync(folder, { recursive: true });
});

test("a plain path is used as it is", () => {
  expect(preloadPath(LIBRARY, "/run")?.library).toBe(LIBRARY);
});
