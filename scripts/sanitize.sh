#!/usr/bin/env bash
# sanitize.sh [TESTS...]: runs integration tests with an interceptor that has AddressSanitizer and
# UndefinedBehaviorSanitizer built in, in all processes of each job; what they find fails the test. Then those tests that
# build parts of the interceptor with ThreadSanitizer. Half an hour on a busy machine. TESTS: these instead.
set -euo pipefail
cd "$(dirname "$0")/.."

# Each call of MPI in C and Fortran, and each kind of ending; two ranks, both MPIs. Wrappers of threads and I/O are tested
# alone: preloaded, the sanitizer stands before them, and they see its calls in place of the program's. Nor can programs be
# tried that fork while their other threads allocate: AddressSanitizer's allocator stays locked in the child for good.
mpi=test/integration/mpi
jobs=(
  test/integration/conformance/{symptoms-c,symptoms-fortran,endings}
  $mpi/{keys-messages,keys-collective,keys-communicators,transparency,persistent,rma,files,restarts,matched-left-out}
  $mpi/{transfers,connect}
)
alone=(
  test/integration/threads/sanitized test/integration/io/sanitized
  test/unit/interceptor-core/{sanitized,governor}
)

make --silent --no-print-directory -C interceptor -j "$(nproc)" all sanitize
vitest=(node_modules/.bin/vitest run --testTimeout 600000)
if [ $# -gt 0 ]; then
  VARSCOPE_SANITIZE=1 "${vitest[@]}" --project integration "$@"
else
  VARSCOPE_SANITIZE=1 "${vitest[@]}" --project integration "${jobs[@]}"
  "${vitest[@]}" "${alone[@]}"
fi
