// The one line of the program that calls MPI_Allreduce, in a library.
#include <mpi.h>

extern "C" int sum_over_ranks(int value) {
  int total = 0;
  MPI_Allreduce(&value, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return total;
}
