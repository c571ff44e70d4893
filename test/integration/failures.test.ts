import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type Mpi,
  MPI_ENVIRONMENT,
  MPIS,
  mpirun,
  ROOT,
  run,
  temporary,
  VARSCOPE,
  varscope,
} from "./run-support/varscope.ts";

/** What worker.c returns, to see that it comes through. */
const STATUS = 7;
const BUILD = join(ROOT, "build/test-failures");

function built(name: string, mpi: Mpi): string {
  return join(BUILD, `${name}-${mpi}`);
}

beforeAll(() => {
  mkdirSync(BUILD, { recursive: true });
  for (const mpi of MPIS) {
    for (const name of ["worker", "many"]) {
      const source = join(ROOT, `test/integration/failures/${name}.c`);
      execFileSync(`mpicc.${mpi}`, ["-w", "-O0", "-o", built(name, mpi), source]);
    }
  }
});

interface Summary {
  run: { command: string[]; program: string; complete: boolean; ranks: number };
  quality: {
    events: { intercepted: number; recorded: number; sampledOut: number; lost: number };
    warnings: string[];
  };
}

function report(directory: string, cwd: string): Summary {
  const result = varscope(["report", directory, "--json"], { cwd });
  expect([result.status, result.stderr]).toEqual([0, ""]);
  const summary = JSON.parse(result.stdout) as Summary;
  const { intercepted, recorded, sampledOut, lost } = summary.quality.events;
  expect(recorded + sampledOut + lost).toBe(intercepted);
  return summary;
}

describe.each(MPIS)("names with %s:", (mpi) => {
  test("spaces, quotes, newlines and letters beyond ASCII in program, folders and words", () => {
    const cwd = join(temporary(), 'it\'s a "folder"\n$HOME ä日');
    mkdirSync(cwd);
    const program = './pro gram\'s "name"\t`x` ü\nend';
    copyFileSync(built("worker", mpi), join(cwd, program));
    const words = ["100", "", "two words", "quo\"te's", "$PATH", "line\nbreak", "*", "ü", "-n"];
    const command = mpirun(mpi, program, ...words);
    const plain = run(command, { cwd });
    expect(plain.status).toBe(STATUS);
    const traced = varscope(["run", "-o", "run\n'ä\" 1", "--", ...command], { cwd });
    expect(traced).toMatchObject({ status: STATUS, stdout: plain.stdout });
    expect(traced.stderr).toContain("varscope: recorded 2 ranks");
    const { run: found } = report("run\n'ä\" 1", cwd);
    expect(found).toMatchObject({ command, complete: true, ranks: 2 });
  });

  test("bytes that are no UTF-8 reach the program as they are", () => {
    const cwd = temporary();
    const script = (tracing: string): Buffer => {
      const start = `${tracing} mpirun.${mpi} -n 2 ./pr`;
      return Buffer.from(`${start}\xfcfer 100 '\xff \xc3' '' 'end\n' >"$1"\n`, "latin1");
    };
    const name = Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from("pr\xfcfer", "latin1")]);
    copyFileSync(built("worker", mpi), name);
    writeFileSync(join(cwd, "plain.sh"), script(""));
    const tool = `'${process.execPath}' '${VARSCOPE}' run -o here --`;
    writeFileSync(join(cwd, "traced.sh"), script(tool));
    expect(run(["sh", "plain.sh", "plain.out"], { cwd }).status).toBe(STATUS);
    const traced = run(["sh", "traced.sh", "traced.out"], { cwd });
    expect(traced.status).toBe(STATUS);
    expect(traced.stderr).toContain("varscope: recorded 2 ranks");
    expect(readFileSync(join(cwd, "traced.out"), "utf8")).toMatch(/^5 words [0-9a-f]{8} result/);
    expect(readFileSync(join(cwd, "traced.out"))).toEqual(readFileSync(join(cwd, "plain.out")));
    expect(report("here", cwd).run).toMatchObject({ complete: true, ranks: 2 });
  });

  test("a variable of the environment that is no UTF-8 stays as it is", () => {
    const cwd = temporary();
    const script = `LATIN='a\xfc\n'; export LATIN; '${process.execPath}' '${VARSCOPE}' run -q -o x -- env -0 >out\n`;
    writeFileSync(join(cwd, "traced.sh"), Buffer.from(script, "latin1"));
    expect(run(["sh", "traced.sh"], { cwd }).status).toBe(0);
    expect(readFileSync(join(cwd, "out"), "latin1").split("\0")).toContain("LATIN=a\xfc\n");
  });

  test("ten thousand states and a thousand communicators are told apart", () => {
    const cwd = temporary();
    const command = mpirun(mpi, built("many", mpi));
    const plain = run(command, { cwd });
    expect(plain).toMatchObject({ status: 0, stdout: "sum 999000\n" });
    const env = { ...MPI_ENVIRONMENT, VARSCOPE_BUDGET: "full" };
    const traced = varscope(["run", "-o", "many", "--", ...command], { cwd, env });
    expect(traced).toMatchObject({ status: 0, stdout: plain.stdout });
    expect(report("many", cwd)).toMatchObject({
      run: { complete: true },
      quality: { warnings: [] },
    });
    const query = `SELECT (SELECT count(*) FROM states WHERE call = 'MPI_Iprobe') AS states,
        (SELECT count(DISTINCT communicator) FROM calls JOIN states USING (state)
          WHERE call = 'MPI_Allreduce') AS used`;
    const { stdout } = varscope(["sql", "many", "--json", query], { cwd });
    expect(JSON.parse(stdout)).toEqual([{ states: 10_000, used: 1000 }]);
  });
});

test("very long command lines are recorded as far as there is room", () => {
  const cwd = temporary();
  const words = ["100", "x".repeat(120_000), ...Array.from({ length: 3000 }, (_, i) => `w${i}`)];
  // Without a launcher: neither one takes so many words, nor does Open MPI without one.
  const long = [built("worker", "mpich"), ...words];
  const plain = run(long, { cwd });
  expect(plain.status).toBe(STATUS);
  const traced = varscope(["run", "-o", "long", "--", ...long], { cwd });
  expect(traced).toMatchObject({ status: plain.status, stdout: plain.stdout });
  expect(report("long", cwd).run).toMatchObject({ command: long, complete: true });
  expect(report("long", cwd).quality.warnings).toEqual([]);

  const longer = [...long, "y".repeat(120_000)];
  const cut = varscope(["run", "-o", "longer", "--", ...longer], { cwd });
  expect(cut).toMatchObject({ status: STATUS, stdout: run(longer, { cwd }).stdout });
  const { run: found, quality } = report("longer", cwd);
  expect(found).toMatchObject({ command: longer, complete: true });
  expect(quality.warnings.join()).toContain("command line is too long to be recorded in full");
});

/** Runs a shell script where `disk` is a file system of its own. */
function onDisk(options: string, script: string, cwd: string) {
  mkdirSync(join(cwd, "disk"));
  const mount = `mount -t tmpfs -o ${options} tmpfs disk`;
  const env = { ...MPI_ENVIRONMENT, VARSCOPE_BUDGET: "full", NODE: process.execPath, VARSCOPE };
  const lines = `${mount} || exit 99\nvarscope() { "$NODE" "$VARSCOPE" "$@"; }\n${script}`;
  return run(["unshare", "-m", "sh", "-c", lines], { cwd, env });
}

describe.runIf(process.geteuid?.() === 0)("a disk in trouble (needs the right to mount)", () => {
  const CALLS = "3000000";
  const job = mpirun("mpich", built("worker", "mpich"), CALLS).join(" ");
  const plainJob = () => run(mpirun("mpich", built("worker", "mpich"), CALLS)).stdout;

  test("full: the job ends as without, and the report says what was lost", () => {
    const cwd = temporary();
    const script = `varscope run -o disk/run -- ${job}; echo "status $?" >&2
      cp -r disk/run copy; varscope report disk/run >/dev/null; echo "report $?" >&2`;
    const { stdout, stderr } = onDisk("size=18m", script, cwd);
    expect(stdout).toBe(plainJob());
    expect(stderr).toContain(`status ${STATUS}\n`);
    const { run: found, quality } = report("copy", cwd);
    expect(found.complete).toBe(false);
    expect(quality.events.intercepted).toBeGreaterThan(2 * 3_000_000);
    expect(quality.events.lost).toBeGreaterThan(0);
    expect(quality.events.recorded).toBeGreaterThan(100_000);
    expect(quality.warnings.join("\n")).toContain("No space left on device");
    // There is no room for the store either: one line says so.
    expect(stderr).toMatch(/^varscope: [^\n]+\nreport 1\n$/m);
    expect(stderr).not.toContain("    at ");
  });

  test("without inodes: the job runs untraced, and one line says why", () => {
    const cwd = temporary();
    const script = `varscope run -o disk/run -- ${job}; echo "status $?" >&2`;
    // Inodes for the folder itself, run, trace and run.json, but not for its renamed next version.
    for (const inodes of [1, 2, 3, 4, 5]) {
      const own = join(cwd, String(inodes));
      mkdirSync(own);
      const { stdout, stderr } = onDisk(`size=40m,nr_inodes=${inodes}`, script, own);
      expect(stdout).toBe(plainJob());
      expect(stderr).toContain(`status ${STATUS}\n`);
      expect(stderr).toMatch(/^varscope: [^\n]*(ENOSPC|No space left on device)/m);
      expect(stderr).not.toContain("    at ");
    }
  });

  test("read-only: the job runs untraced, and one line says why", () => {
    const cwd = temporary();
    const script = `varscope run -o disk/run -- ${job}; echo "status $?" >&2`;
    const { stdout, stderr } = onDisk("ro", script, cwd);
    expect(stdout).toBe(plainJob());
    expect(stderr).toMatch(
      /^varscope: recording nothing: cannot create \S+ \(EROFS\); choose another with -o DIR\nstatus 7\n$/,
    );
  });
});

test("a limit on the size of files ends recording, not the job", () => {
  const cwd = temporary();
  const job = `${built("worker", "openmpi")} 3000000`;
  const env = { ...MPI_ENVIRONMENT, VARSCOPE_BUDGET: "full", NODE: process.execPath, VARSCOPE };
  // In blocks of 512 bytes: more than MPI itself needs, less than the trace.
  const limited = (command: string) =>
    run(["sh", "-c", `ulimit -f 8192; ${command}`], { cwd, env });
  const plain = limited(job);
  expect(plain.status).toBe(STATUS);
  const traced = limited(`"$NODE" "$VARSCOPE" run -o run -- ${job}`);
  expect(traced).toMatchObject({ status: STATUS, stdout: plain.stdout });
  const { quality } = report("run", cwd);
  expect(quality.warnings.join("\n")).toContain("File too large");
  expect(quality.events.lost).toBeGreaterThan(0);
});
