#!/bin/sh
# check-prototypes.sh MPI SOURCE FLAGS...: a warning for every call that this MPI's mpi.h declares otherwise than the
# wrappers do. SOURCE is the generated check_prototypes.c. It is compiled and run, and links no MPI.
set -eu
mpi=$1 source=$2
shift 2
program=$(mktemp)
trap 'rm -f "$program"' EXIT
${CC:-cc} -std=gnu11 "$@" -o "$program" "$source"
"$program" | while read -r name; do
  echo "interceptor: warning: $mpi declares $name otherwise than the standard; it passes through unrecorded" >&2
done
