#!/usr/bin/env bash
# Sets up, builds, checks and runs every test. The last line counts the outcome:
#   N passed, N failed, N skipped
# A failed set-up or check counts as one failed test.
set -uo pipefail
cd "$(dirname "$0")/.."
results=build/test-results.json
limit_seconds=1600

if ! bash scripts/setup.sh; then
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
fi
rm -f "$results"

failed_steps=0
bash scripts/check.sh || failed_steps=$((failed_steps + 1))

timeout --kill-after=10 "$limit_seconds" node_modules/.bin/vitest run \
  --reporter=default --reporter=json --outputFile.json="$results"
outcome=$?
[ "$outcome" -ne 124 ] || echo "test: stopped after $limit_seconds s"

node --import tsx scripts/test-summary.ts "$results" "$outcome" "$failed_steps"
