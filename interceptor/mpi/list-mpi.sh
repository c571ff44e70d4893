#!/bin/sh
# list-mpi.sh FLAGS...: the names of all MPI functions that mpi.h declares under these compiler flags, one a line.
set -eu
printf '#include <mpi.h>\n' | ${CC:-cc} -E -P "$@" -x c - | tr '\n' ' ' |
  grep -oE '\bMPI_[A-Z][A-Za-z_0-9]* *\(' | tr -d ' (' |
  grep -vx MPI_Aint | sort -u
