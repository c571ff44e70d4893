#!/bin/sh
# find-mpi.sh openmpi|mpich: prints the compiler flags to include that MPI's mpi.h, or nothing and fails. There is
# at least one flag, so that callers can tell a header in the default path from none.
# Looks at mpicc.NAME (Debian keeps several side by side), then at mpicc, if that is of this kind.
set -u
name=$1
case $name in
openmpi) macro=OPEN_MPI ;;
mpich) macro=MPICH_VERSION ;;
*) echo "find-mpi.sh: openmpi or mpich, not $name" >&2; exit 2 ;;
esac

# Only -I and -D matter; MPICH prints the whole compiler line.
include_flags() {
  { "$1" --showme:compile 2>/dev/null || "$1" -compile_info 2>/dev/null || "$1" -show 2>/dev/null; } |
    tr ' ' '\n' | grep -E '^-[ID]' | tr '\n' ' '
}

for wrapper in "mpicc.$name" mpicc; do
  command -v "$wrapper" >/dev/null 2>&1 || continue
  flags=$(include_flags "$wrapper")
  # shellcheck disable=SC2086
  if printf '#include <mpi.h>\n#ifndef %s\n#error other\n#endif\n' "$macro" |
    ${CC:-cc} -E $flags -x c - >/dev/null 2>&1; then
    echo "-DVARSCOPE_MPI_$name $flags"
    exit 0
  fi
done
exit 1
