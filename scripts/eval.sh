#!/usr/bin/env bash
# Sets up, builds and evaluates the analysis on simulated runs; options as in test/eval/main.ts.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh >&2
exec node --import tsx test/eval/main.ts "$@"
