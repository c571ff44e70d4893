#!/usr/bin/env bash
# Sets up everything varscope needs on Debian or Ubuntu with Node 20, then builds it.
# Looks before it installs, and says what it will install before it does. Safe to run again:
# with nothing missing it installs nothing and needs neither root nor a network.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
log=build/setup.log

# What for: compilers and make; Open MPI and MPICH to build the interceptor for; Fortran programs;
# real MPI programs that the tests observe; the formatter that `npm run check` uses.
packages=(
  build-essential make binutils
  openmpi-bin libopenmpi-dev
  mpich libmpich-dev
  gfortran
  hpcc python3 python3-mpi4py
  clang-format
)

say() { printf 'setup: %s\n' "$*"; }
fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

# Runs a command with its output in the log; shows the end of the log when it fails.
quietly() {
  if ! "$@" >>"$log" 2>&1 </dev/null; then
    tail -n 40 "$log" >&2
    fail "failed: $*" "the whole output is in $log"
  fi
}

# Of the packages named, those that are not installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    awk '$2 == "installed" { print $1 }') || true
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed") | paste -sd ' '
}

install_packages() {
  local -a as_root=()
  say "will install these Debian packages: $*"
  if [ "$(id -u)" -ne 0 ]; then
    # A password can only be asked for at a terminal.
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      sudo -n true 2>/dev/null || sudo -v
      as_root=(sudo -n)
    else
      fail "installing them needs root. Ask someone who has it to type" \
        "  apt-get update && apt-get install -y --no-install-recommends $*" \
        "and then run this again"
    fi
  fi
  quietly "${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=300 update
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
  say "installed"
}

# True if node_modules holds what package-lock.json asks for; packages for other platforms are optional.
node_modules_current() {
  node --input-type=module -e '
    import { readFileSync } from "node:fs";
    const packages = (file) => JSON.parse(readFileSync(file, "utf8")).packages;
    const installed = packages("node_modules/.package-lock.json");
    const wanted = Object.entries(packages("package-lock.json")).filter(([path]) => path !== "");
    const fits = ([path, { version, optional }]) =>
      installed[path] ? installed[path].version === version : optional;
    process.exit(wanted.every(fits) ? 0 : 1);
  ' 2>/dev/null
}

: >"$log"
command -v node >/dev/null ||
  fail "Node.js 20 or later is needed and not here; see https://nodejs.org/en/download"
node_major=$(node -p 'process.versions.node.split(".")[0]')
[ "$node_major" -ge 20 ] ||
  fail "Node.js 20 or later is needed, this is $(node --version); see https://nodejs.org/en/download"

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
  read -r -a missing <<<"$(missing_packages "${packages[@]}")"
  [ "${#missing[@]}" -eq 0 ] || install_packages "${missing[@]}"
else
  say "this is not Debian or Ubuntu: install what these packages hold by hand: ${packages[*]}"
fi

if ! node_modules_current; then
  say "will install the npm packages of package-lock.json into node_modules"
  quietly npm ci --include=dev --no-audit --no-fund
  say "installed"
fi

exec bash scripts/build.sh
