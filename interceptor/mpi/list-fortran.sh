#!/bin/sh
# list-fortran.sh openmpi|mpich: the Fortran entry points of that MPI (mpi_send_, mpi_send_f08_, ...), one a line, from the
# libraries that its Fortran compiler wrapper links. Nothing where there is no such wrapper.
set -u
for wrapper in "mpif90.$1" "$(command -v "mpicc.$1" >/dev/null 2>&1 || echo mpif90)"; do
  [ -n "$wrapper" ] && command -v "$wrapper" >/dev/null 2>&1 || continue
  words=$("$wrapper" -show 2>/dev/null)
  folders=$(printf '%s\n' $words | sed -n 's/^-L//p')
  for name in $(printf '%s\n' $words | sed -n 's/^-l\(.*mpi.*\)$/\1/p'); do
    for library in $(printf '%s\n' $folders | sed "s|\$|/lib$name.so|") "$(${CC:-cc} -print-file-name="lib$name.so")"; do
      [ -e "$library" ] && nm -D --defined-only "$library" && break
    done
  done | sed -n 's/.* \(mpi_[a-z_0-9]*_\)$/\1/p' | sort -u
  exit 0
done
