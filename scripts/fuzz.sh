#!/usr/bin/env bash
# Sets up, builds and looks for mistakes with random input; options as in test/fuzz/main.ts.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh
exec node --import tsx test/fuzz/main.ts "$@"
