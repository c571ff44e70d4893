#!/usr/bin/env bash
# All static checks: types, lint, formatting of TypeScript and C, shell syntax, length of files.
# Runs every check even when one fails; exit status 1 if any did.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=node_modules/.bin
longest=500
status=0

check() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    printf 'check: %-14s ok\n' "$name"
  else
    printf 'check: %-14s FAILED\n%s\n' "$name" "$output"
    status=1
  fi
}

# Files of this repository whose names match one of the patterns.
files() {
  local -a names=()
  local pattern
  for pattern in "$@"; do names+=(-o -name "$pattern"); done
  find . \( -name .git -o -name node_modules -o -path ./build -o -name 'varscope-*' \) -prune \
    -o -type f \( "${names[@]:1}" \) -print | sort
}

# Tables in documents are left as they are written.
biome_format() {
  files '*.ts' '*.js' '*.json' | xargs -r -d '\n' "$bin/biome" format --no-errors-on-unmatched
}

clang_format() {
  command -v clang-format >/dev/null || { echo "clang-format is missing: npm run setup" && return 1; }
  files '*.c' '*.h' '*.cc' '*.cpp' '*.hpp' | xargs -r -d '\n' clang-format --dry-run -Werror
}

shell_syntax() {
  local failed=0
  while IFS= read -r file; do bash -n "$file" || failed=1; done < <(files '*.sh' && echo .ci/run)
  return "$failed"
}

file_length() {
  files '*.ts' '*.js' '*.c' '*.h' '*.cc' '*.cpp' '*.hpp' '*.sh' | xargs -r -d '\n' wc -l |
    awk -v longest="$longest" '$2 != "total" && $1 > longest {
      print $2 ": " $1 " lines, at most " longest " are allowed; split it"; failed = 1
    } END { exit failed }'
}

check types "$bin/tsc" -p tsconfig.json
check lint "$bin/oxlint" --type-aware --deny-warnings
check format biome_format
check clang-format clang_format
check shell shell_syntax
check file-length file_length
exit "$status"
