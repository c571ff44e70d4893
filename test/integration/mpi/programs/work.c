/* A fixed sequence of calls whose work is known by hand: see test/integration/mpi/work.test.ts,
 * which lists the rows. work.F90 makes the same calls. */
#include "check.h"

#define D MPI_DOUBLE
#define WORLD MPI_COMM_WORLD

static double out[64], in[64];
static int rank, other;

static void messages(void) {
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Barrier(WORLD);
  if (rank == 0) {
    MPI_Send(out, 10, D, 1, 5, WORLD);
    MPI_Recv(in, 20, D, 1, 6, WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in, 20, D, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status);
    MPI_Send(out, 3, D, 0, 6, WORLD);
  }
  MPI_Sendrecv(out, 4, D, other, 7, in, 9, D, other, 7, WORLD, &status);
  MPI_Send(out, 1, D, MPI_PROC_NULL, 8, WORLD);
  MPI_Irecv(in, 6, D, MPI_ANY_SOURCE, 9, WORLD, &requests[0]);
  MPI_Isend(out, 5, D, other, 9, WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void probes(void) {
  MPI_Message message;
  MPI_Status status;
  if (rank == 0) {
    MPI_Send(out, 2, D, 1, 11, WORLD);
    MPI_Send(out, 1, D, 1, 12, WORLD);
  } else {
    MPI_Probe(MPI_ANY_SOURCE, 11, WORLD, &status);
    MPI_Recv(in, 2, D, 0, 11, WORLD, &status);
    MPI_Mprobe(0, 12, WORLD, &message, &status);
    MPI_Mrecv(in, 4, D, &message, &status);
  }
}

static void collectives(void) {
  const int one_two[2] = {1, 2}, ones[2] = {1, 1}, at[2] = {0, 1};
  MPI_Bcast(out, 2, D, 1, WORLD);
  MPI_Gather(out, 3, D, in, 3, D, 0, WORLD);
  MPI_Scatterv(out, one_two, at, D, in, rank + 1, D, 1, WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, D, WORLD);
  MPI_Alltoallv(out, ones, at, D, in, ones, at, D, WORLD);
  MPI_Allreduce(out, in, 5, D, MPI_SUM, WORLD);
  MPI_Reduce_scatter(out, in, one_two, D, MPI_SUM, WORLD);
  MPI_Reduce_scatter_block(out, in, 2, D, MPI_SUM, WORLD);
  MPI_Scan(out, in, 1, D, MPI_SUM, WORLD);
}

static void communicators(void) {
  MPI_Comm comm;
  MPI_Request request;
  MPI_Status status;
  int flag;
  const int dims[1] = {2}, periods[1] = {1};
  MPI_Comm_split(WORLD, 0, -rank, &comm);
  MPI_Bcast(out, 1, D, 0, comm);
  MPI_Sendrecv(out, 1, D, rank, 13, in, 1, D, rank, 13, comm, &status);
  MPI_Comm_free(&comm);
  MPI_Comm_idup(WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  MPI_Ibarrier(comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  MPI_Cart_create(WORLD, 1, dims, periods, 0, &comm);
  MPI_Neighbor_alltoall(out, 2, D, in, 2, D, comm);
  MPI_Comm_free(&comm);
  MPI_Intercomm_create(MPI_COMM_SELF, 0, WORLD, other, 14, &comm);
  MPI_Sendrecv(out, 1, D, 0, 15, in, 1, D, 0, 15, comm, &status);
  MPI_Bcast(out, 1, D, rank == 0 ? MPI_ROOT : 0, comm);
  MPI_Allgather(out, 3, D, in, 3, D, comm);
  MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  rank = world_rank();
  other = 1 - rank;
  messages();
  probes();
  collectives();
  communicators();
  return finish("work");
}
