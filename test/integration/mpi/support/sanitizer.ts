import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const SUPPRESSIONS = fileURLToPath(new URL("sanitizer.supp", import.meta.url));

/** How traced programs run while an interceptor with sanitizers in it is tried, see scripts/sanitize.sh. */
export interface Sanitizer {
  /** Folder of the interceptor that was built with it. */
  interceptor: string;
  /** Libraries to be preloaded before all others. */
  first: string[];
  env: Record<string, string>;
  /** Throws with what was found, as the standard error output of a run tells. */
  check: (stderr: string) => void;
}

function runtime(name: string): string {
  return execFileSync("cc", [`-print-file-name=lib${name}.so`], { encoding: "utf8" }).trim();
}

/**
 * Programs end by signals on purpose, and leave what the MPI library allocated. Memory of whole messages must not be
 * kept back: some are of gigabytes.
 */
const ADDRESSES = [
  ..."detect_leaks=0 handle_segv=0 handle_abort=0 handle_sigbus=0 handle_sigfpe=0".split(" "),
  ..."handle_sigill=0 allocator_may_return_null=1 quarantine_size_mb=16 exitcode=66".split(" "),
];
const UNDEFINED = "print_stacktrace=1 halt_on_error=1 exitcode=66".split(" ");
/** What a process says of itself when something is found, or when the sanitizer itself breaks. */
const FINDING = /(Address|UndefinedBehavior)Sanitizer|runtime error:/;

function check(stderr: string): void {
  if (FINDING.test(stderr)) throw new Error(`the sanitizer found:\n${stderr}`);
}

/** What VARSCOPE_SANITIZE=1 asks for; undefined where it is not set. */
export function sanitizer(): Sanitizer | undefined {
  if (!process.env["VARSCOPE_SANITIZE"]) return undefined;
  const interceptor = join(ROOT, "build/sanitize");
  if (!existsSync(interceptor)) throw new Error(`${interceptor} is missing: npm run sanitize`);
  const env = {
    ASAN_OPTIONS: [...ADDRESSES, `suppressions=${SUPPRESSIONS}`].join(":"),
    UBSAN_OPTIONS: UNDEFINED.join(":"),
  };
  return { interceptor, first: [runtime("asan"), runtime("ubsan")], env, check };
}
