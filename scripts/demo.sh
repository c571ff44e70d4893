#!/usr/bin/env bash
# Installs what is missing, builds, and shows varscope finding a disturbance in a real MPI job.
# `demo.sh --no-hog` shows an undisturbed job instead. Options go to scripts/demo.ts.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh
exec node --import tsx scripts/demo.ts "$@"
