/* MPICH alone. Large-count calls of MPI-4; large.test.ts lists the rows. large.F90 makes the same
 * calls. */
#include "check.h"

#define D MPI_DOUBLE
#define WORLD MPI_COMM_WORLD

int main(int argc, char **argv) {
  static double out[64], in[64];
  MPI_Status status;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  const int rank = world_rank(), other = 1 - rank;
  const MPI_Count ten = 10, one_two[2] = {1, 2}, ones[2] = {1, 1};
  const MPI_Aint at[2] = {0, 1};
  out[9] = rank;
  if (rank == 0) {
    MPI_Send_c(out, ten, D, 1, 1, WORLD);
    MPI_Recv_c(in, 20, D, 1, 2, WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv_c(in, 20, D, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status);
    MPI_Send_c(out, ten, D, 0, 2, WORLD);
  }
  CHECK(in[9] == other);
  MPI_Irecv_c(in, 4, D, other, 3, WORLD, &requests[0]);
  MPI_Isend_c(out, 4, D, other, 3, WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  out[0] = rank + 1;
  MPI_Allreduce_c(out, in, 1, D, MPI_SUM, WORLD);
  CHECK(in[0] == 3);
  MPI_Gatherv_c(out, rank + 1, D, in, one_two, at, D, 0, WORLD);
  MPI_Alltoallv_c(out, ones, at, D, in, ones, at, D, WORLD);
  MPI_Reduce_scatter_c(out, in, one_two, D, MPI_SUM, WORLD);
  MPI_Send_init_c(out, 6, D, MPI_PROC_NULL, 4, WORLD, &requests[0]);
  MPI_Request_free(&requests[0]);
  return finish("large");
}
