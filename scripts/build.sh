#!/usr/bin/env bash
# Builds everything into build/. Only what changed is built again; warnings and errors are shown.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/js

[ -x node_modules/.bin/tsc ] || {
  echo "build: node_modules is missing; run \`npm run setup\` first" >&2
  exit 1
}

# The state of the incremental build lives beside its output, so that both are deleted together.
node_modules/.bin/tsc -p tsconfig.build.json \
  --incremental --tsBuildInfoFile build/js/.tsbuildinfo
# JSON files that are read at run time; tsc copies only those that are imported.
(cd src && find . -name '*.json' -exec cp --parents -u -t ../build/js {} +)

jobs=$(nproc)
for part in src/trace/native interceptor workloads; do
  make --silent --no-print-directory -j "$jobs" -C "$part"
done
