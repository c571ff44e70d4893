/* MPICH alone. Every persistent collective of MPI-4, each started twice; restarts.test.ts lists the
 * rows. */
#include "check.h"

#define D MPI_DOUBLE
#define INFO MPI_INFO_NULL

static double out[64], in[64];

static void twice(MPI_Request request) {
  for (int i = 0; i < 2; i++) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

int main(int argc, char **argv) {
  const int one_two[2] = {1, 2}, ones[2] = {1, 1}, at[2] = {0, 1}, bytes[2] = {0, 8};
  const int dims[1] = {2}, periods[1] = {1};
  const MPI_Aint places[2] = {0, 8};
  const MPI_Datatype types[2] = {D, D};
  MPI_Request r;
  MPI_Comm w = MPI_COMM_WORLD, ring;
  MPI_Init(&argc, &argv);
  const int rank = world_rank();
  MPI_Barrier_init(w, INFO, &r), twice(r);
  MPI_Gather_init(out, 3, D, in, 3, D, 0, w, INFO, &r), twice(r);
  MPI_Gatherv_init(out, rank + 1, D, in, one_two, at, D, 0, w, INFO, &r), twice(r);
  MPI_Scatter_init(out, 2, D, in, 2, D, 1, w, INFO, &r), twice(r);
  MPI_Scatterv_init(out, one_two, at, D, in, rank + 1, D, 1, w, INFO, &r), twice(r);
  MPI_Allgather_init(out, 2, D, in, 2, D, w, INFO, &r), twice(r);
  MPI_Allgatherv_init(out, rank + 1, D, in, one_two, at, D, w, INFO, &r), twice(r);
  MPI_Alltoall_init(out, 4, D, in, 4, D, w, INFO, &r), twice(r);
  MPI_Alltoallv_init(out, ones, at, D, in, ones, at, D, w, INFO, &r), twice(r);
  MPI_Alltoallw_init(out, ones, bytes, types, in, ones, bytes, types, w, INFO, &r), twice(r);
  MPI_Reduce_init(out, in, 5, D, MPI_SUM, 1, w, INFO, &r), twice(r);
  MPI_Reduce_scatter_init(out, in, one_two, D, MPI_SUM, w, INFO, &r), twice(r);
  MPI_Reduce_scatter_block_init(out, in, 3, D, MPI_SUM, w, INFO, &r), twice(r);
  MPI_Scan_init(out, in, 6, D, MPI_SUM, w, INFO, &r), twice(r);
  MPI_Exscan_init(out, in, 7, D, MPI_SUM, w, INFO, &r), twice(r);
  MPI_Cart_create(w, 1, dims, periods, 0, &ring);
  MPI_Neighbor_allgather_init(out, 2, D, in, 2, D, ring, INFO, &r), twice(r);
  MPI_Neighbor_allgatherv_init(out, 1, D, in, ones, at, D, ring, INFO, &r), twice(r);
  MPI_Neighbor_alltoall_init(out, 3, D, in, 3, D, ring, INFO, &r), twice(r);
  MPI_Neighbor_alltoallv_init(out, ones, at, D, in, ones, at, D, ring, INFO, &r), twice(r);
  MPI_Neighbor_alltoallw_init(out, ones, places, types, in, ones, places, types, ring, INFO, &r);
  twice(r);
  MPI_Comm_free(&ring);
  return finish("restarts");
}
