#!/usr/bin/env bash
# Sets up, builds and runs a benchmark: `bench.sh overhead`, `analysis` or `memory`, then its options.
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:-}
case "$name" in
  overhead | analysis | memory) shift ;;
  *)
    echo "bench: name a benchmark: overhead, analysis or memory" >&2
    exit 2
    ;;
esac
bash scripts/setup.sh
exec node --import tsx "scripts/bench-$name.ts" "$@"
